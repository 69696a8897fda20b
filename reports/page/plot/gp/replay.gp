# Scores over time, one curve for each record and the mean of all; random search is the rule at 0.
set key width -4
array COLOR[6] = [C_s1, C_s3, C_good, C_s1, C_s3, C_good]
array DASH[6] = [1, 1, 1, 2, 2, 2]
plot \
     $RULE using 1:2 with lines lc rgb C_mut lw 1 dt 2 title 'random search', \
     for [k=1:N_CURVES] $CURVES index k-1 using 1:2 with lines lc rgb COLOR[k] lw 1.2 dt DASH[k] title $TEXT_CURVES[k], \
     $MEAN using 1:2 with lines lc rgb C_s2 lw 2.4 title 'mean'
