/* A list of configurations as a space.
 *
 * Each configuration is a block: of each parameter a set of values, at first of one. Blocks that
 * differ in one parameter alone are joined, whose set becomes the union, until no two can be. A
 * list that was written as nested loops becomes one block, which needs no condition. */
#include "reports/exchange/autotune_space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/rewrite.h"

const struct autotune_option autotune_options[] = {
	{"num_warps", {VALUE_INT, {.i = 4}}},
	{"num_stages", {VALUE_INT, {.i = 3}}},
	{"num_ctas", {VALUE_INT, {.i = 1}}},
	{"maxnreg", {VALUE_INT, {.i = 0}}},
	{"enable_fp_fusion", {VALUE_BOOL, {.i = true}}},
	{"launch_pdl", {VALUE_BOOL, {.i = false}}},
	{"launch_cooperative_grid", {VALUE_BOOL, {.i = false}}},
	{0}};

const struct autotune_range autotune_ranges[] = {
	{"num_warps", {1, 2, 4, 8, 16}}, {"num_stages", {1, 2, 3, 4, 5}}, {0}};

bool autotune_find_default(const char *name, struct value *out)
{
	const struct autotune_option *o = autotune_options;

	while (o->name && strcmp(o->name, name) != 0)
		o++;
	if (o->name)
		*out = o->value;
	return o->name != NULL;
}

/* ---- dimensions ---- */

const struct autotune_dimension *autotune_space_find(const struct autotune_space *s,
						     const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->dimensions[i].name, name) == 0)
			return &s->dimensions[i];
	return NULL;
}

/* Adds the names of an entry that are new. */
static enum asc_status add_names(struct autotune_space *s, const struct autotune_entry *a,
				 struct asc_err *e)
{
	for (size_t i = 0; i < a->config.n; i++) {
		if (autotune_space_find(s, a->names[i]))
			continue;
		if (s->n == CONFIG_MAX_PARAMETERS)
			return asc_err_set(e, ASC_LIMIT,
					   "the configurations have more than %d parameters",
					   CONFIG_MAX_PARAMETERS);
		s->dimensions[s->n++].name = a->names[i];
	}
	return ASC_OK;
}

static bool entry_value(const struct autotune_entry *a, const char *name, struct value *out)
{
	for (size_t i = 0; i < a->config.n; i++)
		if (strcmp(a->names[i], name) == 0) {
			*out = a->config.values[i];
			return true;
		}
	return autotune_find_default(name, out);
}

/* Adds a value that is new; *set is that value alone. */
static enum asc_status add_value(struct autotune_dimension *d, struct value v, uint64_t *set,
				 struct asc_err *e)
{
	size_t at = 0;

	while (at < d->n && !value_equal(d->values[at], v))
		at++;
	/* Values are bits of a set. */
	if (at == AUTOTUNE_MAX_VALUES)
		return asc_err_set(e, ASC_LIMIT,
				   "the configurations have more than %d values of %s",
				   AUTOTUNE_MAX_VALUES, d->name);
	if (at == d->n)
		d->values[d->n++] = v;
	*set = UINT64_C(1) << at;
	return ASC_OK;
}

