# What the device reaches: the first peak and memory as the roof, the others dashed below it; kernels labelled on the spot.
set grid xtics ytics; unset key
plot \
     $ROOF using 1:2 with lines lc rgb C_fg lw 1.5, \
     $CEILINGS using 1:2 with lines lc rgb C_mut lw 1 dt 2, \
     $PEAKS using 1:2:3 with labels right offset 0,0.6 textcolor rgb C_over, \
     $SLOPES using 1:2:3 with labels left rotate by ANGLE offset ASIDE,ABOVE textcolor rgb C_over, \
     $KERNELS using 1:2 with points lc rgb C_s2 pt 7 ps 0.8, \
     $NAMES using 1:2:3 with labels left textcolor rgb C_over
