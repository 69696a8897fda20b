/* A command of the user's, run in the place of this process: with its standard streams, terminal,
 * folder and environment, and no sandbox. */
#ifndef ASCTUNE_PROCESS_PROC_USER_H
#define ASCTUNE_PROCESS_PROC_USER_H

#include "tuner/base/err.h"

/* Runs it to its end. `variables` are "NAME=VALUE", in place of those inherited; NULL-terminated.
 * Signals that this process gets meanwhile go to the command alone. *status as waitpid gives it.
 * ASC_NOTFOUND when argv[0] is not in PATH. To be called while this process has one thread. */
enum asc_status proc_run_user(const char *const *argv, const char *const *variables, int *status,
			      struct asc_err *e);

#endif
