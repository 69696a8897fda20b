# Horizontal bars, the value at the end of each.
unset grid; set border 0; unset key; unset xtics; set ytics scale 0; set rmargin 9
plot \
     $BARS using (0):2:(0):1:($2-0.32):($2+0.32):yticlabels(3) with boxxyerror lc rgb C_s1, \
     $BARS using 1:2:4 with labels left offset 0.5,0 textcolor rgb C_fg
