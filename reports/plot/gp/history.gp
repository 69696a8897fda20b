# Values by date, level and ±1 sd of each segment, change points by shape, colour and text, events as dashed rules.
plot for [i=1:some(|$SEGMENTS|)] $SEGMENTS using 1:3:1:2:($3-$4):($3+$4) with boxxyerror lc rgb C_band title 'level ±1 sd', \
     for [i=1:some(|$EVENTS|)] $EVENTS using 1:(Y_LOW):(0):($2-Y_LOW) with vectors nohead lc rgb C_mut lw 1 dt 2, \
     for [i=1:some(|$NIGHTS|)] $NIGHTS using 1:2 with points lc rgb C_s1 pt 7 ps POINT title 'run', \
     for [i=1:some(|$LEFT_OUT|)] $LEFT_OUT using 1:2 with points lc rgb C_mut pt 6 ps 0.4 title 'disturbed', \
     for [i=1:some(|$ABOVE|)] $ABOVE using 1:2 with points lc rgb C_mut pt 8 ps 0.7 title 'off scale', \
     for [i=1:some(|$BELOW|)] $BELOW using 1:2 with points lc rgb C_mut pt 10 ps 0.7 title BELOW_TITLE, \
     for [i=1:some(|$SEGMENTS|)] $SEGMENTS using 1:3:($2-$1):(0) with vectors nohead lc rgb C_s2 lw 2, \
     for [i=1:some(|$SLOWER|)] $SLOWER using 1:2 with points lc rgb C_bad pt 9 ps 0.9 title 'slower', \
     for [i=1:some(|$FASTER|)] $FASTER using 1:2 with points lc rgb C_good pt 11 ps 0.9 title 'faster', \
     for [i=1:some(|$SIZES|)] $SIZES using 1:2:3 with labels center textcolor rgb C_fg, \
     for [i=1:some(|$NAMES_RIGHT|)] $NAMES_RIGHT using 1:2:3 with labels left offset 0.5,0 textcolor rgb C_mut, \
     for [i=1:some(|$NAMES_LEFT|)] $NAMES_LEFT using 1:2:3 with labels right offset -0.5,0 textcolor rgb C_mut
