/* Counters of the kernel's perf events: which exist, which can be opened here, what they counted.
 * Their source is a table of functions, so that tests count without a machine. */
#ifndef ASCTUNE_PROBES_PERF_EVENT_H
#define ASCTUNE_PROBES_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

enum { PERF_COUNTERS = 8 };

/* Metrics in the order of counters, ended by a NULL name. */
extern const struct probe_metric perf_metrics[PERF_COUNTERS + 1];

struct perf_reading { /* figures since the counter was opened */
	uint64_t value;
	uint64_t enabled_ns, running_ns; /* running less than enabled: hardware was shared */
};

struct perf_source {
	/* Opens a counter, stopped, of this thread and the threads that it starts from now on;
	 * `type` and `config` as in perf_event_open(2). -1 with errno set when there is none. */
	int (*open)(uint32_t type, uint64_t config, bool user_only);
	void (*close)(int fd);
	bool (*enable)(int fd, bool on); /* false on failure, as read */
	bool (*read)(int fd, struct perf_reading *out);
	int (*paranoid)(void); /* value of /proc/sys/kernel/perf_event_paranoid; INT_MIN: unknown */
};

struct perf_counters {
	const struct perf_source *source;
	int fd[PERF_COUNTERS]; /* -1: not there */
	struct perf_reading before[PERF_COUNTERS];
};

/* Opens the counters that can be opened and returns their number. */
size_t perf_counters_open(struct perf_counters *c, const struct perf_source *source);
void perf_counters_close(struct perf_counters *c);

/* Checks that metric `i` can be counted here; `reason` says why not. */
bool perf_counters_check(const struct perf_source *source, size_t i, char *reason, size_t size);

/* Starts counting. Never called while launches are timed: each counter costs system calls that
 * interrupt other processors. */
enum asc_status perf_counters_begin(struct perf_counters *c, struct asc_err *e);

/* Stops counting and tells the counts since begin. A counter that had the hardware for a part of
 * the time is scaled up to the whole; NaN for one that does not exist or never had the hardware. */
enum asc_status perf_counters_end(struct perf_counters *c, double out[PERF_COUNTERS],
				  struct asc_err *e);

#endif
