/* Compilers that stay: processes that take one command after another, since starting anew costs
 * them more than a small kernel does.
 *
 * A command comes on descriptor RESIDENT_FD as words that each end with a NUL, then an empty one.
 * What is said goes to stdout and stderr as from any compiler; the answer's end is a NUL there and
 * a digit, the exit status. */
#ifndef ASCTUNE_BUILD_RESIDENT_H
#define ASCTUNE_BUILD_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/proc.h"

struct buf;
struct build_command;
struct builder_ops;

enum {
	RESIDENT_FD = 3,
	RESIDENT_COMMANDS = 250,       /* after which a process is replaced: libraries leak */
	RESIDENT_MAX_WORDS = 16 << 20, /* read of it for one command */
	RESIDENT_LOG_BYTES = 60000
};

/* Those that are idle; room for as many as there are builds at once. */
struct residents {
	struct resident *list;
	size_t n;
};

enum asc_status residents_init(struct residents *r, size_t n, struct asc_err *e);
void residents_fini(struct residents *r); /* kills them */

/* Starts `command`, whose first words are those of a resident, in an idle one of `ops` or a new
 * one, which `p` owns then. */
enum asc_status residents_start(struct residents *r, const struct builder_ops *ops,
				const struct build_command *command, struct proc *p,
				struct asc_err *e);

/* Takes back a process whose answer has been read. */
void residents_put(struct residents *r, const struct builder_ops *ops, struct proc *p);

/* Is the answer complete? Then its end is cut off, and *status is as waitpid gives it. */
bool resident_answered(struct buf *words, int *status);

/* The other side: serves until the channel is closed. `run` appends what the compiler says to
 * `log` and returns the exit status, 0 to 9. False for trouble with the descriptors. */
typedef int resident_run_fn(const char *const *words, size_t n, struct buf *log);
bool resident_serve(resident_run_fn *run);

#endif
