/* Part of process/proc that starts a child: sandbox and end with the parent are entered by the
 * child, between fork and exec, which posix_spawn() cannot express. */
#ifndef ASCTUNE_PROCESS_PROC_SPAWN_H
#define ASCTUNE_PROCESS_PROC_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct proc_options;
struct sandbox_entry;

/* The child's ends of pipes and channel; -1 where there is none. */
struct proc_ends {
	int output;
	int channel;
	int input;
};

/* Casts a list of strings to what execve() and its kin take, which do not write to the strings,
 * whatever their types say. */
char *const *proc_strings(const char *const *list);

/* Returns 0, or errno as the step that failed has set it: then no child is left. `environment` is
 * NULL-terminated. */
int proc_spawn(const char *path, const struct proc_options *o, const struct proc_ends *child,
	       const char *const *environment, struct sandbox_entry *sandbox, pid_t *pid);

/* ---- the environment of a child: what it inherits, and what its starter sets ---- */

/* Names of further variables that sandboxed children inherit, NAME,PREFIX*,... */
#define PROC_PASS_VARIABLE "ASCTUNE_PASS_ENV"

/* True for a variable, NAME=VALUE, that a sandboxed child inherits: what compilers, interpreters,
 * drivers and libraries of threads go by, by name; never what a name says to be a secret, unless
 * $ASCTUNE_PASS_ENV has exactly that name. */
bool proc_environment_passes(const char *variable);

/* Makes the child's environment: what it inherits, then the variables of `o`, then `own`
 * (NULL-terminated). A heap array of borrowed strings, NULL-terminated; NULL when out of memory. */
const char **proc_environment_new(const struct proc_options *o, const char *const *own);

#endif
