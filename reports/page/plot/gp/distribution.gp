# A violin with a box in it for each group, dots for one of few values.
unset key
set xtics scale 0
set xlabel offset 0,-0.4 # below labels of two lines
plot \
     for [k=1:N] $VIOLINS index k-1 using (FEW[k] ? NaN : k-1 + 0.4*$2/TOP[k]):(exp($1)) with filledcurves x=k-1 fc rgb C_band, \
     for [k=1:N] $VIOLINS index k-1 using (FEW[k] ? NaN : k-1 - 0.4*$2/TOP[k]):(exp($1)) with filledcurves x=k-1 fc rgb C_band, \
     LOW using ($1-1):(FEW[$1] ? NaN : $2):(0):(HIGH[$1]-$2) with vectors nohead lc rgb C_fg lw 1, \
     Q1 using ($1-1):(FEW[$1] ? NaN : $2):($1-1.05):($1-0.95):2:(Q3[$1]) with boxxyerror fc rgb C_bg fs solid 1 border lc rgb C_fg lw 1, \
     for [k=1:N] $VALUES index k-1 using (FEW[k] ? k-1 : NaN):1 with points pt 7 ps 0.4 lc rgb C_s1, \
     MEDIAN using ($1-1.05):2:(0.1):(0) with vectors nohead lc rgb C_s2 lw 2.5, \
     $GROUPS using 1:(1e300):xticlabels(sprintf("%s\nn = %d", strcol(2), $3)) with points pt 0
