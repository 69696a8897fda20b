/* The source that decided whether a configuration fits the memories of an NPU, for `asctune space
 * --explain`: the planner where one is at hand, asked now or before; else a table of verdicts; else
 * the expressions of `memory`. */
#ifndef ASCTUNE_CMD_EXPLAIN_VERDICT_H
#define ASCTUNE_CMD_EXPLAIN_VERDICT_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;
struct config;
struct space_subject;
struct target;

/* Appends a line for each Triton kernel of the subject, which has a binding; nothing for other
 * devices. *valid becomes false where the planner refuses one. */
enum asc_status explain_verdict(const struct space_subject *s, const struct target *t,
				const struct config *c, bool *valid, struct buf *out,
				struct asc_err *e);

#endif
