/* `asctune run --table`: proof of a library's table, each answer measured beside what the library
 * takes without the table. */
#ifndef ASCTUNE_CMD_RUN_RUN_PROOF_H
#define ASCTUNE_CMD_RUN_RUN_PROOF_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct run_given;
struct workload;

/* Refuses a reader, LIBRARY or LIBRARY:OPERATOR, that is none, or that the workload's "export" does
 * not name. *library gets its library; borrowed. */
enum asc_status run_proof_check(const char *reader, const struct workload *w, const char **library,
				struct asc_err *e);

/* Refuses problems of the command that one file cannot hold, and warns of those, and of
 * implementations, that are one row: before anything is tuned. */
enum asc_status run_proof_check_problems(const struct run_given *on, const char *library,
					 struct asc_err *e);

/* True for a workload without a kernel in Triton, which the libraries' own are in: `export` needs
 * --foreign-kernel for its table. */
bool run_proof_is_foreign(const struct workload *w);

/* Measures what the table of a library's exporter needs, until no answer loses or time is up, and
 * prints what each file holds then; nothing after a stop. */
enum asc_status run_proof(const struct run_given *on, const char *library, struct asc_err *e);

#endif
