/* Random small spaces against every combination: conditions of random operations over integers,
 * reals and truth values, each evaluated whole by expr_eval(); with the parameters in the order of
 * the file and shuffled.
 * covers: space_build.c space_graph.c space_order.c space_plan.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/space/space.h"

enum { MAX_PARAMS = 5, MAX_CONDITIONS = 4, SPACES = 1500 };

static const char *const names[MAX_PARAMS] = {"a", "b", "c", "d", "e"};

/* A space under test; the conditions outlive it. */
struct sketch {
	struct value values[MAX_PARAMS][6];
	struct space_param params[MAX_PARAMS];
	size_t n_params;
	char *texts[MAX_CONDITIONS];
	struct space_condition conditions[MAX_CONDITIONS];
	size_t n_conditions;
};

/* ---- drawing ---- */

static size_t below(struct rng *r, size_t n)
{
	return (size_t)rng_below(r, n);
}

static struct value draw_value(struct rng *r, size_t kind)
{
	static const int64_t large[] = {INT64_MAX, INT64_MIN, INT64_C(1) << 53, -1, 0, 1};

	switch (kind) {
	case 0: return value_real((double)below(r, 9) / 2 - 1);
	case 1: return value_int(large[below(r, 6)]);
	case 2: return value_bool(below(r, 2));
	default: return value_int((int64_t)below(r, 12) - 2);
	}
}

static void draw_param(struct sketch *k, struct rng *r)
{
	struct value *v = k->values[k->n_params];
	const size_t kind = below(r, 9), want = 1 + below(r, 6);
	size_t n = 0;

	for (size_t tried = 0; tried < 4 * want && n < want; tried++) {
		v[n] = draw_value(r, kind);
		size_t same = 0;
		for (size_t i = 0; i < n; i++)
			same += value_equal(v[i], v[n]);
		n += same == 0;
	}
	k->params[k->n_params] = (struct space_param){names[k->n_params], n, v, v[below(r, n)]};
	k->n_params++;
}

static void draw_number(struct buf *b, struct rng *r, size_t n_params, int depth);

static void draw_truth(struct buf *b, struct rng *r, size_t n_params, int depth)
{
	static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
	const char *const *link = &compare[below(r, 6)];

	buf_add_char(b, '(');
	switch (depth > 0 ? below(r, 9) : 8) {
	case 0:
		draw_truth(b, r, n_params, depth - 1), buf_add_str(b, " and "),
			draw_truth(b, r, n_params, depth - 1);
		break;
	case 1:
		draw_truth(b, r, n_params, depth - 1), buf_add_str(b, " or "),
			draw_truth(b, r, n_params, depth - 1);
		break;
	case 2: buf_add_str(b, "not "), draw_truth(b, r, n_params, depth - 1); break;
	case 3:
		buf_add_str(b, "is_pow2("), draw_number(b, r, n_params, depth - 1),
			buf_add_char(b, ')');
		break;
	case 4:
		draw_number(b, r, n_params, depth - 1), buf_add_str(b, " in [1, 2, 4.0, "),
			draw_number(b, r, n_params, depth - 1), buf_add_char(b, ']');
		break;
	case 5:
		buf_add_str(b, "-1 <= "), draw_number(b, r, n_params, depth - 1),
			buf_print(b, " %s ", *link), draw_number(b, r, n_params, depth - 1);
		break;
	default:
		draw_number(b, r, n_params, depth - 1), buf_print(b, " %s ", *link),
			draw_number(b, r, n_params, depth - 1);
		break;
	}
	buf_add_char(b, ')');
}

