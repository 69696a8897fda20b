/* Dispatch tables: which configuration of which implementation serves which sizes and types of an
 * operator on a device. A table is plain data between the database and the exporters.
 *
 * The caller owns the storage: `struct dispatch t = {0}`, dispatch_add() for each result, then
 * dispatch_add_rules(), then dispatch_fini(). Rows own copies of their texts, which live as long as
 * the table. A result that makes no rule stays as a row that says why. */
#ifndef ASCTUNE_TABLES_DISPATCH_H
#define ASCTUNE_TABLES_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/tables/lookup/rule.h"
#include "tuner/base/err.h"

struct json_node;

struct dispatch_row {
	struct best_row result;
	bool simulated; /* imported or simulated, not measured */
	bool foreign;   /* measured on another kernel than the library's */
	bool called;    /* a Python function: the library's own call of its index */

	const char *op;                         /* operator, as the library calls it */
	struct rule_size sizes[RULE_MAX_SIZES]; /* by name, of one value each */
	size_t n_sizes;
	bool of_shape[RULE_MAX_SIZES]; /* of each: a size of tensors, which a range may extend */
	bool truth[RULE_MAX_SIZES];    /* of each: a truth value */
	size_t axes[RULE_MAX_SIZES];   /* of each: its number by the workload's names */
	const char *no_size; /* a dimension that is a real, by which no rule can ask; NULL: none */
	struct asctune_type types[RULE_MAX_TYPES]; /* by name */
	size_t n_types;

	/* The library's default in the same rounds: the baseline implementation or, of a workload
	 * without one, the default configuration. */
	const char *rival;   /* name of the implementation; NULL: not measured */
	double rival_ns;     /* 0: not measured */
	int64_t rival_index; /* -1: unknown */
	int64_t own_default; /* index that the library takes by itself; -1: the rival's */

	const char *best_key; /* key of the best configuration, if dispatch_cover() has replaced it;
				 else NULL */
	size_t cover;         /* number of the row's cover, from 1 on; 0: none */
	size_t place;         /* number of the row's problem in the cover, from 0 on */
	double loss;          /* against the best, as a fraction */
	bool compared;        /* the result is of rounds with the library's default */
	size_t rule;          /* number of its rule in a table with covers, from 1 on; 0: none */
	const char *left_out; /* why it makes no rule; NULL: it makes one */
	bool said;            /* the reason is worth saying */
	bool not_asked;       /* it is of another problem or device than was asked for */
	bool slower;          /* the reason is that the library's default is faster */
	const char *file;     /* file of a reader that the row went into; NULL: none */
	const struct json_node *told; /* what that reader's library tells of it; NULL: nothing */
};

struct cover;

struct dispatch_cover { /* of one kernel: an implementation on one device with the same types */
	size_t row;     /* one of its rows */
	size_t n_problems, n_configs;
	double loss, worst_loss; /* parts of one: geometric mean, greatest */
	struct cover *choice;    /* what serves which sizes; owned */
	int64_t *sizes;          /* of its problems, n_axes each; owned */
	size_t n_axes;
};

struct dispatch {
	bool simulated; /* its rows are, all of them */
	struct dispatch_row *rows;
	size_t n_rows, rows_room;
	struct rule *rules; /* in the order of their rows */
	size_t n_rules, rules_room;
	struct dispatch_cover *covers; /* in the order of their first rows */
	size_t n_covers, covers_room;
	struct dispatch *holes; /* rows of problems on which nothing passed: no range of a cover
				   extends over them; owned; NULL: none */
	char **texts;
	size_t n_texts, texts_room;
};

struct dispatch_terms {       /* borrowed during the call */
	const char *library;  /* library whose names a workload's "export" has; NULL: the workload's
				 own names */
	const char *problem;  /* rules of this problem only, or of this ladder's, NAME or
				 WORKLOAD/NAME; NULL: all */
	bool foreign_kernels; /* rows of other kernels than the library's make rules, too */
	bool indices;         /* only rows with an implementation_index make rules */
	bool own_kernel; /* the library runs the kernel itself: what it takes without a table is the
			    kernel's default configuration, not the baseline */
};

enum asc_status dispatch_add(struct dispatch *t, const struct best_row *result, bool simulated,
			     struct asc_err *e);

enum dispatch_source {
	DISPATCH_BEST,            /* the best of each problem */
	DISPATCH_IMPLEMENTATIONS, /* the best of each problem and implementation */
	DISPATCH_COMPARED,        /* and what was compared for tables at other sizes */
	DISPATCH_SIMULATED        /* the best of each problem and implementation of imported and
				     simulated results */
};

enum asc_status dispatch_read(struct dispatch *t, struct db *d, enum dispatch_source source,
			      struct asc_err *e);

/* Leaves out all rows but those of this problem, or of this ladder; NULL: leaves out none. */
void dispatch_limit(struct dispatch *t, const char *problem);

/* Covers each kernel of the rows: the fewest configurations whose loss is at most `loss`
 * (0.05: 5 %) serve all its problems, and take the places of the best ones in the rows. The
 * configuration of a row was measured on the row's problem, and is not slower there than the
 * library's default. Rows that are left out take no part. */
enum asc_status dispatch_cover(struct dispatch *t, struct db *d, double loss, struct asc_err *e);

struct dispatch_need { /* a configuration to be measured on a row's problem */
	size_t row;
	const char *config_key; /* text of the table */
};

struct dispatch_plan {
	double loss;    /* as for dispatch_cover() */
	int64_t since;  /* measurements of earlier runs are repeated; 0: all count */
	bool rounds;    /* measurements without rounds beside the library's default are, too */
	bool estimates; /* a choice may give a problem a configuration that was not tried there, by
			   its times on other problems */
	/* True for a cell that was measured for an earlier plan: it is not asked for again. */
	bool (*is_tried)(const void *user, const struct dispatch_row *row, const char *config_key);
	const void *user;
};

/* Finds what has to be measured before a cover is chosen: a heap array of *n needs, in the order of
 * kernels; none if all was measured. */
enum asc_status dispatch_plan_cover(struct dispatch *t, struct db *d, const struct dispatch_plan *p,
				    struct dispatch_need **out, size_t *n, struct asc_err *e);

/* Prints a note on each kernel of several problems that is covered. */
void dispatch_note_covers(const struct dispatch *t);

/* Makes a rule of each row that the terms do not leave out, and checks that no two overlap
 * (ASC_INPUT, with the problems of both). Of several results of one problem, device model and
 * implementation one makes a rule: a cold cache before a hot one, then the newest.
 *
 * In a table with covers, rules have ranges of tensors' sizes, so that sizes between those of the
 * rows are served, too. Rules of one configuration whose ranges lie side by side are joined, unless
 * another implementation serves the same sizes. */
enum asc_status dispatch_add_rules(struct dispatch *t, const struct dispatch_terms *terms,
				   struct asc_err *e);

/* Finds the next row of a rule, in their order; SIZE_MAX: `row` is the last. */
size_t dispatch_next_row(const struct dispatch *t, const struct rule *rule, size_t row);

void dispatch_fini(struct dispatch *t);

#endif
