/* Events in sets that are counted at the same time, a pass over the launches for each, and their
 * counts of one launch. What counts is a table of functions, so that tests need no machine. */
#ifndef ASCTUNE_PROBES_PERF_SETS_H
#define ASCTUNE_PROBES_PERF_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/perf_counter.h"
#include "tuner/base/err.h"

struct probe_launches;

enum { PERF_THREADS_MAX = 1024, PERF_REASON_SIZE = 120 };

struct perf_reading { /* figures of a counter since it was opened */
	uint64_t value;
	uint64_t enabled_ns, running_ns; /* running less than enabled: hardware was shared */
};

struct perf_usage { /* of this process, since it began */
	int64_t time_ns, cpu_ns, disk_faults, preemptions;
	int64_t threads_ns[PERF_THREADS_MAX];
};

struct perf_source {
	const char *devices; /* folder, as of perf_counter_parse() */
	/* Opens a counter of a thread and of those that it starts from now on, or (PERF_MACHINE) of
	 * the machine. `group` -1: stopped; else it counts while the counter `group` does, if both
	 * find hardware at the same time. -1 with errno set when there is none. */
	int (*open)(const struct perf_code *code, int thread, int group);
	void (*close)(int fd);
	bool (*enable)(int fd, bool on); /* with its group; false on failure, as read */
	bool (*read)(int fd, struct perf_reading *out);
	int (*paranoid)(void); /* value of /proc/sys/kernel/perf_event_paranoid; INT_MIN: unknown */
	bool (*is_virtual)(void); /* this machine is a virtual one */
	/* Lists the threads of this process, the caller's first; returns their number. */
	size_t (*threads)(int *ids, size_t most);
	/* `end` of a span: time_ns is taken first, else last. */
	void (*usage)(const int *threads, size_t n, bool end, struct perf_usage *out);
	/* Has threads that wait for launches sleep at once instead of looking out for a moment. */
	void (*sleep_at_once)(bool on);
};

struct perf_event {
	struct perf_code code;
	size_t set;                    /* that counts it, after perf_sets_divide() */
	double count;                  /* of one launch, after perf_sets_count() */
	char reason[PERF_REASON_SIZE]; /* why there is no count; "": there is one */
};

/* The caller owns the storage: zeroed but for the source, perf_sets_fini(). */
struct perf_sets {
	const struct perf_source *source;
	struct perf_event *events; /* heap */
	size_t n, room;
	struct perf_set {
		bool asleep; /* counted while waiting threads sleep at once */
	} * sets;            /* heap */
	size_t n_sets, sets_room;
	struct perf_member {
		size_t set, event;
	} * members; /* heap; an event may lead another set as well */
	size_t n_members, members_room;
	int64_t launches; /* that perf_sets_count() has made */
};

/* Checks that there is a PMU of the processors; `reason` says why there is none, of all hardware
 * events: a virtual machine has often none of any kind. */
bool perf_source_has_cpu(const struct perf_source *source, char *reason, size_t size);

/* Checks that a counter can be counted here at all; `reason` says why not. */
bool perf_source_can(const struct perf_source *source, const struct perf_counter *c, char *reason,
		     size_t size);

/* Adds an event unless it is there; *event is its place. */
enum asc_status perf_sets_add(struct perf_sets *s, const struct perf_code *code, size_t *event,
			      struct asc_err *e);

/* Puts the events into sets, each no larger than the counters that are free; events that cannot be
 * counted get their reason. */
enum asc_status perf_sets_divide(struct perf_sets *s, struct asc_err *e);

/* Counts all sets, n_sets passes; events get their counts, or the reason why there is none. An
 * error is one of the launches. */
enum asc_status perf_sets_count(struct perf_sets *s, const struct probe_launches *l,
				struct asc_err *e);
void perf_sets_fini(struct perf_sets *s);

#endif
