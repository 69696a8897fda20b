/* States of a run's shares, by the databases that they have left (`asctune runs --shards`).
 */
#ifndef ASCTUNE_CMD_RUN_SHARE_STATES_H
#define ASCTUNE_CMD_RUN_SHARE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct share_question { /* borrowed */
	const char *const *dbs;
	size_t n_dbs;
	uint64_t shares; /* number of them */
	bool json;       /* an object for each in place of a line */
};

/* Prints the state of each share, then shares that do not belong to these. *lacking: one of them
 * is missing or torn. */
enum asc_status share_states_show(const struct share_question *q, bool *lacking, struct asc_err *e);

#endif
