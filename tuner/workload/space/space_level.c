#include "tuner/workload/space/space_level.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"

enum { KIND_BITS = 4, KIND_MASK = 15, KINDS_PER_WORD = 64 / KIND_BITS };

static size_t width_of(const struct space_plan *p, size_t depth)
{
	const size_t live = p->depths[depth].live.n;

	return p->words + live + (live + KINDS_PER_WORD - 1) / KINDS_PER_WORD;
}

size_t space_level_width(const struct space_plan *p)
{
	size_t widest = 0;

	for (size_t d = 0; d <= p->n; d++)
		widest = width_of(p, d) > widest ? width_of(p, d) : widest;
	return widest;
}

void space_level_start(struct space_level *l, const struct space_plan *p, size_t depth)
{
	intern_clear(&l->table);
	l->depth = &p->depths[depth];
	l->words = p->words;
	l->width = width_of(p, depth);
	l->n = 0;
}

void space_level_fini(struct space_level *l)
{
	free(l->states);
	intern_fini(&l->table);
}

size_t space_level_bytes(const struct space_level *l)
{
	return l->n * l->width * sizeof *l->states + l->table.capacity * sizeof *l->table.slots;
}

void space_level_read(const struct space_level *l, const uint64_t *state, struct range *ranges)
{
	const uint64_t *values = state + l->words, *kinds = values + l->depth->live.n;

	for (size_t i = 0; i < l->depth->live.n; i++) {
		struct range *r = &ranges[l->depth->live.items[i]];
		const unsigned shift = (unsigned)(i % KINDS_PER_WORD * KIND_BITS);
		r->kind = (enum range_kind)(kinds[i / KINDS_PER_WORD] >> shift & KIND_MASK);
		memcpy(&r->lo, &values[i], sizeof r->lo);
		/* A remembered node is complete, so it has one value. */
		r->hi = r->lo;
	}
}

void space_level_write(const struct space_level *l, uint64_t *state, const struct range *ranges)
{
	uint64_t *values = state + l->words, *kinds = values + l->depth->live.n;

	/* Kinds are or-ed in, and states are compared by all of their bytes. */
	memset(kinds, 0, (l->width - l->words - l->depth->live.n) * sizeof *kinds);
	for (size_t i = 0; i < l->depth->live.n; i++) {
		const struct range *r = &ranges[l->depth->live.items[i]];
		const unsigned shift = (unsigned)(i % KINDS_PER_WORD * KIND_BITS);
		kinds[i / KINDS_PER_WORD] |= (uint64_t)r->kind << shift;
		memcpy(&values[i], &r->lo, sizeof r->lo);
	}
}

void space_level_forget(const struct space_level *l, uint64_t *state, size_t live)
{
	const unsigned shift = (unsigned)(live % KINDS_PER_WORD * KIND_BITS);
	uint64_t *kinds = state + l->words + l->depth->live.n;

	/* One fixed value in place of all: states that differ in it alone become equal. */
	state[l->words + live] = 0;
	kinds[live / KINDS_PER_WORD] &= ~((uint64_t)KIND_MASK << shift);
}

/* ---- states by content ---- */

struct wanted {
	const struct space_level *level;
	const uint64_t *state;
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const size_t width = w->level->width;

	return memcmp(w->level->states + id * width, w->state, width * sizeof *w->state) == 0;
}

enum asc_status space_level_enter(struct space_level *l, const uint64_t *state, uint32_t *number,
				  struct asc_err *e)
{
	const uint64_t hash = hash_bytes(state, l->width * sizeof *state);
	const struct wanted w = {l, state};

	*number = intern_find(&l->table, hash, is_wanted, &w);
	if (*number != INTERN_NONE)
		return ASC_OK;
	if ((l->n + 1) * l->width > l->capacity) {
		/* Doubled, so that copies cost no more than states; room for 64 at first. */
		const size_t capacity = 2 * l->capacity + 64 * l->width;
		uint64_t *grown = realloc(l->states, capacity * sizeof *grown);
		if (!grown)
			return asc_err_nomem(e);
		l->states = grown;
		l->capacity = capacity;
	}
	memcpy(l->states + l->n * l->width, state, l->width * sizeof *state);
	*number = (uint32_t)l->n++;
	return intern_add(&l->table, hash, *number) ? ASC_OK : asc_err_nomem(e);
}

/* ---- who is to blame ---- */

enum { MAX_LOOKED_AT = 100000 };

static bool always(const void *user, uint32_t id)
{
	(void)user, (void)id;
	return true;
}

/* Number of different values of the live nodes that root `r` uses, among the first states; -1 when
 * out of memory. Equal hashes count as equal. */
static long count_told_apart(const struct space_level *l, size_t r)
{
	struct intern table = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < l->n && i < MAX_LOOKED_AT; i++) {
		const uint64_t *values = l->states + i * l->width + l->words;
		uint64_t h = 0;
		for (size_t k = 0; k < l->depth->live.n; k++) {
			if (l->depth->live_uses[k * l->words + r / 64] >> r % 64 & 1)
				h = hash_bytes((uint64_t[]){h, values[k]}, 2 * sizeof h);
		}
		/* Only hashes are compared: that any two of 100,000 collide has odds of 3 in
		 * 10^10. */
		if (intern_find(&table, h, always, NULL) == INTERN_NONE)
			ok = intern_add(&table, h, (uint32_t)table.count);
	}
	const long count = ok ? (long)table.count : -1;
	intern_fini(&table);
	return count;
}

enum asc_status space_level_blame(const struct space_level *l, const struct space_graph *g,
				  struct asc_err *e)
{
	const struct space *s = g->space;
	size_t worst = 0;
	long most = -1;

	for (size_t r = 0; r < g->n_roots; r++) {
		const long n = count_told_apart(l, r);
		if (n > most) {
			most = n;
			worst = r;
		}
	}
	const char *name = s->params[l->depth->param].name;
	/* Out of memory for the count: the message is still about the limit. */
	if (most < 0)
		return asc_err_set(e, ASC_LIMIT, "too many combinations before parameter %s", name);
	const struct space_rule *rule = &s->rules[g->roots[worst].rule];
	return asc_err_set(e, ASC_LIMIT,
			   "%s: \"%s\" distinguishes too many combinations (%ld%s partial results "
			   "before parameter %s); fewer values or a simpler condition would help",
			   rule->origin, expr_text(rule->expr), most,
			   l->n > MAX_LOOKED_AT ? " or more" : "", name);
}
