#include "tuner/workload/binding/binding_space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/workload/binding/rewrite_state.h"
#include "tuner/workload/binding/verdict_view.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/verdict_table.h"
#include "tuner/workload/space/space.h"

/* The limits of a device as conditions of a space, so that configurations which cannot run are
 * never in it: products of a block's and a grid's axes, shared memory, and the bytes of each memory
 * space at each step at which tiles live together. Each condition names its limit as its origin.
 * Formulas are put into text, not evaluated: parameters stay variables. */

bool limit_drops_multibuffer(const struct binding *b, const struct implementation *i)
{
	bool triton = false;

	for (size_t k = 0; k < i->n_calls; k++)
		triton |= strcmp(i->calls[k].builder, "triton") == 0;
	return triton && b->limits && b->limits->drops_multibuffer;
}

/* ---- the list of conditions ---- */

void condition_list_cut(struct condition_list *l, size_t n)
{
	for (; l->n > n; l->n--) {
		free(l->texts[2 * l->n - 1]);
		free(l->texts[2 * l->n - 2]);
	}
}

void condition_list_fini(struct condition_list *l)
{
	condition_list_cut(l, 0);
	free(l->texts);
	free(l->items);
	*l = (struct condition_list){0};
}

void condition_list_add(struct condition_list *l, char *text, char *origin)
{
	size_t capacity = l->capacity; /* the same for both arrays: the second one notes it */

	/* NULL stands for a print that failed, so that callers add without checking each text. */
	if (!text || !origin || l->failed ||
	    !array_room(&l->items, l->n, &capacity, sizeof *l->items) ||
	    !array_room(&l->texts, l->n, &l->capacity, 2 * sizeof *l->texts)) {
		free(text);
		free(origin);
		l->failed = true;
		return;
	}
	l->texts[2 * l->n] = text;
	l->texts[2 * l->n + 1] = origin;
	l->items[l->n++] = (struct space_condition){.text = text, .origin = origin};
}

enum asc_status condition_list_check(const struct condition_list *l, struct asc_err *e)
{
	return l->failed ? asc_err_nomem(e) : ASC_OK;
}

/* ---- launches ---- */

char *launch_product_text(const struct formula axes[3])
{
	struct buf b = {0};

	/* An absent axis is 1. */
	for (size_t k = 0; k < 3; k++)
		if (axes[k].text)
			buf_print(&b, "%s(%s)", b.len ? " * " : "", axes[k].text);
	return buf_take(&b);
}

static void product_add(const struct formula axes[3], int64_t limit, const char *what,
			const struct limits *l, struct condition_list *out)
{
	char *product = launch_product_text(axes);

	/* "" means that no axis is stated: nothing to limit. */
	if (!product || *product)
		condition_list_add(
			out, product ? str_print("%s <= %lld", product, (long long)limit) : NULL,
			str_print("%s of %s", what, l->name));
	free(product);
}

static void axes_add(const struct formula axes[3], const int64_t limits[3], const char *what,
		     const struct limits *l, struct condition_list *out)
{
	for (size_t k = 0; k < 3; k++)
		if (axes[k].text && limits[k])
			condition_list_add(
				out, str_print("(%s) <= %lld", axes[k].text, (long long)limits[k]),
				str_print("%s[%zu] of %s", what, k, l->name));
}

static void launch_add(const struct binding *b, const struct implementation *i, size_t call,
		       struct condition_list *out)
{
	const struct limits *l = b->limits;
	const struct launch *launch = &i->calls[call].launch;
	const struct memory_space *shared = limits_space(l, "shared");
	char grid[CALL_MEMBER_SIZE], block[CALL_MEMBER_SIZE], bytes[CALL_MEMBER_SIZE];

	call_member_print(i, call, "launch.grid", grid);
	call_member_print(i, call, "launch.block", block);
	call_member_print(i, call, "launch.shared", bytes);
	/* Devices with threads limit each axis; others the product of the grid alone, unless it is
	 * folded. */
	if (l->block[0]) {
		axes_add(launch->grid, l->grid, grid, l, out);
		axes_add(launch->block, l->block, block, l, out);
		product_add(launch->block, l->block[0], "threads of a block", l, out);
	} else if (l->grid_product && !binding_folds_grid(b, i)) {
		product_add(launch->grid, l->grid_product, "grid", l, out);
	}
	if (shared && launch->shared.text)
		condition_list_add(
			out,
			str_print("(%s) <= %lld", launch->shared.text, (long long)shared->bytes),
			str_print("%s of %s", bytes, l->name));
}

/* ---- memory ---- */

struct memory_view { /* one use of a memory space of the device */
	const struct memory_use *use;
	const struct memory_space *space;
	const struct limits *limits;
	bool as_asked; /* with multibuffer where the configuration asks for it; else without, as the
			  compiler falls back */
	struct condition_list *out;
};

/* Adds a condition; takes the texts. */
static enum asc_status memory_condition_add(const struct memory_view *v, char *text, char *origin,
					    struct asc_err *e)
{
	char *fallback = NULL;
	enum asc_status status = text && origin ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && !v->as_asked) {
		/* The compiler drops multibuffer where it does not fit: what has to fit is the
		 * kernel without it. */
		status = expr_replace(text, LIMIT_MULTIBUFFER, "False", &fallback, e);
		free(text);
		text = fallback;
	}
	if (status == ASC_OK) {
		/* The planner's verdict on a configuration goes before what an expression says. */
		condition_list_add(v->out, verdict_views_relax(v->out->verdicts, text), origin);
		return ASC_OK;
	}
	free(text);
	free(origin);
	return status;
}

