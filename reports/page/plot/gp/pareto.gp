# Time against energy with their intervals, less is better in both; the front as a stair, and what objectives choose by name.
plot \
     $COSTS using 1:2:3:4:5:6 with xyerrorbars lc rgb C_mut lw 0.8 pt 7 ps 0.35 title 'configuration', \
     $FRONT using 1:2 with steps lc rgb C_s2 lw 1, \
     $FRONT using 1:2 with points lc rgb C_s2 pt 7 ps 0.6 title 'on the front', \
     $CHOSEN using 1:2:3 with labels left offset 0.7,0.6 textcolor rgb C_over, \
     $CHOSEN_RIGHT using 1:2:3 with labels right offset -0.7,0.6 textcolor rgb C_over
