#include "tuner/result/tracked_metric.h"

#include <string.h>

#include "tuner/result/result.h"

/* Least changes: a compiler's results are exact, but a register more or less is not worth a word;
 * compilers share their machine with others; energies of a launch repeat within 3 %. */
const struct tracked_metric tracked_metrics[TRACKED_METRICS + 1] = {
	{"registers", "1", "registers of a thread", RESULT_KERNEL, "registers", false, 5},
	{"spills", "B", "spilled registers and local arrays of a thread", RESULT_KERNEL,
	 "local_bytes", false, 1},
	{"shared_memory", "B", "shared memory of a block", RESULT_KERNEL, "shared_bytes", false, 5},
	{"energy", "J", "energy of a launch", "energy", "energy_j", false, 3},
	{"compile_time", "ns", "time of the compiler", TRACKED_BUILD, "ns", false, 20},
	{0}};

const struct tracked_metric *tracked_metric_find(const char *probe, const char *metric)
{
	for (const struct tracked_metric *f = tracked_metrics; f->name; f++)
		if (strcmp(f->probe, probe) == 0 && strcmp(f->metric, metric) == 0)
			return f;
	return NULL;
}
