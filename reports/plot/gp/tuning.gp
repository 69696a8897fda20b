# Every configuration in order of evaluation, the best so far as a stair, failed ones at the foot.
plot for [i=1:some(|$TRIALS|)] $TRIALS using 1:2 with points lc rgb C_s1 pt 7 ps 0.3 title 'configuration', \
     for [i=1:some(|$FAILED|)] $FAILED using 1:2 with points lc rgb C_mut pt 2 ps 0.4 title 'failed', \
     for [i=1:some(|$BEST|)] $BEST using 1:2 with steps lc rgb C_s2 lw 2 title 'best so far', \
     for [i=1:some(|$END|)] $END using 1:2:3 with labels left offset 0.6,0 textcolor rgb C_s2
