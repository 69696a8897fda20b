/* A search strategy: which configuration to try next. Never sees a device; works on the indices of
 * a space.
 *
 * Asynchronous: ask may be called while earlier answers are pending, tell comes in any order. Every
 * index is asked at most once. */
#ifndef ASCTUNE_SEARCH_STRATEGY_H
#define ASCTUNE_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/result.h"

struct space;
struct strategy;

enum { STRATEGY_OPS_VERSION = 1 };

struct strategy_ops {
	int version;
	const char *name;
	const char *summary;
	/* The space is borrowed until free. The same seed asks the same indices when told the same
	 * results in the same order. */
	enum asc_status (*new)(const struct space *space, uint64_t seed, struct strategy **out,
			       struct asc_err *e);
	void (*free)(struct strategy *s);
	/* False: nothing left to try. */
	bool (*ask)(struct strategy *s, uint64_t *index);
	/* `ns` is the median time; 0 unless the status is ok or slow. Also called for results that
	 * were not asked for (default, resumed). */
	void (*tell)(struct strategy *s, uint64_t index, enum result_status status, double ns);
};

extern const struct strategy_ops *const strategy_list[];
const struct strategy_ops *strategy_find(const char *name);

#endif
