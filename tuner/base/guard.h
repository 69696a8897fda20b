/* The guard of this process: a second one that outlives its sudden end (SIGKILL), ends the children
 * that are left and removes the folders that they worked in.
 *
 * Children are known by a variable of their environment, which those that they start inherit. */
#ifndef ASCTUNE_BASE_GUARD_H
#define ASCTUNE_BASE_GUARD_H

#include <stdbool.h>

/* Starts the guard, once; from here on orphans (base/orphans) come to this process. Returns the
 * variable for the children's environment, "NAME=VALUE", or NULL where no process can be started.
 */
const char *guard_start(void);

/* Ends what a child that was reaped has left behind; nothing where there is no guard. */
void guard_end_orphans(void);

/* Has the guard remove the folder in the end, if it is there. Starts the guard. */
void guard_add_folder(const char *path);

#endif
