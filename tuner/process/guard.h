/* Guard of this process: a second process that outlives a sudden end (SIGKILL) of this one, kills
 * the children that are left and removes the folders that they worked in.
 *
 * The guard finds children by a variable of their environment and by a limit, both of which their
 * own children inherit; a process may empty its environment, but the sandbox keeps it from that
 * limit. */
#ifndef ASCTUNE_PROCESS_GUARD_H
#define ASCTUNE_PROCESS_GUARD_H

#include <stdint.h>

#include "tuner/base/err.h"

/* Starts the guard, once; from then on this process adopts orphans (process/orphans). Returns the
 * variable for the children's environment, "NAME=VALUE", or NULL where no process can be started.
 */
const char *guard_start(void);

/* The limit RLIMIT_RTTIME that marks the children of this process: so long that it limits nothing.
 * 0 where no guard was started. */
int64_t guard_limit(void);

/* Kills the orphans that a reaped child has left behind; does nothing where no guard was started.
 */
void guard_end_orphans(void);

/* Has the guard remove the folder after the end of this process, if it is there. Starts the guard.
 */
void guard_add_folder(const char *path);

/* Makes a scratch folder (dir_make_scratch()) that the guard removes where this process does not.
 */
enum asc_status guard_make_scratch(const char *name, char **out, struct asc_err *e);

#endif
