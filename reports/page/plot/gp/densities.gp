# For each group: the density of its logarithm, quartiles, median, and the last values within 1.5 quartile distances of the box
# (Tukey, "Exploratory Data Analysis", 1977); kernels as wide as Silverman has them ("Density Estimation", 1986, 3.31).
# A density ends where the values end; of fewer than 10 there is none.
# Before axes are set: tables would have their formats, statistics their logarithms.
array Q1[N]; array MEDIAN[N]; array Q3[N]; array LOW[N]; array HIGH[N]; array TOP[N]; array FEW[N]
set samples 64
do for [k=1:N] {
  stats $VALUES index k-1 using 1 nooutput
  Q1[k] = STATS_lo_quartile; MEDIAN[k] = STATS_median; Q3[k] = STATS_up_quartile
  REACH = 1.5 * (Q3[k] - Q1[k])
  stats $VALUES index k-1 using ($1 >= Q1[k] - REACH && $1 <= Q3[k] + REACH ? $1 : NaN) nooutput
  LOW[k] = STATS_min; HIGH[k] = STATS_max
  stats $VALUES index k-1 using (log($1)) nooutput
  SPREAD = (STATS_up_quartile - STATS_lo_quartile) / 1.34
  SPREAD = SPREAD > 0 && SPREAD < STATS_stddev ? SPREAD : STATS_stddev
  BAND = 0.9 * SPREAD * STATS_records**-0.2 + 1e-4
  FEW[k] = STATS_records < 10
  EDGE = STATS_max > STATS_min ? 0 : 0.01
  set xrange [STATS_min - EDGE:STATS_max + EDGE]
  set table $VIOLINS append
  plot $VALUES index k-1 using (log($1)):(1) smooth kdensity bandwidth BAND
  unset table
  stats $VIOLINS index k-1 using 2 nooutput
  TOP[k] = STATS_max
}
