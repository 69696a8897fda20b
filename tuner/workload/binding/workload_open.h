/* Workload files, read and checked: every formula can be evaluated for every problem. */
#ifndef ASCTUNE_WORKLOAD_BINDING_WORKLOAD_OPEN_H
#define ASCTUNE_WORKLOAD_BINDING_WORKLOAD_OPEN_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

/* The caller ends it with workload_close(). Fails with the first fault of the file, and where there
 * are more, with the command that lists them. *out is not changed on failure. */
enum asc_status workload_open(const char *path, struct workload **out, struct asc_err *e);

/* Opens a workload like workload_open(), whose file was checked when it had this hash: its formulas
 * are not checked again. ASC_INPUT when it was changed since. */
enum asc_status workload_open_known(const char *path, const char *hash, struct workload **out,
				    struct asc_err *e);

/* Finds a problem by its name; adds and checks one that the file has not, with the sizes that the
 * name says (workload_add_problem). */
enum asc_status workload_open_problem(struct workload *w, const char *name,
				      const struct problem **out, struct asc_err *e);

/* Opens a workload like workload_open(), with `text` as the content of the file at `path`. */
enum asc_status workload_open_text(const char *path, const char *text, size_t len,
				   struct workload **out, struct asc_err *e);

/* Reports all that is wrong with a file, in its order: each fault once, none that follows from
 * another one. Returns their number. *out is the workload, NULL where the file was not read to its
 * end; behind faults only parts without one may be used (json_is_sound). */
typedef void workload_fault_fn(void *user, const char *text);
size_t workload_open_checked(const char *path, struct workload **out, workload_fault_fn *say,
			     void *user);

#endif
