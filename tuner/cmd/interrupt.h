/* Signals that end a command cleanly: SIGINT, SIGTERM, SIGHUP. */
#ifndef ASCTUNE_CMD_INTERRUPT_H
#define ASCTUNE_CMD_INTERRUPT_H

#include <signal.h>

/* Catches them from now on, the second one with its usual effect; what nohup ignores stays ignored.
 * Returns the flag that the first one sets, for the program's whole life. */
const volatile sig_atomic_t *interrupt_watch(void);

#endif
