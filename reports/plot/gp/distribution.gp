# A violin with a box in it for each group.
unset key
set yrange [Y_LOW:Y_HIGH] # of the axis, and as far as tails reach
set xtics scale 0
set xlabel offset 0,-0.4 # below labels of two lines
plot \
     for [k=1:N] $VIOLINS index k-1 using (k-1 + 0.4*$2/TOP[k]):(exp($1)) with filledcurves x=k-1 fc rgb C_band, \
     for [k=1:N] $VIOLINS index k-1 using (k-1 - 0.4*$2/TOP[k]):(exp($1)) with filledcurves x=k-1 fc rgb C_band, \
     LOW using ($1-1):2:(0):(HIGH[$1]-$2) with vectors nohead lc rgb C_fg lw 1, \
     Q1 using ($1-1):2:($1-1.05):($1-0.95):2:(Q3[$1]) with boxxyerror fc rgb C_bg fs solid 1 border lc rgb C_fg lw 1, \
     MEDIAN using ($1-1.05):2:(0.1):(0) with vectors nohead lc rgb C_s2 lw 2.5, \
     $GROUPS using 1:(1e300):xticlabels(sprintf("%s\nn = %d", strcol(2), $3)) with points pt 0
