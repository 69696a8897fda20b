# Values by date, level and ±1 sd of each segment, change points by shape, colour and text, events as dashed rules.
set key width -4
plot \
     $SEGMENTS using 1:3:1:2:($3-$4):($3+$4) with boxxyerror lc rgb C_band title 'level ±1 sd', \
     $EVENTS using 1:(Y_LOW):(0):($2-Y_LOW) with vectors nohead lc rgb C_mut lw 1 dt 2, \
     $SLOWER using 1:(Y_LOW):(0):($2-Y_LOW) with vectors nohead lc rgb C_bad lw 1 dt 2, \
     $FASTER using 1:(Y_LOW):(0):($2-Y_LOW) with vectors nohead lc rgb C_good lw 1 dt 2, \
     $NIGHTS using 1:2:(DOT($1)):(0) with vectors nohead lc rgb C_s1 lw DOT_WIDTH, $NIGHTS every ::::0 using 1:2 with points pt 7 ps 0.35 lc rgb C_s1 title 'run', \
     $LEFT_OUT using 1:2 with points lc rgb C_mut pt 6 ps 0.65 title 'noisy', \
     $ABOVE using 1:2 with points lc rgb C_mut pt 8 ps 0.7 title 'off scale', \
     $BELOW using 1:2 with points lc rgb C_mut pt 10 ps 0.7 title BELOW_TITLE, \
     $SEGMENTS using 1:3:($2-$1):(0) with vectors nohead lc rgb C_s2 lw 2, \
     $SLOWER using 1:2 with points lc rgb C_bad pt 9 ps 0.9 title 'slower', \
     $FASTER using 1:2 with points lc rgb C_good pt 11 ps 0.9 title 'faster', \
     $NAMES_RIGHT using 1:2:3 with labels left textcolor rgb C_over, \
     $NAMES_LEFT using 1:2:3 with labels right textcolor rgb C_over
