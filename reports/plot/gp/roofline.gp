# What the device reaches: the first peak and memory as the roof, the others dashed below it; kernels labelled on the spot.
set grid xtics ytics; unset key
plot $ROOF using 1:2 with lines lc rgb C_fg lw 1.5, \
     for [i=1:some(|$CEILINGS|)] $CEILINGS using 1:2 with lines lc rgb C_mut lw 1 dt 2, \
     $PEAKS using 1:2:3 with labels right offset 0,0.6 textcolor rgb C_fg, \
     $SLOPES using 1:2:3 with labels left rotate by ANGLE offset 0,0.8 textcolor rgb C_fg, \
     for [i=1:some(|$KERNELS|)] $KERNELS using 1:2 with points lc rgb C_s2 pt 7 ps 0.8, \
     for [i=1:some(|$NAMES_RIGHT|)] $NAMES_RIGHT using 1:2:3 with labels left textcolor rgb C_fg, \
     for [i=1:some(|$NAMES_LEFT|)] $NAMES_LEFT using 1:2:3 with labels right textcolor rgb C_fg
