# The same configurations measured twice: on the diagonal nothing changed.
set grid xtics ytics; unset key
plot \
     $DIAGONAL using 1:2 with lines lc rgb C_mut lw 1 dt 2, \
     $PAIRS using 1:2 with points lc rgb C_s1 pt 7 ps 0.35, \
     $SLOWER using 1:2:3 with labels left textcolor rgb C_mut, \
     $FASTER using 1:2:3 with labels right textcolor rgb C_mut
