# Time against energy, less is better in both; the front as a stair.
plot \
     $CLOUD using 1:2:(DOT($1)):(0) with vectors nohead lc rgb C_mut lw 2.8, $CLOUD every ::::0 using 1:2 with points pt 7 ps 0.35 lc rgb C_mut title 'configuration', \
     $FRONT using 1:2 with steps lc rgb C_s2 lw 1, \
     $FRONT using 1:2 with points lc rgb C_s2 pt 7 ps 0.6 title 'on the front'
