/* Uniformly random, without replacement: the space's indices in a random order, without those that
 * are known already. */
#include <stdlib.h>

#include "tuner/model/space.h"
#include "tuner/search/index_set.h"
#include "tuner/search/shuffle.h"
#include "tuner/search/strategies.h"

struct strategy {
	struct shuffle order;
	struct index_set told; /* without being asked, or after */
};

static enum asc_status random_new(const struct space *space, uint64_t seed, struct strategy **out,
				  struct asc_err *e)
{
	struct strategy *s = calloc(1, sizeof *s);

	if (!s)
		return asc_err_nomem(e);
	shuffle_init(&s->order, space_count(space), seed);
	index_set_init(&s->told);
	*out = s;
	return ASC_OK;
}

static void random_free(struct strategy *s)
{
	if (!s)
		return;
	index_set_fini(&s->told);
	shuffle_fini(&s->order);
	free(s);
}

/* Out of memory ends the search early, rather than repeat a configuration. */
static bool random_ask(struct strategy *s, uint64_t *index)
{
	while (shuffle_draw(&s->order, index)) {
		if (!index_set_has(&s->told, *index))
			return true;
	}
	return false;
}

static void random_tell(struct strategy *s, uint64_t index, enum result_status status, double ns)
{
	(void)status, (void)ns;
	index_set_add(&s->told, index);
}

const struct strategy_ops strategy_random = {
	.version = STRATEGY_OPS_VERSION,
	.name = "random",
	.summary = "uniformly random, without replacement",
	.new = random_new,
	.free = random_free,
	.ask = random_ask,
	.tell = random_tell,
};
