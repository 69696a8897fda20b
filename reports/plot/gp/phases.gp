# Where the time went: a stacked bar for each run, seconds written where there is room.
unset grid; set border 0; set ytics scale 0; set rmargin 10
array FILL[6] = [C_s1, C_s2, C_s3, C_mut, C_band, C_na]
array INK[6] = [C_bg, C_bg, C_bg, C_bg, C_fg, C_fg]
plot \
     for [k=1:N_PARTS] $PARTS index k-1 using 1:3:1:2:($3-0.34):($3+0.34) with boxxyerror fc rgb FILL[k] fs solid 1 border lc rgb C_bg lw 1 title $TEXT_PARTS[k], \
     for [k=1:N_PARTS] $PARTS index k-1 using (($1+$2)/2):3:4 with labels center textcolor rgb INK[k], \
     $TOTALS using 1:2:3:yticlabels(4) with labels left offset 0.6,0 textcolor rgb C_fg
