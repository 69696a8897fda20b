# The same configurations measured twice: on the diagonal nothing changed.
set grid xtics ytics
set label 'above the line: slower' at graph 0.015,0.95 left front textcolor rgb C_mut
set label 'below the line: faster' at graph 0.985,0.05 right front textcolor rgb C_mut
plot \
     $DIAGONAL using 1:2 with lines lc rgb C_mut lw 1 dt 2 title 'as before', \
     $MEDIAN using 1:2 with lines lc rgb C_s2 lw 1.5 title 'median ratio', \
     $PAIRS using 1:2:(DOT($1)):(0) with vectors nohead lc rgb C_s1 lw 3.2
