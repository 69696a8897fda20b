/* Search spaces written as loops by hand, as one would without a tuner: what space_times.c compares
 * the iteration of a space with. */
#ifndef ASCTUNE_TESTS_SPACE_LOOPS_H
#define ASCTUNE_TESTS_SPACE_LOOPS_H

#include <stdint.h>

struct space_loops {
	const char *file; /* the end of its name */
	uint64_t (*run)(
		uint64_t *sum); /* returns how many are valid; *sum depends on all of them */
};

extern const struct space_loops space_loops[]; /* ended by one without a file */

#endif
