#include "tuner/worker/worker_sets.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/worker/buffer_label.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_expected.h"
#include "tuner/worker/worker_problem.h"

bool worker_sets_in_files(const struct worker_problem *p)
{
	return p->binding.problem->n_sets > 0;
}

/* Bytes of inputs and answers of the largest set that is kept: on a CPU copying 16 MiB takes a
 * millisecond or two. A device with a memory of its own keeps 1 GiB, and in all sets no more than
 * an eighth of that memory. */
enum { MOST_SHARED = 16 << 20, MOST_OWN = 1 << 30, OWN_PART = 8 };

int64_t worker_sets_bytes(const struct binding *b, const struct device_ops *ops, size_t n_sets)
{
	const int64_t expected = worker_expected_bytes(b, ops);
	int64_t bytes = 0, set = expected;
	bool keeps = n_sets > 1;

	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		keeps |= b->tensors[i].present && b->workload->tensors[i].role == ROLE_INOUT;
		if (b->tensors[i].present && b->tensors[i].owner == i)
			bytes += b->tensors[i].memory_bytes;
		if (b->tensors[i].present && b->workload->tensors[i].role != ROLE_OUT)
			set += b->tensors[i].bytes;
	}
	return keeps && ops->copy && set <= MOST_OWN ? bytes + (int64_t)n_sets * set
						     : bytes + expected;
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

/* True where no input has reals: integers are what is worked on. */
static bool is_of_integers(const struct worker_problem *p)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->binding.tensors[i].present && p->workload->tensors[i].role != ROLE_OUT &&
		    dtype_is_float(p->binding.tensors[i].dtype))
			return false;
	return true;
}

/* True for an input that says how much work there is, or may: lengths, counts, numbers of experts.
 * Integers of one byte are data, and so are many that are drawn evenly where there are no reals:
 * of whatever they say, their mean stays. */
static bool is_of_work(const struct worker_problem *p, size_t i)
{
	enum { MANY = 1024 };
	const enum fill_kind kind = p->workload->tensors[i].fill.kind;
	const enum dtype type = p->binding.tensors[i].dtype;

	if (kind == FILL_UNIFORM && p->binding.tensors[i].count >= MANY && is_of_integers(p))
		return false;
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

/* True for an input that takes another content where inputs are unseen: not one that says how much
 * work there is, nor one that takes long to make. */
static bool changes_unseen(const struct worker_problem *p, size_t i)
{
	return worker_sets_has(p, i) && !is_of_work(p, i) &&
	       !(p->slow_fills && p->workload->tensors[i].fill.kind == FILL_FUNCTION);
}

/* Makes inputs in memory of their own, inputs[], which the caller frees: those that a set has of
 * its own, or, of `seed`, those that change where they are unseen; with them all others of memories
 * that hold views, which are laid out as a whole. */
static enum asc_status read_set(const struct worker_problem *p, size_t set, const uint64_t *seed,
				void *inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e)
{
	struct worker_problem_request request = {.hard = p->hard, .artifacts = p->fills};
	const struct bound_tensor *t = p->binding.tensors;
	void *wanted[WORKLOAD_MAX_TENSORS] = {NULL};

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const void *image = p->images[t[i].owner];
		const bool differs = seed ? changes_unseen(p, i) : worker_sets_has(p, i);

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
	if (seed)
		request.seeds[set] = *seed;
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

/* ---- sets that are kept ---- */

static void free_kept(struct worker_problem *p, size_t set)
{
	struct kept_set *k = p->kept[set];

	for (size_t i = 0; k && i < WORKLOAD_MAX_TENSORS; i++) {
		p->ops->release(p->device, k->inputs[i]);
		p->ops->release(p->device, k->expected[i]);
		free(k->poison[i]);
	}
	free(k);
	p->kept[set] = NULL;
}

void worker_sets_drop_kept(struct worker_problem *p)
{
	for (size_t set = 0; set < WORKLOAD_MAX_SETS; set++)
		free_kept(p, set);
}

/* True for a tensor of which a set that is kept has a copy. */
static bool is_kept(const struct worker_problem *p, size_t i)
{
	return worker_sets_has(p, i) || p->host[i];
}

/* True where a set may be kept: nothing depends on which one is there but what struct kept_set
 * has. */
static bool may_keep(const struct worker_problem *p)
{
	const struct device_info *info = p->ops->info(p->device);
	const int64_t memory = info->facts.value[FACT_MEMORY_BYTES]; /* 0: unknown */
	int64_t bytes = 0;
	bool returns = p->n_sets > 1; /* it is put again: for a round, or before each launch */

	if (!p->ops->copy)
		return false;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct bound_tensor *t = &p->binding.tensors[i];

		if (p->images[t->owner] || p->n_left[i] > 0 ||
		    (p->ops->alloc_host && p->workload->tensors[i].place == PLACE_HOST))
			return false;
		returns |= p->host[i] != NULL;
		bytes += is_kept(p, i) ? t->bytes : 0;
		bytes += p->expected[i] ? t->count * (int64_t)sizeof(double) : 0;
		bytes += p->poison[i] ? t->bytes : 0;
	}
	if (!returns)
		return false;
	if (info->shares_host)
		return bytes <= MOST_SHARED;
	return bytes <= MOST_OWN &&
	       (memory == 0 || bytes * (int64_t)p->n_sets <= memory / OWN_PART);
}

enum asc_status worker_sets_keep(struct worker_problem *p, struct asc_err *e)
{
	struct asc_err none;
	enum asc_status s = ASC_OK;

	if (p->kept[p->set] || !may_keep(p))
		return ASC_OK;
	struct kept_set *k = p->kept[p->set] = calloc(1, sizeof *k);

	if (!k)
		return asc_err_nomem(e);
	for (size_t i = 0; !s && i < p->workload->n_tensors; i++) {
		const size_t bytes = (size_t)p->binding.tensors[i].memory_bytes;

		if (!is_kept(p, i))
			continue;
		/* A device without room has this set once, as before. */
		if (p->ops->alloc(p->device, bytes, &k->inputs[i], &none)) {
			k->inputs[i] = NULL;
			free_kept(p, p->set);
			return ASC_OK;
		}
		buffer_label_tensor(p->ops, k->inputs[i], p->workload->tensors[i].name,
				    &p->binding.tensors[i], p->binding.tensors[i].dtype);
		/* Launches have changed what is in the memory of an inout tensor. */
		s = p->host[i] ? p->ops->write(p->device, k->inputs[i], p->host[i], bytes, e)
			       : p->ops->copy(p->device, k->inputs[i], p->buffers[i], e);
		if (!s)
			s = p->ops->protect(p->device, k->inputs[i], true, e);
	}
	return s;
}

bool worker_sets_keeps(const struct worker_problem *p)
{
	for (size_t set = 0; set < p->n_sets; set++)
		if (!p->kept[set])
			return false;
	return p->n_sets > 1;
}

bool worker_sets_alike(const struct worker_problem *p)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (worker_sets_has(p, i) && is_of_work(p, i))
			return false;
	return !worker_sets_in_files(p);
}

