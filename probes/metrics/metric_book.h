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
 * has. Formulas and conditions are expressions of workloads (workload/expr) over names of figures:
 * metrics, and what is known without a probe (figures.h). A set lists metrics and other sets.
 *
 * A heap object that owns its texts; what is taken from it is borrowed. */
#ifndef ASCTUNE_PROBES_METRICS_METRIC_BOOK_H
#define ASCTUNE_PROBES_METRICS_METRIC_BOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/result/profile.h"

struct expr_tree;

/* How a metric of a launch comes from those of its kernels. id, name */
#define METRIC_KERNELS_LIST(X)                                                                     \
	X(SUM, "sum")   /* added: bytes, instructions */                                           \
	X(TIME, "time") /* the mean, weighted by the kernels' times: shares, ratios */             \
	X(MOST, "most") /* the largest */

enum metric_kernels {
#define X(id, name) METRIC_KERNELS_##id,
	METRIC_KERNELS_LIST(X)
#undef X
};

struct metric_family {
	const char *chips;           /* a pattern */
	const char *const *counters; /* NULL-terminated, in order of preference */
};

struct metric_def {
	const char *name, *unit, *meaning;
	const char *probe; /* whose counters; "": a formula over any figures */
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

/* A text with figures in it: "{EXPRESSION:HOW}", HOW a unit, which scales the figure ("B/s": "4.06
 * TB/s"), "%" for a part as percent, "x" for a ratio, or "" for a bare number. */
struct metric_rule {
	enum label label;
	const char *const *devices; /* NULL-terminated */
	const char *condition, *sentence;
	const char *left; /* expression, see struct profile; NULL: not known */
};

struct metric_book;

/* Opens the embedded book, and then the user's files (NULL, or NULL-terminated): a metric or set of
 * theirs replaces one of the same name, their rules come first. ASC_INPUT, with file and path, for
 * unknown names, a formula that does not parse, a cycle of formulas or sets. */
enum asc_status metric_book_open(const char *const *files, struct metric_book **out,
				 struct asc_err *e);

/* The same of texts: names[i] is what messages call texts[i]. */
enum asc_status metric_book_open_texts(const char *const *names, const char *const *texts, size_t n,
				       struct metric_book **out, struct asc_err *e);
void metric_book_free(struct metric_book *b);

const struct metric_def *metric_book_metric(const struct metric_book *b, size_t i); /* NULL: the end */
const struct metric_set *metric_book_set(const struct metric_book *b, size_t i);    /* NULL: the end */
const struct metric_rule *metric_book_rule(const struct metric_book *b, size_t i);  /* NULL: the end */

/* Finds by name. ASC_USAGE, with "did you mean", where there is none. */
enum asc_status metric_book_find(const struct metric_book *b, const char *name,
				 const struct metric_def **out, struct asc_err *e);
enum asc_status metric_book_find_set(const struct metric_book *b, const char *name,
				     const struct metric_set **out, struct asc_err *e);

/* Chooses the counter of a metric on a chip: the first of its family that the chip has. NULL: it
 * has none of them. */
const char *metric_counter(const struct metric_def *m, const char *chip,
			   bool (*has)(void *user, const char *counter), void *user);

#endif