static bool lives_at(const struct tile *t, int64_t step)
{
	return t->first <= step && step <= t->last;
}

/* True when all tiles that live at step `a` live at step `b` too, with others. Of equal steps the
 * earlier one counts. */
static bool is_within(const struct memory_use *m, int64_t a, int64_t b)
{
	bool more = b < a;

	for (size_t i = 0; i < m->n_tiles; i++) {
		const bool at_a = lives_at(&m->tiles[i], a), at_b = lives_at(&m->tiles[i], b);

		if (at_a && !at_b)
			return false;
		more |= at_b && !at_a;
	}
	return a != b && more;
}

/* True for a step whose tiles live together at no other step with more; each such step is one at
 * which a tile begins. */
static bool matters(const struct memory_use *m, size_t tile)
{
	/* A condition for each step would be as many as tiles; those of a larger set imply the
	 * others. */
	const int64_t step = m->tiles[tile].first;

	for (size_t i = 0; i < m->n_tiles; i++)
		if (is_within(m, step, m->tiles[i].first) ||
		    (i < tile && m->tiles[i].first == step))
			return false;
	return true;
}

static enum asc_status step_add(const struct memory_view *v, int64_t step, struct asc_err *e)
{
	struct buf text = {0}, names = {0};

	for (size_t i = 0; i < v->use->n_tiles; i++) {
		const struct tile *t = &v->use->tiles[i];

		if (!lives_at(t, step))
			continue;
		/* Each tile takes whole units of the space, as the allocator on the device gives
		 * them. */
		buf_print(&text, "%salign(%s, %lld)", text.len ? " + " : "", t->bytes.text,
			  (long long)v->space->align);
		buf_print(&names, "%s%s", names.len ? ", " : "", t->name);
	}
	buf_print(&text, " <= %lld", (long long)v->space->bytes);
	char *origin = str_print("memory.%s of %s at step %lld (%s)", v->use->space,
				 v->limits->name, (long long)step, buf_str(&names));
	buf_fini(&names);
	return memory_condition_add(v, buf_take(&text), origin, e);
}

static enum asc_status use_add(const struct memory_view *v, struct asc_err *e)
{
	const struct memory_use *m = v->use;
	enum asc_status status = ASC_OK;

	if (m->bytes.text)
		return memory_condition_add(
			v, str_print("(%s) <= %lld", m->bytes.text, (long long)v->space->bytes),
			str_print("memory.%s of %s", m->space, v->limits->name), e);
	for (size_t i = 0; i < m->n_tiles && status == ASC_OK; i++)
		if (matters(m, i))
			status = step_add(v, m->tiles[i].first, e);
	return status;
}

static enum asc_status memory_add(const struct binding *b, const struct implementation *i,
				  bool wish, struct condition_list *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	/* A compiler that falls back keeps a configuration that does not fit as asked for in
	 * the space, with a warning (limit_wishes_add). */
	const bool as_asked = wish || !limit_drops_multibuffer(b, i);

	for (size_t k = 0; k < i->n_memory && status == ASC_OK; k++) {
		const struct memory_use *m = &i->memory[k];
		const struct memory_space *space = limits_space(b->limits, m->space);

		/* 0: managed outside, without a limit. */
		if (space && space->bytes)
			status = use_add(&(struct memory_view){m, space, b->limits, as_asked, out},
					 e);
	}
	return status;
}

/* ---- verdicts ---- */

/* Adds that no row of a table has the word. */
static void verdict_add(const struct verdict_view *v, const char *word, const char *what,
			const struct limits *l, struct condition_list *out)
{
	if (verdict_view_has(v, word))
		condition_list_add(out, str_print("%s != '%s'", v->name, word),
				   str_print("%s of %s, by %s", what, l->name, v->file));
}

static void verdicts_add(const struct limits *l, struct condition_list *out)
{
	const char *space;

	for (size_t k = 0; out->verdicts && k < out->verdicts->n; k++) {
		const struct verdict_view *v = &out->verdicts->list[k];

		for (size_t i = 0; (space = verdict_table_space(i)); i++)
			verdict_add(v, space, space, l, out);
		verdict_add(v, VERDICT_UNSUPPORTED, "compiler", l, out);
	}
}

/* ---- the whole ---- */

enum asc_status launch_conditions_add(const struct binding *b, const struct implementation *i,
				      struct condition_list *out, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_calls && b->limits; k++)
		launch_add(b, i, k, out);
	return condition_list_check(out, e);
}

enum asc_status limit_conditions_add(const struct binding *b, const struct implementation *i,
				     struct condition_list *out, struct asc_err *e)
{
	if (!b->limits)
		return ASC_OK;
	if (launch_conditions_add(b, i, out, e))
		return e->status;
	verdicts_add(b->limits, out);
	const enum asc_status status = memory_add(b, i, false, out, e);
	return status ? status : condition_list_check(out, e);
}

enum asc_status limit_wishes_add(const struct binding *b, const struct implementation *i,
				 struct condition_list *out, struct asc_err *e)
{
	if (!limit_drops_multibuffer(b, i))
		return ASC_OK;
	for (size_t k = 0; out->verdicts && k < out->verdicts->n; k++)
		verdict_add(&out->verdicts->list[k], VERDICT_FALLS_BACK, LIMIT_MULTIBUFFER,
			    b->limits, out);
	const enum asc_status status = memory_add(b, i, true, out, e);
	return status ? status : condition_list_check(out, e);
}
