# The same configurations measured twice: on the diagonal nothing changed.
set grid xtics ytics; unset key
set label 'above the line: slower' at graph 0.015,0.95 left front textcolor rgb C_mut
set label 'below the line: faster' at graph 0.985,0.05 right front textcolor rgb C_mut
plot \
     $DIAGONAL using 1:2 with lines lc rgb C_mut lw 1 dt 2, \
     $PAIRS using 1:2:(DOT($1)):(0) with vectors nohead lc rgb C_s1 lw 3.2
