/* The book of metrics: which figures of a launch there are, from which counters or by which formula
 * each comes, and the rules that name what limits a launch. Texts in JSON under probes/metrics,
 * embedded; a user's file adds to them.
 *
 *   {"metrics": [
 *      {"name": "dram_read_bytes", "unit": "B", "meaning": "read from DRAM", "probe": "cupti",
 *       "kernels": "sum", "counters": {"GB20*": ["dram__bytes_op_read.sum"],
 *                                      "*": ["dram__bytes_read.sum"]}},
 *      {"name": "dram_rate", "unit": "B/s", "meaning": "...",
 *       "formula": "dram_bytes / kernel_ns * 1e9"}],
 *    "sets": {"levels": ["dram_bytes", ...], "default": ["levels", ...]},
 *    "rules": [
 *      {"label": "memory", "devices": ["cuda"], "if": "dram_rate >= 0.75 * peak_dram",
 *       "left": "peak_dram / dram_rate",
 *       "sentence": "{dram_rate / peak_dram:%} of the {peak_dram:B/s} that this GPU moves"}]}
 *
 * A metric has either counters or a formula. Counters stand by family of chips, a pattern of
 * fnmatch(3): the first family that matches counts, and of its counters the first that the chip
 * has. A name may have counters of several probes, and several formulas: the last whose names are
 * all known counts, and none where a probe has told the metric. "software" marks what no counter of
 * the hardware tells. Formulas and conditions are expressions of workloads (workload/expr) over
 * names of figures: metrics, and figures that come without a counter (FIGURE_LIST). A set lists
 * metrics and other sets. "{EXPRESSION:HOW}" in a sentence is a figure; HOW is its unit ("B/s":
 * "4.06 TB/s", "ns": "1.2 us"), "%" for a part as percent, "x" for a ratio, or "" for a bare
 * number.
 *
 * A heap object that owns its texts; what is taken from it is borrowed. */
#ifndef ASCTUNE_PROBES_METRICS_METRIC_BOOK_H
#define ASCTUNE_PROBES_METRICS_METRIC_BOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/result/profile.h"

/* Texts that are part of the program: metrics by their probe, and the rules. id, file */
#define METRIC_TEXT_LIST(X)                                                                        \
	X(cuda, "probes/metrics/cuda.json")                                                        \
	X(perf_generic, "probes/metrics/perf_generic.json")                                        \
	X(perf_zen, "probes/metrics/perf_zen.json")                                                \
	X(perf_intel, "probes/metrics/perf_intel.json")                                            \
	X(perf_neoverse, "probes/metrics/perf_neoverse.json")                                      \
	X(rules, "probes/metrics/rules.json")

#define X(id, file) extern const char metrics_##id[];
METRIC_TEXT_LIST(X)
#undef X

/* What a figure without a counter says of its launch. */
enum figure_kind {
	FIGURE_GIVEN, /* the same for every launch of the problem on the device */
	FIGURE_TIMED, /* found out by launches, without a counter */
	FIGURE_CODE   /* read from the launch's grid or its machine code */
};

/* Figures that come without a counter. name, unit, kind, meaning. Further ones are named code_CLASS
 * and loop_CLASS (FIGURE_CODE): instructions of a class in the whole code and in its innermost
 * loops. */
