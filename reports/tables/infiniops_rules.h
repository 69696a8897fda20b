/* Files of rules for InfiniOps: asctune's rules in a file of somebody else's. */
#ifndef ASCTUNE_TABLES_INFINIOPS_RULES_H
#define ASCTUNE_TABLES_INFINIOPS_RULES_H

#include "tuner/base/err.h"

struct buf;

#define INFINIOPS_FORMAT  "asctune-infiniops-rules"
#define INFINIOPS_OWN_KEY "X-Asctune" /* member of asctune's own rules: the number of the trial */

enum {
	INFINIOPS_VERSION = 1,
	INFINIOPS_CONFIG_BYTES = 1023 /* of a configuration that libasctune hands on */
};

/* The library's name of a class of devices: "nvidia" for "cuda"; others as they are. */
const char *infiniops_device(const char *device);

/* A merge function of struct sink_kind. Rules without INFINIOPS_OWN_KEY are theirs: they stay, as
 * what else their file says, in their order. An own rule takes the place of an earlier own one for
 * the same things, others come last; earlier own ones that are not made any more go. ASC_INPUT,
 * with both, where one of theirs and an own one overlap, and for a file that is no JSON or of
 * another format; ASC_NEWER for one of a later version. */
enum asc_status infiniops_merge(const char *path, const struct buf *there, const struct buf *own,
				struct buf *out, struct asc_err *e);

#endif
