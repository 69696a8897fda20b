#include "tuner/tune/evaluate/prerequisites.h"

#include <stdio.h>

#include "tuner/base/buf.h"
#include "tuner/build/pool.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/worker/inputs.h"

void prerequisites_name(const struct prerequisites *p, const struct kernel_build *part, char *text,
			size_t size)
{
	const size_t i = part->trial ? 0 : (size_t)(part - p->parts);

	if (part->trial)
		(void)snprintf(text, size, "the program's own configuration");
	else if (i == PREREQUISITES_REFERENCE)
		(void)snprintf(text, size, "the reference");
	else if (i == PREREQUISITES_DEVICE_REFERENCE)
		(void)snprintf(text, size, "the device's reference");
	else
		(void)snprintf(text, size, "the fill function of tensor %s",
			       p->workload->tensors[i].name);
}

static enum asc_status submit(struct prerequisites *p, size_t i, const struct callable *call,
			      const struct evaluator_problem *o, struct pool *pool,
			      struct asc_err *e)
{
	struct kernel_build *part = &p->parts[i];
	/* Inputs and the reference in doubles are computed by the processor. */
	bool there = i == PREREQUISITES_DEVICE_REFERENCE;
	const char *device = there ? o->target->device->name : "cpu";
	char what[512];
	enum asc_status s;

	prerequisites_name(p, part, what, sizeof what);
	part->builder = builder_find(call->builder, device);
	part->source = (struct kernel_source){.binding = o->binding,
					      .call = call,
					      .plan = &part->plan,
					      .device = device,
					      .arch = there ? o->target->info->arch : p->host.arch,
					      .program = o->target->program};
	if (!part->builder)
		return asc_err_set(e, ASC_ABSENT, "%s: %s: no builder \"%s\"", p->workload->path,
				   what, call->builder);
	if (!callable_entry(call, device))
		return asc_err_set(e, ASC_INPUT, "%s: %s: has no entry for %s", p->workload->path,
				   what, device);
	s = kernel_build_start(part, pool, e);
	if (s)
		return asc_err_wrap(e, "%s: %s", p->workload->path, what);
	p->pending += part->state == KERNEL_BUILDING;
	return ASC_OK;
}

static bool needs_function(const struct evaluator_problem *o, size_t i)
{
	const struct tensor *t = &o->binding->workload->tensors[i];

	return o->binding->tensors[i].present && t->role != ROLE_OUT &&
	       t->fill.kind == FILL_FUNCTION;
}

/* ---- references on disk ---- */

static struct reference_key key_of(const struct prerequisites *p, size_t set)
{
	return reference_key_of(&p->key, p->problem->seeds, set);
}

/* Holds the references that the cache has; returns the number of those that it lacks. */
static size_t hold_references(struct prerequisites *p)
{
	size_t lacking = 0;

	reference_room_release(&p->holds);
	for (size_t set = 0; set < p->problem->n_sets; set++) {
		const struct reference_key key = key_of(p, set);

		reference_room_hold(&p->holds, p->cache, &key);
		lacking += !reference_is_kept(p->cache, &key);
	}
	return lacking;
}

/* Checks the files of the references of all sets, holds them, and makes room for those that the
 * cache lacks: as many of them as the bound allows at all. */
static enum asc_status take_references(struct prerequisites *p, struct asc_err *e)
{
	const int64_t bytes = (int64_t)reference_file_bytes(p->key.binding);
	const int64_t most = p->problem->target->references_bytes;

	for (size_t set = 0; set < p->problem->n_sets; set++) {
		const struct reference_key key = key_of(p, set);

		if (reference_check_owner(p->cache, &key, e))
			return e->status;
	}
	p->lacking = hold_references(p);
	p->room_bytes = 0;
	if (most == 0 || p->lacking == 0 || p->problem->small)
		return ASC_OK;
	const int64_t wanted = (int64_t)p->lacking, fit = bytes > 0 ? most / bytes : wanted;

	p->room_bytes = reference_room_make(p->cache, most, (wanted < fit ? wanted : fit) * bytes);
	p->room_bytes += p->room_bytes == 0; /* none at all */
	return ASC_OK;
}

void prerequisites_keep_references(struct prerequisites *p, const char *folder)
{
	bool moved = false;

	for (size_t set = 0; set < p->problem->n_sets; set++) {
		const struct reference_key key = key_of(p, set);

		moved |= reference_move(folder, p->cache, &key);
	}
	if (!moved)
		return;
	const int64_t most = p->problem->target->references_bytes;

	p->lacking = hold_references(p);
	if (most > 0)
		(void)reference_room_make(p->cache, most, 0);
}

/* Adds the C function too where the device computes the reference, to check it. Outputs that the
 * cache has need no kernel of the device: were they damaged, the C function would compute them. */
static enum asc_status submit_references(struct prerequisites *p, const struct evaluator_problem *o,
					 struct pool *pool, struct asc_err *e)
{
	const struct workload *w = p->workload;
	const struct callable *own = workload_reference(w, o->target->device->name);

