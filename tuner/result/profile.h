/* The profile of one configuration: why a launch of it takes its time. Plain data that worker,
 * coordinator, database and reports hand on. The caller owns the storage: zeroed, profile_fini().
 *
 * Readings are metrics (result.h): the figures of one launch, each with its unit, or the reason why
 * there is none. */
#ifndef ASCTUNE_RESULT_PROFILE_H
#define ASCTUNE_RESULT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/result/result.h"

/* What limits a launch. id, name, meaning. Rules are tried in the order of
 * probes/metrics/rules.json. */
#define LABEL_LIST(X)                                                                              \
	X(LAUNCH, "launch", "it takes little longer than a launch that does nothing")              \
	X(SPILLS, "spills", "registers that do not fit are stored to memory and loaded again")     \
	X(PAGING, "paging", "pages of memory are made while it runs")                              \
	X(IMBALANCE, "imbalance", "some processors wait for others")                               \
	X(TENSOR, "tensor", "the tensor units are busy")                                           \
	X(ARITHMETIC, "arithmetic", "the units of arithmetic are busy")                            \
	X(MEMORY, "memory", "the device's memory gives no more")                                   \
	X(CACHE, "cache", "a cache gives no more")                                                 \
	X(SHARED, "shared", "shared memory gives no more")                                         \
	X(OCCUPANCY, "occupancy", "too few threads run at a time to hide waiting")                 \
	X(SCALAR, "scalar", "its loops compute one number at a time")                              \
	X(LATENCY, "latency", "each step waits for the one before")                                \
	X(UNKNOWN, "unknown", "nothing that was looked at explains it")

enum label {
#define X(id, name, meaning) LABEL_##id,
	LABEL_LIST(X)
#undef X
		LABEL_COUNT
};

const char *label_name(enum label l);
const char *label_meaning(enum label l);
bool label_parse(const char *name, enum label *out);

/* What a label rests on. id, name */
#define LABEL_BASIS_LIST(X)                                                                        \
	X(TIME, "time")         /* times, bytes, FLOPs, code, grid and experiments */              \
	X(COUNTERS, "counters") /* counters of the hardware */                                     \
	X(BOTH, "both")

enum label_basis {
#define X(id, name) LABEL_BASIS_##id,
	LABEL_BASIS_LIST(X)
#undef X
		LABEL_BASIS_COUNT
};

const char *label_basis_name(enum label_basis b);
bool label_basis_parse(const char *name, enum label_basis *out);

/* Where a reading comes from that no probe counts, in the place of one: times in several states,
 * the problem, the device, machine code, a formula over other figures; its grid is of
 * RESULT_KERNEL. */
#define PROFILE_TIMES   "launch"
#define PROFILE_PROBLEM "problem"
#define PROFILE_DEVICE  "device"
#define PROFILE_CODE    "code"
#define PROFILE_FORMULA "formula"

struct profile {
	enum label label;
	enum label_basis basis;
	char *sentence;   /* one line with the figures that decide; heap; NULL: none was found */
	double left;      /* time now / least time that the limit allows; 0: not known */
	char set[24];     /* set of metrics that was counted; "": none */
	char cache[16];   /* what counted launches found in the caches: "flushed", "hot"; "": none
			     were counted */
	double clock_mhz; /* clock of the counted launches; 0: not known */
	int64_t passes;   /* passes over the launch in which all was counted; 0: none */
	int64_t launches; /* launches of this profile, all together */
	int64_t spent_ns; /* time that counting took */
	char *failure; /* why counting ended early: "crashed in pass 3 of 7"; heap; NULL: it did not
			*/
	struct metric *readings; /* heap */
	size_t n_readings;
};

void profile_fini(struct profile *p);

/* Finds a reading of the whole launch; NULL: there is none of that name. */
const struct metric *profile_find(const struct profile *p, const char *name);

/* The value of such a reading; NaN: there is none. */
double profile_value(const struct profile *p, const char *name);

#endif