static enum asc_status add_entry(struct autotune_space *s, const struct autotune_entry *a,
				 size_t number, struct asc_err *e)
{
	uint64_t *sets = s->sets + s->n_sets++ * CONFIG_MAX_PARAMETERS;
	struct value v;

	for (size_t i = 0; i < s->n; i++) {
		struct autotune_dimension *d = &s->dimensions[i];

		if (!entry_value(a, d->name, &v))
			return asc_err_set(e, ASC_INPUT,
					   "configuration %zu lacks %s, which others have",
					   number + 1, d->name);
		if (add_value(d, v, &sets[i], e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status autotune_space_init(struct autotune_space *s, const struct autotune_entry *list,
				    size_t n, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	*s = (struct autotune_space){
		.dimensions = calloc(CONFIG_MAX_PARAMETERS, sizeof *s->dimensions),
		.sets = calloc(n, CONFIG_MAX_PARAMETERS * sizeof *s->sets),
	};
	if (!s->sets || !s->dimensions)
		status = asc_err_nomem(e);
	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = add_names(s, &list[i], e);
	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = add_entry(s, &list[i], i, e);
	if (status)
		autotune_space_fini(s);
	return status;
}

void autotune_space_fini(struct autotune_space *s)
{
	free(s->dimensions);
	free(s->sets);
	*s = (struct autotune_space){0};
}

/* ---- the condition ---- */

static uint64_t whole(const struct autotune_dimension *d)
{
	return d->n == AUTOTUNE_MAX_VALUES ? UINT64_MAX : (UINT64_C(1) << d->n) - 1;
}

/* True when two blocks have the same sets of values but for dimension `at`. */
static bool differ_only(const struct autotune_space *s, const uint64_t *a, const uint64_t *b,
			size_t at)
{
	for (size_t i = 0; i < s->n; i++)
		if (i != at && !s->dimensions[i].free && a[i] != b[i])
			return false;
	return true;
}

/* Joins blocks that differ in dimension `at` alone; returns how many. */
static size_t join_along(struct autotune_space *s, size_t at)
{
	size_t kept = 0, joined;

	for (size_t i = 0; i < s->n_sets; i++) {
		uint64_t *block = s->sets + i * CONFIG_MAX_PARAMETERS;
		size_t k = 0;

		while (k < kept && !differ_only(s, s->sets + k * CONFIG_MAX_PARAMETERS, block, at))
			k++;
		if (k < kept)
			s->sets[k * CONFIG_MAX_PARAMETERS + at] |= block[at];
		else
			memmove(s->sets + kept++ * CONFIG_MAX_PARAMETERS, block,
				CONFIG_MAX_PARAMETERS * sizeof *block);
	}
	joined = s->n_sets - kept;
	s->n_sets = kept;
	return joined;
}

static void print_value(struct value v, struct buf *out)
{
	char text[64];
	const char *quote = v.kind == VALUE_TEXT ? "'" : "";

	/* A formula has no literal of a truth value, but 0 and 1 equal one. */
	value_print(v.kind == VALUE_BOOL ? value_int(v.i) : v, text, sizeof text);
	buf_print(out, "%s%s%s", quote, text, quote);
}

/* NAME == VALUE, or NAME in [VALUE, ...] */
static void print_set(const struct autotune_dimension *d, uint64_t set, struct buf *out)
{
	const bool several = (set & (set - 1)) != 0;
	const char *between = "";

	buf_print(out, "%s %s", d->name, several ? "in [" : "== ");
	for (size_t i = 0; i < d->n; i++)
		if (set >> i & 1) {
			buf_add_str(out, between);
			print_value(d->values[i], out);
			between = ", ";
		}
	buf_add_str(out, several ? "]" : "");
}

/* A block's sets that leave something out; false: there is none. */
static bool print_block(const struct autotune_space *s, const uint64_t *block, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++)
		if (!s->dimensions[i].free && block[i] != whole(&s->dimensions[i])) {
			buf_add_str(out, any ? " and " : "");
			print_set(&s->dimensions[i], block[i], out);
			any = true;
		}
	return any;
}

void autotune_space_print(struct autotune_space *s, struct buf *out)
{
	size_t joined = 1;

	/* The last parameter first: loops are written with the innermost one last, whose values lie
	 * side by side in the list. A join makes others possible, so that one pass is not enough.
	 */
	while (joined > 0) {
		joined = 0;
		for (size_t at = s->n; at-- > 0;)
			if (!s->dimensions[at].free)
				joined += join_along(s, at);
	}
	for (size_t i = 0; i < s->n_sets; i++) {
		buf_add_str(out, i ? " or " : "");
		/* A block without a condition is the whole space, which holds all others. */
		if (!print_block(s, s->sets + i * CONFIG_MAX_PARAMETERS, out)) {
			buf_clear(out);
			return;
		}
	}
}