	if (take_references(p, e))
		return e->status;
	if (reference_plan(o->binding, &p->parts[PREREQUISITES_REFERENCE].plan, e))
		return asc_err_wrap(e, "%s: the reference", w->path);
	if (submit(p, PREREQUISITES_REFERENCE, &w->reference, o, pool, e))
		return e->status;
	if (!own || own == &w->reference || p->lacking == 0 || o->small)
		return ASC_OK;
	if (binding_plan(o->binding, NULL, 0, NULL, &p->parts[PREREQUISITES_DEVICE_REFERENCE].plan,
			 e))
		return asc_err_wrap(e, "%s: the device's reference", w->path);
	return submit(p, PREREQUISITES_DEVICE_REFERENCE, own, o, pool, e);
}

/* ---- the program's own configuration ---- */

bool prerequisites_has(const struct prerequisites *p, const struct kernel_build *part)
{
	bool has = part->trial && part->trial == &p->own;

	for (size_t i = 0; !has && !part->trial && i < PREREQUISITES_PARTS; i++)
		has = part == &p->parts[i];
	return has;
}

const struct trial *prerequisites_own(const struct prerequisites *p)
{
	return p->own.state == TRIAL_BUILT ? &p->own : NULL;
}

/* Takes what has become of its builds: nothing while one is under way. Its launch is the key of
 * what it computes. */
static enum asc_status take_own(struct prerequisites *p, struct asc_err *e)
{
	struct trial *t = &p->own;
	struct buf config = {0};

	if (t->state == TRIAL_BUILDING || t->state == TRIAL_WAITING)
		return ASC_OK;
	if (t->state == TRIAL_BUILT && trial_key_launch(t, e))
		return e->status;
	p->key.own = t->launch;
	if (t->state == TRIAL_BUILT)
		return take_references(p, e);
	config_print(&t->config, t->names, &config);
	(void)asc_err_set(e, ASC_INPUT,
			  "%s: problem %s cannot be verified: the program's own configuration "
			  "(%s%s%s) does not build: %s",
			  p->workload->path, p->key.binding->problem->name, t->implementation->name,
			  config.len > 0 ? " " : "", buf_str(&config), result_reason(&t->result));
	buf_fini(&config);
	return e->status;
}

/* Submits its builds as those of any other configuration: the trial of the default gets the same
 * artifact. */
static enum asc_status submit_own(struct prerequisites *p, const struct evaluator_problem *o,
				  struct pool *pool, struct asc_err *e)
{
	struct trial *t = &p->own;

	if (binding_find_own(o->binding, &t->implementation, &t->config, e))
		return e->status;
	for (size_t i = 0; i < t->implementation->n_parameters; i++)
		p->own_names[i] = t->implementation->parameters[i].name;
	t->names = p->own_names;
	trial_build_again(t, o);
	if (t->state == TRIAL_WAITING && trial_build(t, pool, e))
		/* A kernel may be compiled for a fact that only the device tells. */
		return e->status == ASC_ABSENT && o->target->build_only ? ASC_OK : e->status;
	p->pending += t->state == TRIAL_BUILDING;
	return take_own(p, e);
}

/* ---- all together ---- */

enum asc_status prerequisites_begin(struct prerequisites *p, const struct evaluator_problem *o,
				    struct pool *pool, struct asc_err *e)
{
	const struct workload *w = o->binding->workload;
	const struct device_ops *cpu = device_find("cpu");

	p->workload = w;
	p->problem = o;
	p->key =
		(struct reference_key){.binding = o->binding, .seed = o->seeds[0], .hard = o->hard};
	p->cache = o->target->cache;
	if (cpu->inspect("", &p->host, e))
		return e->status;
	for (size_t i = 0; i < w->n_tensors; i++) {
		if (!needs_function(o, i))
			continue;
		if (input_function_plan(o->binding, i, inputs_seed(o->seeds[0], w->tensors[i].name),
					&p->calls[i], &p->parts[i].plan, e) ||
		    submit(p, i, &p->calls[i], o, pool, e))
			return e->status;
	}
	if (w->reference_kind == REFERENCE_NONE)
		return ASC_OK;
	return w->reference_kind == REFERENCE_FUNCTION ? submit_references(p, o, pool, e)
						       : submit_own(p, o, pool, e);
}

enum asc_status prerequisites_take(struct prerequisites *p, struct kernel_build *part,
				   struct pool_done *done, struct pool *pool, struct asc_err *e)
{
	char what[512];

	if (part->trial) {
		const enum asc_status s = trial_take_build(part, done, pool, e);

		p->pending -= p->own.state != TRIAL_BUILDING;
		return s ? s : take_own(p, e);
	}
	p->pending--;
	prerequisites_name(p, part, what, sizeof what);
	if (done->artifact.outcome != ARTIFACT_BUILT)
		return asc_err_set(e, done->trouble ? done->trouble : ASC_INPUT, "%s: %s: %s",
				   p->workload->path, what,
				   done->reason ? done->reason : "was not built");
	return kernel_build_take(part, done, pool, e);
}

bool prerequisites_lost(const struct prerequisites *p)
{
	for (size_t i = 0; i < PREREQUISITES_PARTS; i++)
		if (kernel_build_is_lost(&p->parts[i]))
			return true;
	return prerequisites_own(p) && !trial_artifacts_hold(&p->own);
}

void prerequisites_cancel(struct prerequisites *p, struct pool *pool)
{
	for (size_t i = 0; i < PREREQUISITES_PARTS; i++)
		kernel_build_fini(&p->parts[i], pool);
	trial_cancel(&p->own, pool);
	reference_room_release(&p->holds);
	p->pending = 0;
}
