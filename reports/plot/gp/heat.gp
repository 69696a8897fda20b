# Best value for two parameters: a box for each cell (images blur), its number where there is room, no number and another colour where not valid.
unset grid; set border 0; unset key; set tics scale 0
set rmargin 13; set cblabel offset 1.5,0
set colorbox vertical noborder
set cbtics scale 0 textcolor rgb C_mut
plot \
     $CELLS using 1:2:(0.48):(0.48):3 with boxxyerror fc palette, \
     $INVALID using 1:2:(0.48):(0.48) with boxxyerror fc rgb C_na, \
     $INVALID using 1:2:('–') with labels textcolor rgb C_fg, \
     $CELLS using 1:2:(NUMBERS && $3 < INK_TURN ? sprintf(DIGITS, $3) : '') with labels textcolor rgb INK_LIGHT, \
     $CELLS using 1:2:(NUMBERS && $3 >= INK_TURN ? sprintf(DIGITS, $3) : '') with labels textcolor rgb INK_DARK, \
     $COLUMNS using 1:(-1):xticlabels(2) with points pt 0, \
     $ROWS using (-1):1:yticlabels(2) with points pt 0
