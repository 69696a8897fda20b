/* Counters of the kernel's perf events: which there are, which can be opened here, and what they
 * counted. Where they come from is a table of functions, so that tests count without a machine. */
#ifndef ASCTUNE_PROBES_PERF_COUNTERS_H
#define ASCTUNE_PROBES_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

enum { PERF_COUNTERS = 8 };

/* Named and described in the order of counters, ended by a NULL name. */
extern const struct probe_metric perf_metrics[PERF_COUNTERS + 1];

struct perf_reading { /* since the counter was opened */
	uint64_t value;
	uint64_t enabled_ns, running_ns; /* less running than enabled: it shared the hardware */
};

struct perf_source {
	/* A counter of this thread and the threads that it starts from now on, not yet counting;
	 * `type` and `config` as in perf_event_open(2). -1 with errno set when there is none. */
	int (*open)(uint32_t type, uint64_t config, bool user_only);
	void (*close)(int fd);
	bool (*enable)(int fd, bool on); /* false: failed, as is the next */
	bool (*read)(int fd, struct perf_reading *out);
	int (*paranoid)(void); /* /proc/sys/kernel/perf_event_paranoid; INT_MIN: not known */
};

struct perf_counters {
	const struct perf_source *source;
	int fd[PERF_COUNTERS]; /* -1: not there */
	struct perf_reading before[PERF_COUNTERS];
};

/* Opens what can be opened; how many are open. */
size_t perf_counters_open(struct perf_counters *c, const struct perf_source *source);
void perf_counters_close(struct perf_counters *c);

/* Whether metric `i` can be counted here; if not, `reason` says why in words. */
bool perf_counters_check(const struct perf_source *source, size_t i, char *reason, size_t size);

/* Not while time is being taken: each costs system calls that interrupt other processors. */
enum asc_status perf_counters_begin(struct perf_counters *c, struct asc_err *e);

/* Counted since begin. A counter that had the hardware for a part of the time is scaled up to the
 * whole; NaN for one that is not there or never had it. */
enum asc_status perf_counters_end(struct perf_counters *c, double out[PERF_COUNTERS],
				  struct asc_err *e);

#endif
