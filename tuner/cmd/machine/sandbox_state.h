/* Parts of the sandbox that this machine offers, as a child finds them. */
#ifndef ASCTUNE_CMD_MACHINE_SANDBOX_STATE_H
#define ASCTUNE_CMD_MACHINE_SANDBOX_STATE_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/process/sandbox.h"

/* Starts a child in the sandbox: what the kernel says that it has, it may still refuse. */
enum asc_status sandbox_state_try(struct asc_err *e);

/* Prints the reason why children lack a part, "" when they have it; returns `text`. */
const char *sandbox_state_reason(enum sandbox_part part, char *text, size_t size);

/* Requires the sandbox (sandbox_require()). Fails (ASC_ABSENT) where a child lacks a part that
 * --untrusted promises: files or network. */
enum asc_status sandbox_state_require(struct asc_err *e);

#endif
