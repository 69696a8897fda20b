/* Verdicts of a database on two configurations of one problem, measured in the same rounds: an
 * answer of a library's table and its rival, which the library takes without the table. Inner part
 * of a reader's set.
 *
 * The caller owns the storage: `struct reader_verdicts v = {0}`, reader_verdicts_open(),
 * reader_verdicts_close(). */
#ifndef ASCTUNE_TABLES_READER_VERDICT_H
#define ASCTUNE_TABLES_READER_VERDICT_H

#include "reports/tables/dispatch.h"
#include "reports/tables/readers/reader.h"

struct export_request;

enum reader_outcome {
	READER_UNMEASURED, /* no rounds had both */
	READER_NO_GAIN,    /* the answer fails, or is not shown faster */
	READER_GAINS       /* the rival fails, or is shown slower by more than the margin */
};

struct reader_verdict {
	enum reader_outcome outcome;
	double part; /* answer's time as a part of the rival's; 0: unmeasured, or one of them fails
		      */
};

struct reader_question {        /* borrowed */
	const char *file, *key; /* that the library asks, and by which it asks */
	const char *layer; /* reader_result_print_layer() of the result that lends the problem */
	const struct best_row *of;    /* that result: rounds are of its device and caches */
	const struct dispatch *table; /* its table: rounds are of kernels that this has */
	const struct reader_config *answer, *rival; /* by the library's names */
};

struct reader_place { /* a row of a file that a result would be */
	size_t row;   /* of `results` */
	const char *file, *key, *layer;
};

struct reader_verdicts {
	struct db *db; /* NULL: nothing is known */
	const char *library;
	struct dispatch results; /* of all problems, those among them that were compared alone */
	struct reader_place *places;
	size_t n, room;
};

/* Reads the places of all results of a library's tables, for configurations that this version of
 * Triton compiled; none where the request is for simulated results, or has no database. */
enum asc_status reader_verdicts_open(struct reader_verdicts *v, const struct export_request *r,
				     const char *library, const char *triton, struct asc_err *e);
void reader_verdicts_close(struct reader_verdicts *v);

/* Finds the newest verdict on the two configurations of a question. */
enum asc_status reader_verdict_find(struct reader_verdicts *v, const struct reader_question *q,
				    struct reader_verdict *out, struct asc_err *e);

#endif