/* Takes the place of what follows from the reference of the set that is there, which is kept with
 * that, or dropped, for that of another one. */
static void exchange_answers(struct worker_problem *p, size_t set)
{
	struct kept_set *const from = p->kept[p->set], *const to = p->kept[set];

	if (!from)
		worker_expected_drop(p);
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (from) {
			from->expected[i] = p->expected[i];
			from->masks[i] = p->masks[i];
			from->poison[i] = p->poison[i];
		} else {
			free(p->poison[i]);
		}
		p->expected[i] = to ? to->expected[i] : NULL;
		p->poison[i] = to ? to->poison[i] : NULL;
		p->n_left[i] = 0;
		if (!to)
			continue;
		p->masks[i] = to->masks[i];
		to->expected[i] = NULL;
		to->poison[i] = NULL;
	}
	p->references[p->set] = p->reference;
	p->reference = p->references[set];
	p->references[set] = (struct reference){0};
	p->set = set;
}

/* Puts the inputs of a kept set on the device. */
static enum asc_status put_kept(struct worker_problem *p, size_t set, struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->kept[set]->inputs[i] &&
		    p->ops->copy(p->device, p->buffers[i], p->kept[set]->inputs[i], e))
			return e->status;
	return ASC_OK;
}

/* Puts inputs of a seed on the device, those that change where they are unseen: what follows from
 * the set's reference stays. */
static enum asc_status put_inputs_of(struct worker_problem *p, uint64_t seed, struct asc_err *e)
{
	void *inputs[WORKLOAD_MAX_TENSORS] = {NULL};
	enum asc_status s = read_set(p, p->set, &seed, inputs, e);

	if (!s) {
		worker_sets_lay_out(p, inputs);
		s = worker_sets_put_inputs(p, inputs, e);
	}
	take_inputs(p, inputs);
	return s;
}

enum asc_status worker_problem_put_set(struct worker_problem *p, size_t set, struct asc_err *e)
{
	void *inputs[WORKLOAD_MAX_TENSORS] = {NULL};

	if (set == p->set && !p->unseen)
		return ASC_OK;
	if (set == p->set && !p->kept[set]) {
		const enum asc_status s = put_inputs_of(p, p->seeds[set], e);

		p->unseen = s != ASC_OK;
		return s;
	}
	p->unseen = false;
	if (set != p->set)
		exchange_answers(p, set);
	if (p->kept[set])
		return put_kept(p, set, e);
	enum asc_status s = read_set(p, set, NULL, inputs, e);

	if (!s)
		s = reference_map(&p->reference, &p->binding, e);
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		free(p->poison[i]);
		p->poison[i] = NULL;
	}
	worker_expected_drop(p);
	if (!s)
		s = worker_sets_follow_reference(p, inputs, e);
	if (!s)
		s = worker_sets_put_inputs(p, inputs, e);
	take_inputs(p, inputs);
	return s;
}

bool worker_problem_has_unseen(const struct worker_problem *p)
{
	bool any = false;

	for (size_t i = 0; i < p->workload->n_tensors && !worker_sets_in_files(p); i++)
		any |= changes_unseen(p, i) && p->workload->tensors[i].fill.kind != FILL_FUNCTION;
	return any;
}

enum asc_status worker_problem_put_unseen(struct worker_problem *p, uint64_t seed,
					  struct asc_err *e)
{
	p->unseen = true;
	return put_inputs_of(p, seed, e);
}
