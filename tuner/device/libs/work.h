/* Work of a device as profilers record it: kernels, copies and fills, whatever stream it was on and
 * whatever thread has asked for it. Plain values and pure functions: a launch is the records
 * between two moments at which nothing ran. */
#ifndef ASCTUNE_DEVICE_LIBS_WORK_H
#define ASCTUNE_DEVICE_LIBS_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_FILL };

struct work {
	enum work_kind kind;
	uint32_t grid[3];     /* blocks of a kernel; 0: the profiler does not say */
	uint64_t start, end;  /* ns of the profiler's clock; end 0: it was not timed */
	uint64_t correlation; /* of the call that asked for it: later calls have larger ones */
	uint64_t digest;      /* of a kernel's whole name; else 0 */
	char name[80];        /* of a kernel, cut where it is long; else "" */
	uint64_t bytes;       /* of a copy or a fill */
};

/* Sets name and digest of a kernel; name NULL: it has none. */
void work_set_name(struct work *w, const char *name);

struct work_sum { /* of a launch */
	size_t n;
	uint64_t start;  /* ns of the profiler's clock */
	int64_t span_ns; /* from the first start to the last end, whatever overlaps */
	int64_t sum_ns;  /* of the times of each */
};

/* Adds up `n` > 0 records of a launch, all but number `without`; at least one is left. ASC_IO where
 * one was not timed, or ends before it starts. */
enum { WORK_ALL = -1 };
enum asc_status work_add_up(const struct work *list, size_t n, ptrdiff_t without,
			    struct work_sum *out, struct asc_err *e);

/* Number of the fill that was asked for first; WORK_ALL: there is none. */
ptrdiff_t work_find_first_fill(const struct work *list, size_t n);

/* Finds the first difference between the work of two launches: kernels by name and grid, copies
 * and fills by their size, how often each, in any order. `text`, unless NULL, gets it in words:
 * "kernel scale (grid 4x1x1): 2 instead of 1". False: there is none. Sorts both lists. */
bool work_differs(struct work *now, size_t n_now, struct work *before, size_t n_before, char *text,
		  size_t size);

/* Prints the work of a launch, equal pieces in a row as one, as many as `size` bytes hold, 40 at
 * least: "kernel scale (grid 4x1x1) 2 times; copies of 512 bytes; 3 more". */
void work_print(const struct work *list, size_t n, char *text, size_t size);

/* Launches that are compared until some in a row had the same work. */
struct work_history {
	struct work *last;         /* heap: of the last launch */
	size_t n, launches, alike; /* alike: launches up to the last one that are equal */
	char differs[240];         /* between the last two that were not */
};

enum { WORK_WARM = 3 /* equal launches in a row after which the next ones are, too */ };

/* Adds a launch; *warm: as many as WORK_WARM were alike. work_history_fini() follows in any case.
 */
enum asc_status work_history_add(struct work_history *h, const struct work *list, size_t n,
				 bool *warm, struct asc_err *e);
void work_history_fini(struct work_history *h);

#endif
