/* Part of process/proc that starts a child: sandbox and end with the parent are entered by the
 * child, between fork and exec, which posix_spawn() cannot express. */
#ifndef ASCTUNE_PROCESS_PROC_SPAWN_H
#define ASCTUNE_PROCESS_PROC_SPAWN_H

#include <sys/types.h>

struct proc_options;
struct sandbox_entry;

/* The child's ends of pipes and channel; -1 where there is none. */
struct proc_ends {
	int output;
	int channel;
	int input;
};

/* Returns 0, or errno as the step that failed has set it: then no child is left. `environment` is
 * NULL-terminated. */
int proc_spawn(const char *path, const struct proc_options *o, const struct proc_ends *child,
	       const char *const *environment, struct sandbox_entry *sandbox, pid_t *pid);

#endif
