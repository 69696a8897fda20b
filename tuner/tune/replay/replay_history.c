#include "tuner/tune/replay/replay_history.h"

#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/recorded.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"

void replay_history_fini(struct replay_history *h)
{
	free(h->list);
	*h = (struct replay_history){0};
}

static bool find_param(const struct space *s, const char *name, size_t *at)
{
	for (*at = 0; *at < space_params(s); ++*at)
		if (strcmp(space_names(s)[*at], name) == 0)
			return true;
	return false;
}

/* Finds for each parameter of `space` the one of that name in `from`. */
static enum asc_status match_params(const struct recorded *from, const struct space *space,
				    size_t *places, struct asc_err *e)
{
	size_t other;

	for (size_t i = 0; i < space_params(space); i++)
		if (!find_param(from->space, space_names(space)[i], &places[i]))
			return asc_err_set(e, ASC_INPUT, "the history %s has no parameter %s",
					   from->name, space_names(space)[i]);
	for (size_t i = 0; i < space_params(from->space); i++)
		if (!find_param(space, space_names(from->space)[i], &other))
			return asc_err_set(
				e, ASC_INPUT,
				"the history %s has a parameter %s, which the space does "
				"not have",
				from->name, space_names(from->space)[i]);
	return ASC_OK;
}

enum asc_status replay_history_init(struct replay_history *h, const struct recorded *from,
				    const struct space *space, struct asc_err *e)
{
	size_t places[CONFIG_MAX_PARAMETERS] = {0};

	*h = (struct replay_history){0};
	if (match_params(from, space, places, e))
		return e->status;
	h->list = calloc(from->n, sizeof *h->list);
	if (!h->list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < from->n; i++) {
		struct strategy_known *known = &h->list[h->n];
		struct config c;
		uint64_t index;

		space_get(from->space, i, &c);
		known->config.n = c.n;
		for (size_t k = 0; k < c.n; k++)
			known->config.values[k] = c.values[places[k]];
		known->score = from->time_ns[i];
		known->source = from->name;
		h->n += strategy_known_find(known, space, &index);
	}
	return ASC_OK;
}
