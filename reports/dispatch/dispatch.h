/* Dispatch tables: which configuration of which implementation serves which sizes and types of an
 * operator on a device, as plain data between the database and those who write it.
 *
 * The caller owns the storage: `struct dispatch t = {0}`, dispatch_add() for each result, then
 * dispatch_add_rules(), then dispatch_fini(). Rows own copies of their texts, which live as long as
 * the table. A result that makes no rule stays as a row that says why. */
#ifndef ASCTUNE_REPORTS_DISPATCH_DISPATCH_H
#define ASCTUNE_REPORTS_DISPATCH_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"

enum { DISPATCH_MAX_SIZES = 16, DISPATCH_MAX_TYPES = 16 };

struct dispatch_size { /* a closed range of an axis; low == high: one value */
	const char *name;
	int64_t low, high;
};

struct dispatch_type {
	const char *name, *type;
};

struct dispatch_row {
	struct db_best result;
	bool simulated; /* imported or simulated, not measured */
	bool foreign;   /* measured on another kernel than the library's */

	const char *op;                                 /* operator, as the library calls it */
	struct dispatch_size sizes[DISPATCH_MAX_SIZES]; /* by name */
	size_t n_sizes;
	const char *no_size; /* a dimension that is none, a real; NULL: all are, or those are by
				which the library asks */
	struct dispatch_type types[DISPATCH_MAX_TYPES]; /* by name */
	size_t n_types;

	/* The library's default in the same rounds: the baseline implementation or, of a workload
	 * without one, the default configuration. */
	const char *rival;   /* name of the implementation; NULL: not measured */
	double rival_ns;     /* 0: not measured */
	int64_t rival_index; /* -1: unknown */
	int64_t own_default; /* index that the library takes by itself; -1: the rival's */

	const char *best_key; /* configuration of the best, whose place the result's takes
				 (dispatch_cover); NULL: none */
	const char *left_out; /* why it makes no rule; NULL: it makes one */
	bool said;            /* the reason is worth saying */
};

struct dispatch_rule { /* ranges of axes -> row; an axis without a range may have any value */
	size_t row;
	struct dispatch_size sizes[DISPATCH_MAX_SIZES];
	size_t n_sizes;
};

struct dispatch {
	struct dispatch_row *rows;
	size_t n_rows, rows_room;
	struct dispatch_rule *rules; /* in the order of their rows */
	size_t n_rules, rules_room;
	char **texts;
	size_t n_texts, texts_room;
};

struct dispatch_terms {       /* borrowed during the call */
	const char *library;  /* library whose names a workload's "export" has; NULL: the workload's
				 own names */
	const char *problem;  /* rules of this problem only, or of this ladder's; NULL: all */
	bool foreign_kernels; /* rows of other kernels than the library's make rules, too */
	bool indices;         /* only rows with an implementation_index make rules */
};

enum asc_status dispatch_add(struct dispatch *t, const struct db_best *result, bool simulated,
			     struct asc_err *e);

enum dispatch_source {
	DISPATCH_BEST,            /* the best of each problem */
	DISPATCH_IMPLEMENTATIONS, /* the best of each problem and implementation */
	DISPATCH_SIMULATED        /* the same of imported and simulated results */
};

enum asc_status dispatch_read(struct dispatch *t, struct db *d, enum dispatch_source source,
			      struct asc_err *e);

/* Has few configurations serve the problems of each kernel: the fewest whose loss is no larger
 * (0.05: 5 %) take the places of the best ones in the rows of measured results. Each row's was
 * measured on the row's problem, and is not slower there than the library's default. */
enum asc_status dispatch_cover(struct dispatch *t, struct db *d, double loss, struct asc_err *e);

/* Makes a rule of each row that the terms do not leave out, and checks that none overlap. Of
 * results of one problem, device model and implementation one makes a rule: with cold caches before
 * hot ones, then the newest. */
enum asc_status dispatch_add_rules(struct dispatch *t, const struct dispatch_terms *terms,
				   struct asc_err *e);

/* ASC_INPUT, with the problems of both and the advice, where two rules overlap: same operator,
 * device, types and index (without one: implementation), and sizes that both serve. */
enum asc_status dispatch_check_overlap(const struct dispatch *t, const char *advice,
				       struct asc_err *e);

void dispatch_fini(struct dispatch *t);

/* True where all types of a row are the same, which makes them one type, whatever their names;
 * false where it has none. */
bool dispatch_is_uniform(const struct dispatch_row *row);

/* Prints the sizes of a rule or a row for a message: "M=1..64, N=4096". */
void dispatch_print_sizes(const struct dispatch_size *sizes, size_t n, char *text, size_t size);

#endif
