/* `asctune run --confirm`. */
#ifndef ASCTUNE_CMD_AGAIN_RUN_CONFIRM_H
#define ASCTUNE_CMD_AGAIN_RUN_CONFIRM_H

#include <signal.h>

struct run_options;

/* Measures again the suspects (reports/track/track_confirm.h) in the database for this device and
 * the wanted workloads, problems and implementations; records and prints the results. Gives the
 * exit status: 1 when one is slower. */
int run_confirm(const struct run_options *o, const volatile sig_atomic_t *stop);

#endif
