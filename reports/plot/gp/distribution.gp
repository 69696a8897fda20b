# Density of the logarithm per group, with quartiles, median and whiskers to the last value within 1.5 quartile distances.
unset key
set xtics scale 0
plot \
     $VIOLINS using 1:2 with filledcurves closed fc rgb C_band, \
     $WHISKERS using 1:2:(0):($3-$2) with vectors nohead lc rgb C_fg lw 1, \
     $BOXES using 1:2:($1-0.05):($1+0.05):3:4:xticlabels(5) with boxxyerror fc rgb C_bg fs solid 1 border lc rgb C_fg lw 1, \
     $BOXES using ($1-0.05):2:(0.1):(0) with vectors nohead lc rgb C_s2 lw 2.5
