/* A prepared statement in use: parameters set by name, columns taken one after another.
 *
 * Statements are prepared once per connection and kept; `sql` is a text of db/sql.h, or another
 * that lives as long as the program. Each parameter is set once before the first step: a wrong or
 * missing name is an assertion. Failures are sticky until statement_step() or statement_run()
 * reports them, so preparing and setting need no checks. Texts and bytes that are set are borrowed
 * until the statement's end, taken ones until the next step. One use of a statement at a time. */
#ifndef ASCTUNE_DB_STATEMENT_H
#define ASCTUNE_DB_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct result_bits;

struct db;
struct sqlite3_stmt;

struct statement {
	struct db *db;
	struct sqlite3_stmt *stmt; /* NULL when it could not be prepared */
	int bound, taken;          /* parameters that are set, columns that are taken */
	int n_parameters;
	const char **parameters; /* names in their order; NULL: SQLite is asked for them */
	int code;                /* the first failure */
	int64_t work;            /* as in struct db, so far */
};

void statement_begin(struct statement *s, struct db *d, const char *sql);

/* Drops all that are kept: when the schema changes SQLite makes them anew, with other names of
 * their parameters. */
void statement_forget(struct db *d);

/* Set the parameter `name`, a constant written as in the SQL: ":run_id". */
void statement_set_int(struct statement *s, const char *name, int64_t i);
void statement_set_real(struct statement *s, const char *name, double r);         /* NaN: NULL */
void statement_set_text(struct statement *s, const char *name, const char *text); /* NULL: NULL */
void statement_set_chars(struct statement *s, const char *name, const char *text, size_t n);
void statement_set_blob(struct statement *s, const char *name, const void *data, size_t bytes);
void statement_set_null(struct statement *s, const char *name);

/* Steps; *row: there is a row to take columns from. */
enum asc_status statement_step(struct statement *s, bool *row, struct asc_err *e);

/* Steps in a loop over all rows whose body sets *status, ASC_OK at first: ends the statement and is
 * false after the last row and after a failure. */
bool statement_next(struct statement *s, enum asc_status *status, struct asc_err *e);

int64_t statement_take_int(struct statement *s); /* NULL is 0 */
double statement_take_real(struct statement *s); /* NULL is NaN */
const char *statement_take_text(struct statement *s);
void statement_take_texts(struct statement *s, const char **const *members); /* NULL ends them */
const void *statement_take_blob(struct statement *s, size_t *bytes);
bool statement_next_is_null(const struct statement *s); /* column of the next take */

void statement_end(struct statement *s);

/* Begins a statement whose text is temporary: the statement is dropped instead of kept. An empty
 * text is a statement that is never run. */
void statement_prepare(struct statement *s, struct db *d, const char *sql);
void statement_drop(struct statement *s);

/* Runs the statement to its end and drops its rows. */
enum asc_status statement_run(struct statement *s, struct asc_err *e);

/* Takes the first column of the first row, if there is one, and ends the statement. */
enum asc_status statement_run_int(struct statement *s, int64_t *out, bool *found,
				  struct asc_err *e);

/* Takes six columns: digest of bits, launches compared and varied, largest error of these, sets of
 * inputs, places of tensors. */
void statement_take_bits(struct statement *s, struct result_bits *out);

#endif
