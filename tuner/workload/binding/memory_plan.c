
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/binding/binding_space.h"
#include "tuner/workload/binding/binding_verdicts.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/occupancy.h"
#include "tuner/workload/limits/placement.h"

static const struct binding_range byte_range = {0, INT64_C(1) << BINDING_MAX_BYTES_LOG2};

/* The buffers of a kernel in the memory spaces of a device: which bytes they need there, and where
 * its tiles lie. A kernel states for each space either bytes alone, which are compared with the
 * size of the space, or tiles with lifetimes, which have to be placed (limits/placement).
 *
 * Conditions of a space (limit_conditions) are about sums of bytes, which expressions can say. That
 * tiles can also be arranged is found here, for one configuration at a time or, where no parameter
 * matters, once for all (memory_plan_refused). */

/* The planner of one use of a memory space. */
struct memory_plan {
	const struct binding_scope *scope;
	const struct memory_use *use;
	const struct memory_space *space;
	const struct value *slots;
	struct placement_tile *tiles; /* use->n_tiles of them */
};

static enum asc_status tiles_eval(struct memory_plan *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	p->tiles = calloc(p->use->n_tiles + 1, sizeof *p->tiles);
	if (!p->tiles)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->use->n_tiles && status == ASC_OK; i++) {
		const struct tile *t = &p->use->tiles[i];

		p->tiles[i] = (struct placement_tile){
			.name = t->name, .first = t->first, .last = t->last};
		status = binding_eval_int(p->scope, &t->bytes, p->slots, byte_range,
					  &p->tiles[i].bytes, e);
	}
	return status;
}

/* Places the tiles. ASC_FULL and ASC_LIMIT as placement_find(). */
static enum asc_status plan_tiles(struct memory_plan *p, struct asc_err *e)
{
	const enum asc_status status = tiles_eval(p, e);

	return status ? status
		      : placement_find(p->space, p->scope->binding->limits->name, p->tiles,
				       p->use->n_tiles, e);
}

/* ---- without a configuration ---- */

static enum asc_status is_constant(const struct binding_scope *s, const struct memory_use *m,
				   bool *constant, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	/* Bytes without tiles need no placing: a condition of the space says whether they fit. */
	*constant = m->n_tiles > 0;
	for (size_t i = 0; i < m->n_tiles && *constant; i++) {
		struct expr *x = NULL;
		const size_t *slots;

		status = binding_compile(s, &m->tiles[i].bytes, &x, e);
		*constant = status == ASC_OK && !expr_is_unknown(x) && expr_slots(x, &slots) == 0;
		expr_free(x);
	}
	return status;
}

static enum asc_status use_refused(const struct binding_scope *s, const struct memory_use *m,
				   bool *refused, char *reason, size_t size, struct asc_err *e)
{
	struct memory_plan p = {
		.scope = s, .use = m, .space = limits_space(s->binding->limits, m->space)};
	bool constant = false;

	if (!p.space || !p.space->bytes)
		return ASC_OK;
	enum asc_status status = is_constant(s, m, &constant, e);
	if (status != ASC_OK || !constant)
		return status;
	status = plan_tiles(&p, e);
	free(p.tiles);
	/* ASC_LIMIT, no arrangement among those tried, is no proof: such a kernel may run. */
	*refused = status == ASC_FULL;
	if (*refused)
		snprintf(reason, size, "%s", e->text);
	return status == ASC_FULL || status == ASC_LIMIT ? ASC_OK : status;
}

enum asc_status memory_plan_refused(const struct binding *b, const struct implementation *i,
				    bool *refused, char *reason, size_t size, struct asc_err *e)
{
	struct binding_scope s;
	enum asc_status status = binding_scope_init(&s, b, i, e);

	for (size_t k = 0; k < i->n_memory && status == ASC_OK && !*refused; k++)
		status = use_refused(&s, &i->memory[k], refused, reason, size, e);
	binding_scope_fini(&s);
	return status;
}

/* ---- of one configuration, in words ---- */

static enum asc_status print_tile(const struct memory_plan *p, const struct placement_tile *t,
				  struct buf *out, struct asc_err *e)
{
	const int64_t bytes = memory_space_round(p->space, t->bytes);
	int64_t first = 0, end = 0;

	if (memory_space_index(p->space, t->offset, &first, e) ||
	    memory_space_index(p->space, t->offset + bytes, &end, e))
		return e->status;
	buf_print(out, "  %-16s %s %lld..%lld, steps %lld..%lld, %lld B\n", t->name,
		  p->space->unit_bytes > 1 ? "blocks" : "bytes", (long long)first,
		  (long long)(end > first ? end - 1 : first), (long long)t->first,
		  (long long)t->last, (long long)t->bytes);
	return ASC_OK;
}

