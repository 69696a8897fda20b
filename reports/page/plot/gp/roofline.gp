# What the device reaches: the first peak and memory as the roof, the others dashed; kernels labelled on the spot, or at the end of a thin line
# where there is no room; those that were profiled at the intensities of each level of memory, too, joined by a line.
set grid xtics ytics
plot \
     $ROOF using 1:2 with lines lc rgb C_fg lw 1.5, \
     $CEILINGS using 1:2 with lines lc rgb C_mut lw 1 dt 2, \
     $PEAKS using 1:2:3 with labels right offset 0,0.6 textcolor rgb C_over, \
     $SLOPES using 1:2:3 with labels left rotate by ANGLE offset ASIDE,ABOVE textcolor rgb C_over, \
     $LEADERS using 1:2:3:4 with vectors nohead lc rgb C_mut lw 0.7, \
     $JOINED using 1:2 with lines lc rgb C_s3 lw 1, \
     $LEVELS using 1:2 with points lc rgb C_s3 pt 6 ps 0.7 title LEVELS_NAME, \
     $LIMITS using 1:2 with points lc rgb C_s3 pt 7 ps 1.2 title LIMITS_NAME, \
     $BASELINES using 1:2 with points lc rgb C_s1 pt 2 ps 0.7 title 'baseline', \
     $DEFAULTS using 1:2 with points lc rgb C_fg pt 6 ps 0.8 title 'default', \
     $KERNELS using 1:2 with points lc rgb C_s2 pt 7 ps 0.8 title 'best', \
     $NAMES using 1:2:3 with labels left textcolor rgb C_over
