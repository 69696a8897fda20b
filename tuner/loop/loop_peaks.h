/* What the device of a run reaches at best: looked up, or measured when it is first wanted. */
#ifndef ASCTUNE_LOOP_LOOP_PEAKS_H
#define ASCTUNE_LOOP_LOOP_PEAKS_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/model/dtype.h"

struct evaluator;
struct loop_options;
struct loop_summary;

struct loop_peaks {                 /* of one device; zeroed at the start of the program */
	bool measured[DTYPE_COUNT]; /* by this program */
};

/* Fills sum->peaks when the best configuration can be placed by them: `v`, which must have nothing
 * to do, is asked for what is not known yet of the problem's element type, or known of few moments
 * only: the machine may have been busy in all of them. The higher rate is kept. Where the best
 * configuration exceeds the peak it is asked too; and where it exceeds what was measured then, the
 * peak of the type is not known and forgotten. Failing is told and nothing else.
 *
 * Where less than seconds are left until `until_ns` (0: no limit), the next run measures them. */
void loop_peaks_find(const struct loop_options *o, struct evaluator *v, int64_t until_ns,
		     struct loop_summary *sum);

#endif