#define FIGURE_LIST(X)                                                                             \
	X(time_ns, "ns", TIMED, "of a launch, with caches as the policy of the run has them")      \
	X(hot_ns, "ns", TIMED, "of a launch behind another one, with hot caches")                  \
	X(cold_ns, "ns", TIMED, "of a launch with cold caches")                                    \
	X(disturbed, "1", GIVEN, "part of these launches that other work disturbed")               \
	X(half_ns, "ns", TIMED, "as time_ns, with half the occupancy, or half the threads")        \
	X(busy_threads, "1", TIMED, "processors that work during a launch, on average")            \
	X(working_threads, "1", TIMED, "the same, and threads that wait for a processor")          \
	X(faults, "1", TIMED, "pages of a launch that were not present")                           \
	X(switches, "1", TIMED, "times in a launch that a thread left its processor")              \
	X(need_bytes, "B", GIVEN, "that the problem has to move, as its workload says")            \
	X(need_flops, "FLOP", GIVEN, "of the problem, as its workload says")                       \
	X(empty_ns, "ns", GIVEN, "of a launch that does nothing")                                  \
	X(peak_dram, "B/s", GIVEN, "the most that the device's memory was measured to move")       \
	X(peak_thread, "B/s", GIVEN, "the same, by one thread of a CPU")                           \
	X(peak_l2, "B/s", GIVEN, "the same of its L2 cache, of a CPU its last level")              \
	X(peak_l1, "B/s", GIVEN, "the same of all L1 caches")                                      \
	X(peak_shared, "B/s", GIVEN, "the same of all shared memory")                              \
	X(peak_flops, "FLOP/s", GIVEN,                                                             \
	  "the most of the units of arithmetic, in the problem's type")                            \
	X(peak_tensor, "FLOP/s", GIVEN, "the most of the tensor units, in that type")              \
	X(multiprocessors, "1", GIVEN, "of the device; processors of a CPU")                       \
	X(cache_bytes, "B", GIVEN, "of the device's last level of cache")                          \
	X(threads, "1", CODE, "of a CPU's launch")                                                 \
	X(blocks, "1", CODE, "of the grid, of all kernels of a launch")                            \
	X(block_threads, "1", CODE, "of a block, the most of any kernel")                          \
	X(blocks_at_once, "1", CODE,                                                               \
	  "that a multiprocessor holds, by registers, threads and shared memory")                  \
	X(warps_at_once, "1", CODE, "that those blocks have")                                      \
	X(warps_most, "1", GIVEN, "that a multiprocessor holds at most")                           \
	X(kernels, "1", CODE, "of a launch")

/* Unit of a figure of this list; NULL: it is none. */
const char *figure_unit(const char *name);

struct metric_family {
	const char *chips;           /* a pattern */
	const char *const *counters; /* NULL-terminated, in order of preference */
};

/* How a metric of a launch comes from those of its kernels. id, name */
#define METRIC_KERNELS_LIST(X)                                                                     \
	X(SUM, "sum")   /* added: bytes, instructions */                                           \
	X(TIME, "time") /* the mean, weighted by the kernels' times: shares, ratios */             \
	X(MOST, "most") /* the largest */                                                          \
	X(LEAST, "least")

enum metric_kernels {
#define X(id, name) METRIC_KERNELS_##id,
	METRIC_KERNELS_LIST(X)
#undef X
		METRIC_KERNELS_COUNT
};

struct metric_def {
	const char *name, *unit, *meaning;
	const char *probe; /* whose counters; "": a formula over any figures */
	bool software;     /* no counter of the hardware */
	enum metric_kernels kernels;
	const struct metric_family *families; /* in order */
	size_t n_families;
	const char *formula; /* NULL: by counters */
};

struct metric_set {
	const char *name;
	const struct metric_def *const *metrics; /* NULL-terminated; sets in it are resolved, each
						    metric once */
};

struct metric_rule {
	enum label label;
	const char *const *devices; /* NULL-terminated kinds */
	const char *condition, *sentence;
	const char *left; /* expression, see struct profile; NULL: not known */
};

struct metric_book;

struct metric_text {
	const char *name, *text; /* what messages call it; JSON */
};

/* Opens the embedded texts, and behind them n others. A metric whose probe and name are there
 * already gets the families of the later text before its own; a set its members as well; later
 * rules come first. ASC_INPUT, with text and path, for unknown names, a formula that does not
 * parse, a cycle of formulas or sets. */
enum asc_status metric_book_open(const struct metric_text *more, size_t n, struct metric_book **out,
				 struct asc_err *e);

/* The same of these texts alone. */
enum asc_status metric_book_open_texts(const struct metric_text *texts, size_t n,
				       struct metric_book **out, struct asc_err *e);
void metric_book_free(struct metric_book *b);

/* NULL: the end. */
const struct metric_def *metric_book_metric(const struct metric_book *b, size_t i);
const struct metric_set *metric_book_set(const struct metric_book *b, size_t i);

/* Finds a metric by its name and, not NULL, its probe; NULL: there is none. */
const struct metric_def *metric_book_find(const struct metric_book *b, const char *probe,
					  const char *name);

/* Finds a set. ASC_USAGE, with "did you mean", where there is none. */
enum asc_status metric_book_find_set(const struct metric_book *b, const char *name,
				     const struct metric_set **out, struct asc_err *e);

/* Chooses the counter of a metric on a chip: the first of its family that the chip has (`has` NULL:
 * it is taken to have all). NULL: it has none of them. */
const char *metric_counter(const struct metric_def *m, const char *chip,
			   bool (*has)(void *user, const char *counter), void *user);

#endif