static void draw_number(struct buf *b, struct rng *r, size_t n_params, int depth)
{
	static const char *const infix[] = {"+", "-", "*", "/", "//", "%", "*", "+"};
	static const char *const call[] = {"min", "max", "ceil_div", "align"};
	static const char *const unary[] = {"-", "abs", "log2", "int", "float"};

	if (depth <= 0 || below(r, 4) == 0) {
		if (below(r, 4))
			buf_add_str(b, names[below(r, n_params)]);
		else
			buf_print(b, "%zu", below(r, 9));
		return;
	}
	switch (below(r, 8)) {
	case 0:
		buf_print(b, "%s(", unary[below(r, 5)]), draw_number(b, r, n_params, depth - 1);
		break;
	case 1:
		buf_print(b, "%s(", call[below(r, 4)]), draw_number(b, r, n_params, depth - 1),
			buf_add_char(b, ','), draw_number(b, r, n_params, depth - 1);
		break;
	case 2:
		buf_add_char(b, '('), draw_number(b, r, n_params, depth - 1),
			buf_add_str(b, " if "), draw_truth(b, r, n_params, depth - 1),
			buf_add_str(b, " else "), draw_number(b, r, n_params, depth - 1);
		break;
	case 3:
		buf_add_char(b, '('), draw_number(b, r, n_params, depth - 1),
			buf_print(b, ") ** (%zu", below(r, 4));
		break;
	default:
		buf_add_char(b, '('), draw_number(b, r, n_params, depth - 1),
			buf_print(b, " %s ", infix[below(r, 8)]),
			draw_number(b, r, n_params, depth - 1);
		break;
	}
	buf_add_char(b, ')');
}

static void draw_condition(struct sketch *k, struct rng *r)
{
	struct buf b = {0};

	draw_truth(&b, r, k->n_params, 1 + (int)below(r, 3));
	k->texts[k->n_conditions] = buf_take(&b);
	k->conditions[k->n_conditions] =
		(struct space_condition){k->texts[k->n_conditions], "condition"};
	k->n_conditions++;
}

static void draw_sketch(struct sketch *k, struct rng *r)
{
	*k = (struct sketch){0};
	for (size_t n = 2 + below(r, MAX_PARAMS - 1); k->n_params < n;)
		draw_param(k, r);
	for (size_t n = 1 + below(r, MAX_CONDITIONS); k->n_conditions < n;)
		draw_condition(k, r);
}

static void sketch_fini(struct sketch *k)
{
	for (size_t i = 0; i < k->n_conditions; i++)
		free(k->texts[i]);
}

/* ---- the oracle ---- */

static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	const struct sketch *k = user;

	for (size_t i = 0; !call && i < k->n_params; i++) {
		if (strcmp(k->params[i].name, name) == 0) {
			*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = i};
			return true;
		}
	}
	return false;
}

/* Appends 0 or 1 for each combination, first parameter slowest. */
static void evaluate_all(const struct sketch *k, struct buf *out)
{
	const struct expr_scope scope = {resolve, NULL, k};
	struct expr *x[MAX_CONDITIONS] = {NULL};
	struct value slots[MAX_PARAMS], v;
	struct asc_err e;
	size_t all = 1;

	for (size_t i = 0; i < k->n_conditions; i++) {
		if (expr_compile(k->texts[i], &scope, &x[i], &e))
			tap_ok(false, "%s: %s", k->texts[i], e.text);
	}
	for (size_t i = 0; i < k->n_params; i++)
		all *= k->params[i].n;
	for (size_t rank = 0; rank < all; rank++) {
		bool valid = true;
		size_t rest = rank;
		for (size_t i = k->n_params; i-- > 0; rest /= k->params[i].n)
			slots[i] = k->params[i].values[rest % k->params[i].n];
		for (size_t i = 0; i < k->n_conditions; i++)
			valid = valid && expr_eval(x[i], slots, &v) == EXPR_E_OK && value_truth(v);
		buf_add_char(out, valid ? '1' : '0');
	}
	for (size_t i = 0; i < k->n_conditions; i++)
		expr_free(x[i]);
}

static bool combination_of(const struct sketch *k, size_t rank, uint16_t *picks)
{
	for (size_t i = k->n_params; i-- > 0; rank /= k->params[i].n)
		picks[i] = (uint16_t)(rank % k->params[i].n);
	return rank == 0;
}

/* ---- what is checked ---- */

