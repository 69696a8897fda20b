/* The best configurations of a history, in the order in which a search asks them: of each source
 * the best, then of each the second. The caller owns the storage: known_best_init(),
 * known_best_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_KNOWN_BEST_H
#define ASCTUNE_TUNE_SEARCH_KNOWN_BEST_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct space;
struct strategy_known;

struct known_best {
	uint64_t *list; /* indices in the space, each once */
	size_t n, next; /* next: the first that was not looked at */
};

/* Ranks what the history says of the space: results that count and lie in it, the first of each
 * configuration of a source; `most` of them. Those that differ from a better one in one parameter
 * come behind the others. */
enum asc_status known_best_init(struct known_best *b, const struct space *space,
				const struct strategy_known *history, size_t n, size_t most,
				struct asc_err *e);
void known_best_fini(struct known_best *b);

#endif
