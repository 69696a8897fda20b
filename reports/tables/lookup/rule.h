/* Rules of a dispatch table: which implementation and configuration of an operator serves which
 * device, element types and sizes. */
#ifndef ASCTUNE_TABLES_LOOKUP_RULE_H
#define ASCTUNE_TABLES_LOOKUP_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "reports/tables/lookup/asctune.h"

enum { RULE_MAX_SIZES = 16, RULE_MAX_TYPES = 16 };

#define RULE_LARGEST_SIZE ((int64_t)1 << 53) /* integers up to it are exact as reals */

struct rule_size { /* a closed range of a size; low == high: one value */
	const char *name;
	int64_t low, high; /* from 0 to RULE_LARGEST_SIZE */
};

struct rule { /* texts are borrowed while it is added */
	const char *op;
	const char *device;       /* class: "cuda", "npu", "cpu", or what libraries call them */
	const char *device_model; /* NULL: any */
	struct asctune_type types[RULE_MAX_TYPES];
	size_t n_types; /* 0: any */
	struct rule_size sizes[RULE_MAX_SIZES];
	size_t n_sizes;
	int64_t index;                       /* implementation_index; -1: none */
	const char *implementation, *config; /* name; JSON object; NULL: none */
	double time_ns, default_ns;          /* 0: unknown */
	int64_t default_index;               /* -1: unknown */
	int precedence;                      /* of two equal in all else the lower one serves */
};

#endif
