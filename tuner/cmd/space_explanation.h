/* `asctune space --explain`: which conditions one configuration meets, what it needs of the device,
 * and what rewrites changed. */
#ifndef ASCTUNE_CMD_SPACE_EXPLANATION_H
#define ASCTUNE_CMD_SPACE_EXPLANATION_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct binding;
struct implementation;
struct space;

struct space_subject { /* all borrowed */
	const char *file;
	const struct space *space;
	const struct binding *binding; /* NULL for a T1 file */
	const struct implementation *implementation;
};

/* Prints to stdout; *valid is the verdict; `config` is `K=V,...`. */
enum asc_status space_explanation_print(const struct space_subject *s, const char *config,
					bool json, bool *valid, struct asc_err *e);

#endif
