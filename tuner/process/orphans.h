/* Orphans: processes that children of this process have left behind, in whatever session. They
 * become children of this process, and end with the one that left them. */
#ifndef ASCTUNE_PROCESS_ORPHANS_H
#define ASCTUNE_PROCESS_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

/* Adopts from now on: processes whose parent ends become children of this one. */
void orphans_adopt(void);

/* Notes a child that is no orphan, until it is reaped. False: out of memory; orphans_end() would
 * kill the child. */
bool orphans_know(pid_t pid);
void orphans_forget(pid_t pid);

/* Forgets all children but one: from now on the others are orphans. */
void orphans_forget_others(pid_t pid);

/* Kills all children that are not known, and what they leave behind, and waits for their ends.
 * Where the kernel does not list children it does nothing. */
void orphans_end(void);

#endif
