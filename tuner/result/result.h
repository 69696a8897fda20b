/* The result of one configuration: status, times, errors, metrics. Owned by the caller:
 * result_init(), result_fini(). */
#ifndef ASCTUNE_RESULT_RESULT_H
#define ASCTUNE_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/stats.h"

struct buf;
struct json_node;
struct json_writer;

/* Statuses of a trial. id, name, meaning. Only `ok` can be best. */
#define RESULT_LIST(X)                                                                             \
	X(OK, "ok", "measured and verified")                                                       \
	X(PLANNED, "planned", "compiled and fits, not run")                                        \
	X(PRUNED, "pruned", "cannot run on this device")                                           \
	X(BUILD_FAILED, "build_failed", "the compiler refused it")                                 \
	X(LOAD_FAILED, "load_failed", "the artifact could not be loaded")                          \
	X(LAUNCH_FAILED, "launch_failed", "the device refused to start it")                        \
	X(CRASHED, "crashed", "it broke the process, or the device's context, that ran it")        \
	X(TIMEOUT, "timeout", "it ran past its time limit")                                        \
	X(WRONG, "wrong", "its output differs from the reference")                                 \
	X(IMPOSSIBLE, "impossible", "it takes less time than the least work on this device")       \
	X(SLOW, "slow", "dropped early, clearly slower than the best")                             \
	X(UNDECIDED, "undecided", "verified, its race was not decided")                            \
	X(UNSUPPORTED, "unsupported", "this device or build cannot do what it asks for")

enum result_status {
#define X(id, name, meaning) RESULT_##id,
	RESULT_LIST(X)
#undef X
		RESULT_STATUS_COUNT
};

const char *result_status_name(enum result_status s);
const char *result_status_meaning(enum result_status s);
bool result_status_parse(const char *name, enum result_status *out);

/* True for a status of a verified and timed configuration: ok, slow, undecided. */
bool result_status_timed(enum result_status s);

/* True for a failure: neither timed nor merely planned. */
bool result_status_failed(enum result_status s);

/* Phases of a trial, for its time and for the place of a failure. id, name */
#define PHASE_LIST(X)                                                                              \
	X(BUILD, "build")                                                                          \
	X(LOAD, "load")                                                                            \
	X(VERIFY, "verify")                                                                        \
	X(MEASURE, "measure")

enum phase {
#define X(id, name) PHASE_##id,
	PHASE_LIST(X)
#undef X
		PHASE_COUNT
};

const char *phase_name(enum phase p);
bool phase_parse(const char *name, enum phase *out);

/* Numbers that outputs were compared with. id, name, words */
#define VERIFIED_BY_LIST(X)                                                                        \
	X(NOT, "", "nothing")                                                                      \
	X(FLOAT64, "float64", "numbers in float64")                                                \
	X(RECORDED, "recorded", "recorded outputs")                                                \
	X(OWN, "own configuration", "the program's own configuration")                             \
	X(NOTHING_FINITE, "nothing finite", "a reference without a finite number")

enum verified_by {
#define X(id, name, words) VERIFIED_##id,
	VERIFIED_BY_LIST(X)
#undef X
};

const char *verified_by_name(enum verified_by v);
const char *verified_by_words(enum verified_by v);
bool verified_by_parse(const char *name, enum verified_by *out);

/* Bits that launches leave in the outputs. */
struct result_bits {
	char digest[48];   /* digest of the outputs on the first set of inputs; "": not known */
	int64_t compared;  /* launches behind the verification whose outputs were compared with its
			      own */
	int64_t varied;    /* those of them that left other bits, and were right */
	double varied_abs; /* largest |out - ref| of these and of the verified one */
	int64_t sets;      /* sets of inputs that it was verified on; 0: not known */
	int64_t places;    /* places that its tensors had in them; 0: not known */
	bool wrong;        /* one of them, or a launch on another set of inputs, was wrong, which
			      harms no other configuration */
};

/* Prints "the same in 812 launches, on 3 sets of inputs, at 9 places", or "vary in 3 of 812
 * launches, with errors of 4.8e-07 at most, ...". */
void result_bits_print(const struct result_bits *b, struct buf *out);

struct error_norms {
	bool known;
	double max_abs, mean_abs, max_rel; /* |out - ref|; relative to |ref| where that is not 0 */
	int64_t not_finite; /* elements that are NaN or infinite where the reference is finite */
	int64_t bad;        /* elements outside the tolerance */
};

/* One figure, or the reason why there is none. */
struct metric {
	char probe[24], name[40], unit[16];
	double value; /* NaN where there is a reason */
	int call;     /* of one kernel of a launch, counted from 1; 0: of the whole launch */
	char *reason; /* why there is no value; heap; NULL: there is one */
};

/* Note of a sample: marks in the low bits, above them the clock of the processor that took it, MHz
 * (0: unknown), above that a flag that is no mark. */
enum {
	RESULT_MARK_LOAD = 1,  /* something else ran in between */
	RESULT_MARK_CLOCK = 2, /* the clock was low, or was lowered */
	RESULT_MARK_HOT = 4,   /* it was lowered to keep cool: RESULT_MARK_CLOCK as well */
	RESULT_MARKS = 0xff,
	RESULT_MHZ_SHIFT = 8,
	RESULT_MHZ_MASK = 0xffff,
	RESULT_POWER_CAPPED = 1 << 24 /* the limit of power set the clock: a steady state */
};

