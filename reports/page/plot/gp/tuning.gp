# Every configuration in order of evaluation, the best so far as a stair, failed ones at the foot.
plot \
     $TRIALS using 1:2:(DOT($1)):(0) with vectors nohead lc rgb C_s1 lw 3.2, $TRIALS every ::::0 using 1:2 with points pt 7 ps 0.35 lc rgb C_s1 title 'configuration', \
     $FAILED using 1:2 with points lc rgb C_mut pt 2 ps 0.55 title 'failed', \
     $BEST using 1:2 with steps lc rgb C_s2 lw 2 title 'best so far', \
     $END using 1:2:3 with labels left offset 0.6,0 textcolor rgb C_s2
