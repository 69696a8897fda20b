/* asctune run --confirm: the new regressions of a history, measured again. */
#ifndef ASCTUNE_CMD_RUN_CONFIRM_H
#define ASCTUNE_CMD_RUN_CONFIRM_H

#include <signal.h>

struct run_options;

/* Those that `asctune track` finds in the database for this device and the wanted workloads,
 * problems and implementations; records and prints what came of each. Gives the exit status: 1
 * when one is confirmed. */
int run_confirm(const struct run_options *o, const volatile sig_atomic_t *stop);

#endif
