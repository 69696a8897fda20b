/* Acceptances: what a change says of kernels that it makes slower on purpose. Each is a line `NAME
 * reason`:
 *
 * - in the message of a commit, behind "Slower-kernels:" at the beginning of a line; lines behind
 *   it that begin with a blank go on with it, as those of git's trailers do;
 * - in the file .asctune-accept at the root of a tree, where empty lines and those that begin with
 *   # say nothing.
 *
 * NAME is a kernel's as the gate prints it, WORKLOAD/PROBLEM IMPLEMENTATION, or WORKLOAD/PROBLEM
 * for all implementations of that. All of it is text of others: it is kept as one line that a
 * terminal may show, cut to ACCEPTANCE_BYTES and "...". */
#ifndef ASCTUNE_CMD_GATE_ACCEPTANCE_H
#define ASCTUNE_CMD_GATE_ACCEPTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/git/git_repository.h"

#define ACCEPTANCE_FILE ".asctune-accept"

enum {
	ACCEPTANCE_BYTES = 500,
	ACCEPTANCES_MOST = 1000, /* more are not read, which is said */
	ACCEPTANCE_BY = 24
};

struct acceptance {
	char *text;             /* NAME reason; heap */
	char by[ACCEPTANCE_BY]; /* who says it: "commit 0123456789ab", ".asctune-accept" */
};

struct acceptances { /* the caller's storage, zeroed; acceptances_fini() */
	struct acceptance *list;
	size_t n, room;
	bool full; /* there are more */
};

/* Adds those of a commit's message, or of the text of a file. */
enum asc_status acceptances_add_message(struct acceptances *a, const char *message, const char *by,
					struct asc_err *e);
enum asc_status acceptances_add_lines(struct acceptances *a, const char *text, const char *by,
				      struct asc_err *e);

/* Adds those of the messages of commits. `which`: as `git rev-list` takes them, NULL-terminated. A
 * commit that git does not have says nothing. */
enum asc_status acceptances_read_commits(struct acceptances *a, const struct git_repository *r,
					 const char *const *which, struct asc_err *e);

/* Adds those of the file in a commit, by its id, or in the working tree. None is no failure; what
 * is no plain file there is said, and not read. */
enum asc_status acceptances_read_tree(struct acceptances *a, const struct git_repository *r,
				      const char *commit, struct asc_err *e);
enum asc_status acceptances_read_working(struct acceptances *a, const struct git_repository *r,
					 struct asc_err *e);

bool acceptances_has(const struct acceptances *a, const char *text);
void acceptances_fini(struct acceptances *a);

/* Ways in which a line `NAME ...` names a kernel: not at all, by its problem, or by its whole name,
 * which goes before: `a/b c d` is of the implementation c where a/b has one. *rest, if not NULL:
 * what follows NAME. */
enum kernel_named { KERNEL_NOT_NAMED, KERNEL_OF_PROBLEM, KERNEL_NAMED };
enum kernel_named kernel_find_named(const char *line, const char *workload, const char *problem,
				    const char *implementation, const char **rest);

/* True where a line names kernel `k` of the `n` of a list, and no other one better: the whole name
 * of one goes before that of its problem. *rest as above. */
struct kernel_names {
	const char *workload, *problem, *implementation;
};
typedef struct kernel_names kernel_names_fn(const void *list, size_t k);
bool kernel_is_named_best(const char *line, kernel_names_fn *names_of, const void *list, size_t n,
			  size_t k, const char **rest);

#endif