static enum asc_status print_map(const struct memory_plan *p, struct buf *out, struct asc_err *e)
{
	const struct memory_space *s = p->space;
	int64_t step;
	const int64_t peak = placement_peak(s, p->tiles, p->use->n_tiles, &step);
	enum asc_status status = ASC_OK;

	buf_print(out, "%s of %s: %lld of %lld %s at step %lld\n", s->name,
		  p->scope->binding->limits->name, (long long)(peak / s->unit_bytes),
		  (long long)s->max_units, s->unit_bytes > 1 ? "blocks" : "B", (long long)step);
	for (size_t i = 0; i < p->use->n_tiles && status == ASC_OK; i++)
		status = print_tile(p, &p->tiles[i], out, e);
	return status;
}

/* Explains one memory space. `drops`: a configuration that does not fit as asked for runs without
 * multibuffer. */
static enum asc_status explain_bytes(const struct memory_plan *p, bool drops, struct buf *out,
				     struct asc_err *e)
{
	const struct limits *l = p->scope->binding->limits;
	double bytes = 0;

	if (binding_eval_real(p->scope, &p->use->bytes, p->slots, &bytes, e))
		return e->status;
	buf_print(out, "%s of %s: %.0f of %lld B%s\n", p->space->name, l->name, bytes,
		  (long long)p->space->bytes,
		  drops && bytes > (double)p->space->bytes
			  ? ": the compiler drops multibuffer, and code motion with it"
			  : "");
	return ASC_OK;
}

/* Describes tiles that do not fit, or a formula that cannot be evaluated for this configuration: no
 * error. */
static enum asc_status explain_failure(const struct asc_err *e, struct buf *out)
{
	if (e->status != ASC_FULL && e->status != ASC_LIMIT && e->status != ASC_INPUT)
		return e->status;
	buf_print(out, "%s\n", e->text);
	return ASC_OK;
}

static enum asc_status explain_use(struct memory_plan *p, bool drops, bool *fits, struct buf *out,
				   struct asc_err *e)
{
	if (!p->space || !p->space->bytes)
		return ASC_OK;
	/* A configuration that breaks another condition is not compiled, so nothing is dropped. */
	if (!p->use->n_tiles)
		return explain_bytes(p, drops && *fits, out, e);
	enum asc_status status = plan_tiles(p, e);
	if (status == ASC_FULL)
		*fits = false;
	if (status == ASC_OK)
		status = print_map(p, out, e);
	free(p->tiles);
	return status;
}

static enum asc_status explain_occupancy(const struct binding *b, const struct implementation *i,
					 size_t call, const struct config *c, struct buf *out,
					 struct asc_err *e)
{
	struct plan plan;

	if (!b->limits->sm || !i->calls[call].launch.block[0].text)
		return ASC_OK;
	if (binding_plan(b, i, call, c, &plan, e))
		return explain_failure(e, out);
	const int64_t threads = plan.block[0] * plan.block[1] * plan.block[2];
	const struct occupancy o = occupancy_find(b->limits->sm, threads, 0, plan.shared_bytes);
	buf_print(out,
		  "occupancy on %s: %d blocks of %lld threads, %d of %d warps, bound by %s; "
		  "registers are not known before it is built\n",
		  b->limits->name, o.blocks, (long long)threads, o.warps, o.max_warps, o.bound);
	return ASC_OK;
}

/* True where a table of verdicts tells what the compiler does with the configuration. */
static bool is_told(const struct binding *b, const struct implementation *i, const struct config *c)
{
	const struct verdict_row *row;
	struct asc_err ignored;
	bool told = false;

	for (size_t k = 0; k < i->n_calls; k++)
		told |= binding_verdicts_find(b, i, k, c, &row, &ignored) == ASC_OK && row;
	return told;
}

enum asc_status binding_explain_limits(const struct binding *b, const struct implementation *i,
				       const struct config *c, bool *fits, struct buf *out,
				       struct asc_err *e)
{
	struct binding_scope s;

	if (!b->limits)
		return ASC_OK;
	const bool drops = limit_drops_multibuffer(b, i) && !is_told(b, i, c);
	enum asc_status status = binding_scope_init(&s, b, i, e);
	for (size_t k = 0; k < i->n_memory && status == ASC_OK; k++) {
		struct memory_plan p = {.scope = &s,
					.use = &i->memory[k],
					.space = limits_space(b->limits, i->memory[k].space),
					.slots = c->values};
		/* A configuration that does not fit is an answer here: it becomes a line, not a
		 * failure. */
		if (explain_use(&p, drops, fits, out, e))
			status = explain_failure(e, out);
	}
	binding_scope_fini(&s);
	for (size_t k = 0; k < i->n_calls && status == ASC_OK; k++)
		status = explain_occupancy(b, i, k, c, out, e);
	return status ? status : buf_check(out, e);
}
