/* Guard of this process: a second process that outlives a sudden end (SIGKILL) of this one, kills
 * the children that are left and removes the folders that they worked in.
 *
 * The guard finds children by a variable of their environment, which their own children inherit. */
#ifndef ASCTUNE_BASE_GUARD_H
#define ASCTUNE_BASE_GUARD_H

#include <stdbool.h>

/* Starts the guard, once; from then on this process adopts orphans (base/orphans). Returns the
 * variable for the children's environment, "NAME=VALUE", or NULL where no process can be started.
 */
const char *guard_start(void);

/* Kills the orphans that a reaped child has left behind; does nothing where no guard was started.
 */
void guard_end_orphans(void);

/* Has the guard remove the folder after the end of this process, if it is there. Starts the guard.
 */
void guard_add_folder(const char *path);

#endif
