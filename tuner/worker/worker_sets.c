#include "tuner/worker/worker_sets.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_expected.h"
#include "tuner/worker/worker_problem.h"

bool worker_sets_in_files(const struct worker_problem *p)
{
	return p->binding.problem->n_sets > 0;
}

int64_t worker_sets_bytes(const struct binding *b, const struct device_ops *ops)
{
	int64_t bytes = worker_expected_bytes(b, ops);

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (b->tensors[i].present && b->tensors[i].owner == i)
			bytes += b->tensors[i].memory_bytes;
	return bytes;
}

bool worker_sets_has(const struct worker_problem *p, size_t i)
{
	const struct fill *f = &p->workload->tensors[i].fill;

	if (!p->binding.tensors[i].present || p->workload->tensors[i].role == ROLE_OUT)
		return false;
	return worker_sets_in_files(p)
		       ? f->kind == FILL_FILE && !f->file
		       : f->kind != FILL_FILE && f->kind != FILL_CONSTANT && f->kind != FILL_INDEX;
}

/* True for an input that says how much work there is, or may: lengths, counts, numbers of experts.
 * Integers of one byte are data. */
static bool is_of_work(const struct worker_problem *p, size_t i)
{
	const enum fill_kind kind = p->workload->tensors[i].fill.kind;
	const enum dtype type = p->binding.tensors[i].dtype;

	return !dtype_is_float(type) && dtype_bytes(type) > 1 && kind != FILL_BLOCK_TABLE &&
	       kind != FILL_SLOTS;
}

void worker_sets_lay_out(struct worker_problem *p, void *const inputs[WORKLOAD_MAX_TENSORS])
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->images[i])
			views_lay_out(&p->binding, i, p->poison, POISON_BYTE, inputs, p->images[i]);
}

enum asc_status worker_sets_put_inputs(struct worker_problem *p,
				       void *const inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e)
{
	const struct bound_tensor *t = p->binding.tensors;

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const void *contents = p->images[i] ? p->images[i] : inputs[i];

		if (!t[i].present || t[i].owner != i || !contents)
			continue;
		if (p->ops->write(p->device, p->buffers[i], contents, (size_t)t[i].memory_bytes,
				  e) ||
		    (!views_written(&p->binding, i) &&
		     p->ops->protect(p->device, p->buffers[i], true, e)))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status worker_sets_follow_reference(struct worker_problem *p,
					     void *const inputs[WORKLOAD_MAX_TENSORS],
					     struct asc_err *e)
{
	if (worker_expected_make_poison(p, e))
		return e->status;
	worker_sets_lay_out(p, inputs);
	worker_expected_put(p);
	reference_unmap(&p->reference);
	return ASC_OK;
}

/* ---- another set ---- */

/* Makes inputs in memory of their own, inputs[], which the caller frees: those of a set that
 * differ, or, of a seed that no set has, those that say nothing of how much work there is; with
 * them all others of memories that hold views, which are laid out as a whole. */
static enum asc_status read_set(const struct worker_problem *p, size_t set, const uint64_t *unseen,
				void *inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e)
{
	struct worker_problem_request request = {.hard = p->hard, .artifacts = p->fills};
	const struct bound_tensor *t = p->binding.tensors;
	void *wanted[WORKLOAD_MAX_TENSORS] = {NULL};

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const void *image = p->images[t[i].owner];
		const bool differs = worker_sets_has(p, i) && !(unseen && is_of_work(p, i));

		if (!t[i].present || p->workload->tensors[i].role == ROLE_OUT ||
		    (!differs && !image))
			continue;
		inputs[i] = malloc((size_t)t[i].bytes + 1);
		if (!inputs[i])
			return asc_err_nomem(e);
		if (differs)
			wanted[i] = inputs[i];
		else
			view_gather(&t[i], image, inputs[i]);
	}
	memcpy(request.seeds, p->seeds, sizeof request.seeds);
	if (unseen)
		request.seeds[set] = *unseen;
	return inputs_make(&p->binding, &request, set, wanted, e);
}

/* Restores inout tensors to these contents from here on; frees the others. */
static void take_inputs(struct worker_problem *p, void *inputs[WORKLOAD_MAX_TENSORS])
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (inputs[i] && p->host[i]) {
			free(p->host[i]);
			p->host[i] = inputs[i];
		} else {
			free(inputs[i]);
		}
}

bool worker_sets_keeps(const struct worker_problem *p, size_t set)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->kept[set][i])
			return true;
	return false;
}

enum asc_status worker_sets_swap(struct worker_problem *p, size_t set, struct asc_err *e)
{
	return worker_sets_put_inputs(p, p->kept[set], e);
}

void worker_sets_drop_kept(struct worker_problem *p)
{
	for (size_t set = 0; set < WORKLOAD_MAX_SETS; set++)
		for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++)
			free(p->kept[set][i]);
}

/* True where inputs of a set, which are on the device, are to be kept: copying them takes a
 * millisecond or two, and nothing else depends on which of them are there. */
static bool may_keep(const struct worker_problem *p, void *const inputs[WORKLOAD_MAX_TENSORS])
{
	enum { MOST_BYTES = 16 << 20 };
	int64_t bytes = 0;

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (p->images[i] || p->host[i] || p->n_left[i] > 0)
			return false;
		bytes += inputs[i] ? p->binding.tensors[i].bytes : 0;
	}
	return bytes <= MOST_BYTES;
}

enum asc_status worker_problem_put_set(struct worker_problem *p, size_t set, struct asc_err *e)
{
	void *inputs[WORKLOAD_MAX_TENSORS] = {NULL};

	if (set == p->set && !p->unseen)
		return ASC_OK;
	p->unseen = false;
	worker_expected_drop(p);
	p->references[p->set] = p->reference;
	p->reference = p->references[set];
	p->references[set] = (struct reference){0};
	p->set = set;
	const bool kept = worker_sets_keeps(p, set);
	enum asc_status s = ASC_OK;

	if (kept)
		memcpy(inputs, p->kept[set], sizeof inputs);
	else
		s = read_set(p, set, NULL, inputs, e);
	if (!s)
		s = reference_map(&p->reference, &p->binding, e);
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		free(p->poison[i]);
		p->poison[i] = NULL;
	}
	if (!s)
		s = worker_sets_follow_reference(p, inputs, e);
	if (!s)
		s = worker_sets_put_inputs(p, inputs, e);
	if (!s && !kept && may_keep(p, inputs))
		memcpy(p->kept[set], inputs, sizeof inputs);
	else if (!kept)
		take_inputs(p, inputs);
	return s;
}

bool worker_problem_has_unseen(const struct worker_problem *p)
{
	bool any = false;

	for (size_t i = 0; i < p->workload->n_tensors && !worker_sets_in_files(p); i++)
		any |= worker_sets_has(p, i) && !is_of_work(p, i) &&
		       p->workload->tensors[i].fill.kind != FILL_FUNCTION;
	return any;
}

enum asc_status worker_problem_put_unseen(struct worker_problem *p, uint64_t seed,
					  struct asc_err *e)
{
	void *inputs[WORKLOAD_MAX_TENSORS] = {NULL};

	p->unseen = true;
	enum asc_status s = read_set(p, p->set, &seed, inputs, e);

	if (!s) {
		worker_sets_lay_out(p, inputs);
		s = worker_sets_put_inputs(p, inputs, e);
	}
	take_inputs(p, inputs);
	return s;
}
