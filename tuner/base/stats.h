/* Order statistics of samples. Times are nanoseconds. */
#ifndef ASCTUNE_BASE_STATS_H
#define ASCTUNE_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats_summary {
	size_t n;
	double min, q1, median, q3, max; /* quartiles by linear interpolation between order
					    statistics; all 0 when n is 0 */
};

/* `samples` is sorted in place. */
void stats_summarize(int64_t *samples, size_t n, struct stats_summary *out);

#endif
