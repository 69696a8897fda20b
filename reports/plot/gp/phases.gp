# Where the time went: a stacked bar for each run, seconds written where there is room.
unset grid; set border 0; set ytics scale 0
array FILL[6] = [C_s1, C_s2, C_s3, C_mut, C_band, C_na]
array INK[6] = [C_bg, C_bg, C_bg, C_bg, C_fg, C_fg]
plot \
     $RUNS using (0):1:yticlabels(2) with points pt 0, \
     for [k=1:N_PARTS] $PARTS index k-1 using 1:3:1:2:($3-0.34):($3+0.34) with boxxyerror fc rgb FILL[k] fs solid 1 border lc rgb C_bg lw 1, \
     for [k=1:N_PARTS] $PARTS index k-1 using (($1+$2)/2):3:4 with labels center textcolor rgb INK[k], \
     for [k=1:N_PARTS] $SAMPLES index k-1 using 1:2 with points pt 5 ps 1.1 lc rgb FILL[k], \
     for [k=1:N_PARTS] $SAMPLES index k-1 using 1:2:3 with labels left offset 0.9,0 textcolor rgb C_fg, \
     $TOTALS using 1:2:3 with labels left offset 0.6,0 textcolor rgb C_fg
