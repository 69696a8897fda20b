/* Output of `asctune run --cover`: for each implementation how few configurations serve how many
 * problems, which serves which, and what that loses. */
#ifndef ASCTUNE_CMD_RUN_RUN_COVER_TEXT_H
#define ASCTUNE_CMD_RUN_RUN_COVER_TEXT_H

#include <stddef.h>

#include "tuner/base/err.h"

struct dispatch;
struct run_cover;

/* Prints the covers of a table to stdout, as text or, with --json, a line for each. `measured`:
 * number of configurations that were measured for them. */
enum asc_status run_cover_print(const struct run_cover *c, const struct dispatch *t,
				size_t measured, struct asc_err *e);

#endif