/* Compilers' commands of one trial, each from its begin to its end (clock_now_ns()). */
enum { RESULT_MAX_BUILDS = 32 };
struct result_builds {
	struct {
		int64_t begin_ns, end_ns;
	} list[RESULT_MAX_BUILDS];
	size_t n;
};

/* A configuration that was measured in place of another: what runs of both is equal, and how it is
 * launched. */
struct result_same {
	char *as;      /* "IMPLEMENTATION NAME=VALUE,..."; heap; NULL: none was */
	size_t search; /* number of its search, and index there; SIZE_MAX: not known */
	uint64_t index;
};

struct result {
	enum result_status status;
	enum phase phase;        /* the last one entered */
	char *reason;            /* one line, or NULL */
	char *log;               /* output of the compiler or loader, or NULL */
	char artifact[33];       /* content key, "" when nothing was built */
	char digest[40];         /* digest of the artifact's bytes, "" when there are none */
	bool cached;             /* the artifact came from the cache */
	struct result_same same; /* whose samples, errors and metrics these are */
	enum verified_by verified_by;
	int64_t spent_ns[PHASE_COUNT];
	struct result_builds builds; /* what spent_ns[PHASE_BUILD] is the sum of */
	int64_t begin_ns; /* when a worker took the trial up (clock_now_ns()); 0: unknown */
	int64_t flush_ns; /* part of it for flushing caches, where launches do not queue behind that
			   */
	int64_t *samples; /* nanoseconds a launch, in the order taken; heap */
	int64_t *notes;   /* note of each sample; heap, NULL: none */
	size_t n_samples;
	int64_t launches_per_sample;
	int64_t order;   /* number of the first sample within its run, from 0; -1: unknown */
	int64_t retaken; /* marked samples that were dropped and taken again */
	struct stats_summary time; /* summary of the samples, ns: result_summarize() */
	struct error_norms errors;
	struct result_bits bits;
	struct metric *metrics; /* heap */
	size_t n_metrics;
};

/* True for a sample without marks; `notes` NULL: none has any. */
bool result_is_clean(const int64_t *notes, size_t i);

/* Copies the samples without marks to `out`, which has room for n; returns their number. */
size_t result_copy_clean(const int64_t *samples, const int64_t *notes, size_t n, int64_t *out);

void metrics_free(struct metric *list, size_t n);

/* Finds the place of a metric of the whole launch, by its name and, not NULL, its probe; n: there
 * is none. */
size_t metrics_find(const struct metric *list, size_t n, const char *probe, const char *name);

/* Time of a launch that a program sees without a captured graph: the host's time to ask for it
 * (metric host_ns of RESULT_KERNEL), where that is longer than the device's. 0: shorter, or not
 * known. */
double result_host_ns(const struct result *r, double device_ns);

/* Appends it in words: "the host takes 12.3 us to launch it, which a program sees unless it
 * captures a graph". */
void result_print_host(double host_ns, struct buf *out);

void result_init(struct result *r);
void result_fini(struct result *r);

/* *out is initialised, whatever comes of it. */
enum asc_status result_copy(const struct result *r, struct result *out, struct asc_err *e);

/* Adds the samples of another result of the same configuration behind those that `to` has, and
 * computes `time` again. */
enum asc_status result_add_samples(struct result *to, const struct result *from, struct asc_err *e);

/* Sets status and reason; for the short way out of a failed step. */
void result_set(struct result *r, enum result_status status, enum phase phase, const char *format,
		...) __attribute__((format(printf, 4, 5)));

/* struct metric.probe of what a device tells of a kernel itself: registers, shared memory. */
#define RESULT_KERNEL "kernel"

enum asc_status result_add_metric(struct result *r, const char *probe, const char *name,
				  double value, const char *unit, struct asc_err *e);

/* Adds a copy of a metric, with a reason of its own (copied; NULL: it has its value). */
enum asc_status result_add_reading(struct result *r, const struct metric *m, const char *reason,
				   struct asc_err *e);

/* Adds the reason why there is no such figure. */
enum asc_status result_add_missing(struct result *r, const char *probe, const char *name,
				   const char *unit, const char *reason, struct asc_err *e);

/* Write members of an open JSON object; read the same and recompute `time` from the samples. */
void result_write_json(const struct result *r, struct json_writer *w);
enum asc_status result_read_json(const struct json_node *object, struct result *out,
				 struct asc_err *e);

/* ASC_PROTOCOL for counts and times that no work of `passed_ns` comes to: a kernel has sent them.
 */
enum asc_status result_check_spent(const struct result *r, int64_t passed_ns, struct asc_err *e);

/* Computes `time` from the samples: from those without marks where they are at least half; its `n`
 * is of all. */
enum asc_status result_summarize(struct result *r, struct asc_err *e);

size_t result_marked(const struct result *r); /* number of marked samples */

int64_t result_note_mhz(int64_t note); /* 0: unknown */

/* Median clock of the samples, MHz; 0: unknown, or out of memory. `marks`, may be NULL: all flags
 * of the `n` notes. */
double result_clock_mhz(const int64_t *notes, size_t n, int64_t *marks);

/* One line for a log or a progress display: "wrong: 12 of 4096 elements of out ...". */
const char *result_reason(const struct result *r); /* the reason, or the status' meaning */

#endif
