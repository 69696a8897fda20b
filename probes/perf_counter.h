/* Counters by their texts, written as perf(1) writes them: what perf_event_open(2) takes for each.
 * PMUs and their events are looked up in the kernel's description of them, a folder like
 * /sys/bus/event_source/devices; nothing is opened.
 *
 *   COUNTER  TERM + TERM ...           the sum
 *   TERM     EVENT, or FACTOR*EVENT    64*cpu/event=0x44,umask=0x48/, -1*instructions
 *   EVENT    cpu-cycles                generic events of the hardware: instructions, cache-misses,
 *                                      branch-misses, stalled-cycles-backend, ...
 *            L1-dcache-load-misses     the same of a cache: L1-dcache, L1-icache, LLC, dTLB, iTLB,
 *                                      branch, node; loads, stores, prefetches, ..-misses
 *            sw:cpu-migrations         events of the kernel
 *            process:disk-faults       what the kernel knows of a process without a counter
 *            PMU/NAME/                 an event that the PMU's folder names
 *            PMU/event=0xc0,umask=1/   one by the fields of the PMU's format
 *
 * PMU `cpu` is the one of the processors, whatever its folder is called; a PMU that is there
 * several times (uncore_imc_0, uncore_imc_1) is counted on each. */
#ifndef ASCTUNE_PROBES_PERF_COUNTER_H
#define ASCTUNE_PROBES_PERF_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

#define PERF_DEVICES "/sys/bus/event_source/devices"

/* Figures of a process, which no counter counts. id, name */
#define PERF_PROCESS_LIST(X)                                                                       \
	X(TIME, "time")               /* ns that passed */                                         \
	X(CPU_TIME, "cpu-time")       /* ns on processors, all threads together */                 \
	X(BUSIEST, "busiest-thread")  /* ns on processors of the thread that was longest there */  \
	X(DISK_FAULTS, "disk-faults") /* pages that were read from a disk */                       \
	X(PREEMPTIONS, "preemptions") /* times that a thread had to let another one run */

enum perf_process {
#define X(id, name) PERF_PROCESS_##id,
	PERF_PROCESS_LIST(X)
#undef X
		PERF_PROCESS_COUNT
};

enum perf_kind {
	PERF_PROCESS,  /* config: enum perf_process */
	PERF_SOFTWARE, /* of the kernel, or of a PMU that needs no counter; counted for threads */
	PERF_CORE,     /* of the processors, counted for threads */
	PERF_MACHINE   /* of the whole machine, counted on a processor for all of them */
};

/* One event, as perf_event_open(2) takes it. */
struct perf_code {
	enum perf_kind kind;
	uint32_t type;
	uint64_t config, config1, config2;
	int cpu; /* of PERF_MACHINE: where it is opened; -1 for all others */
};

struct perf_term {
	struct perf_code code;
	double factor; /* of a count, in the unit of its metric: bytes of MiB */
};

/* The caller owns the storage: zeroed, perf_counter_fini(). */
struct perf_counter {
	struct perf_term *terms; /* heap */
	size_t n;
};

/* Parses a text. ASC_INPUT: no such text; ASC_ABSENT, with the reason: this machine has no such
 * PMU, event or field. */
enum asc_status perf_counter_parse(const char *text, const char *devices, struct perf_counter *out,
				   struct asc_err *e);
void perf_counter_fini(struct perf_counter *c);

bool perf_code_is_same(const struct perf_code *a, const struct perf_code *b);

#endif