/* The cursor lists the valid combinations in order, and each index leads there and back. */
static size_t count_wrong(const struct sketch *k, const struct space *s, const struct buf *valid)
{
	struct space_cursor *cursor = NULL;
	struct asc_err e;
	size_t wrong = 0, count = 0, changed;
	uint16_t want[MAX_PARAMS];
	struct config c, back;
	uint64_t index;

	if (space_cursor_new(s, &cursor, &e))
		return 1;
	for (size_t rank = 0; rank < valid->len; rank++) {
		if (!combination_of(k, rank, want))
			wrong++;
		c.n = k->n_params;
		for (size_t i = 0; i < c.n; i++)
			c.values[i] = k->params[i].values[want[i]];
		const bool found = space_find(s, &c, &index);
		wrong += found != (valid->data[rank] == '1');
		if (!found)
			continue;
		count++;
		const uint16_t *have = space_cursor_next(cursor, &changed);
		wrong += !have || memcmp(have, want, c.n * sizeof *want) != 0;
		space_get(s, index, &back);
		for (size_t i = 0; i < c.n; i++)
			wrong += !value_equal(c.values[i], back.values[i]);
	}
	wrong += space_count(s) != count || space_cursor_next(cursor, &changed) != NULL;
	space_cursor_free(cursor);
	return wrong;
}

/* The default is the first of the valid combinations that differ from the default values least. */
static bool has_default(const struct sketch *k, const struct space *s, const struct buf *valid)
{
	size_t nearest = MAX_PARAMS + 1;
	uint16_t picks[MAX_PARAMS];
	struct config want = {.n = k->n_params}, have;
	uint64_t index;

	for (size_t rank = 0; rank < valid->len; rank++) {
		size_t different = 0;

		(void)combination_of(k, rank, picks);
		for (size_t i = 0; i < k->n_params; i++)
			different += !value_equal(k->params[i].values[picks[i]],
						  k->params[i].default_value);
		if (valid->data[rank] != '1' || different >= nearest)
			continue;
		nearest = different;
		for (size_t i = 0; i < k->n_params; i++)
			want.values[i] = k->params[i].values[picks[i]];
	}
	if (!space_default(s, &index))
		return nearest > MAX_PARAMS;
	space_get(s, index, &have);
	for (size_t i = 0; i < k->n_params; i++)
		if (!value_equal(have.values[i], want.values[i]))
			return false;
	return nearest <= MAX_PARAMS;
}

struct tally {
	size_t wrong, some; /* spaces; those with something valid and something not */
};

static void check_sketch(const struct sketch *k, struct tally *t)
{
	const struct space_spec spec = {
		k->params, k->n_params, k->conditions, k->n_conditions, {0}};
	struct buf valid = {0};
	struct space *s = NULL;
	struct asc_err e = {0};

	evaluate_all(k, &valid);
	t->some += strchr(buf_str(&valid), '0') && strchr(buf_str(&valid), '1');
	if (space_new(&spec, &s, &e) || count_wrong(k, s, &valid) > 0 ||
	    !has_default(k, s, &valid)) {
		t->wrong++;
		for (size_t i = 0; i < k->n_conditions; i++)
			tap_note("%s%s", k->texts[i], e.text);
	}
	space_free(s);
	buf_fini(&valid);
}

static void shuffle_params(struct sketch *k, struct rng *r)
{
	for (size_t i = k->n_params; i > 1; i--) {
		const size_t other = below(r, i);
		const struct space_param last = k->params[i - 1];
		k->params[i - 1] = k->params[other];
		k->params[other] = last;
	}
}

int main(void)
{
	struct tally in_order = {0}, shuffled = {0};
	struct rng r;

	rng_init(&r, 5);
	for (int i = 0; i < SPACES; i++) {
		struct sketch k;
		draw_sketch(&k, &r);
		check_sketch(&k, &in_order);
		shuffle_params(&k, &r);
		check_sketch(&k, &shuffled);
		sketch_fini(&k);
	}
	tap_ok(in_order.some > SPACES / 4, "%zu of %d spaces are neither empty nor whole",
	       in_order.some, SPACES);
	tap_int(in_order.wrong, 0, "all are the same as one by one");
	tap_int(shuffled.wrong, 0, "also with their parameters shuffled");
	return tap_done();
}
