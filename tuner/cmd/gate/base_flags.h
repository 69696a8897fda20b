/* Flags of a base's workload: paths that lead into the checkout, absolute ones and those from the
 * current folder, lead to the base instead. */
#ifndef ASCTUNE_CMD_GATE_BASE_FLAGS_H
#define ASCTUNE_CMD_GATE_BASE_FLAGS_H

#include "tuner/base/err.h"

struct base_checkout;
struct workload;

/* Sets the flags of all calls; keys have them as the file does (name_list.node). */
enum asc_status base_flags_move(const struct base_checkout *c, struct workload *w,
				struct asc_err *e);

#endif
