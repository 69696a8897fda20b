/* `asctune best --watch`: follows runs under way in other processes. */
#ifndef ASCTUNE_CMD_ANSWERS_BEST_WATCH_H
#define ASCTUNE_CMD_ANSWERS_BEST_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct watch_options {
	const char *path;     /* path of the database, which may appear, vanish and be replaced */
	const char *workload; /* NULL: all */
	int64_t every_ns;     /* interval between looks */
	bool json;            /* prints a line of JSON for each change */
};

/* Follows until SIGINT, SIGTERM or SIGHUP. Draws on stdout where that is a terminal, else prints a
 * line for each run whenever it has changed. */
enum asc_status best_watch(const struct watch_options *o, struct asc_err *e);

#endif
