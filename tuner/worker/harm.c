#include "tuner/worker/harm.h"

#include <string.h>

#include "tuner/device/device.h"
#include "tuner/worker/views.h"
#include "tuner/worker/worker_problem.h"

static const char *name_of(const struct worker_problem *p, size_t i)
{
	return p->workload->tensors[i].name;
}

enum { MAX_LOOKED_AT = 2 * WORKLOAD_MAX_TENSORS + HARM_MAX_OWN };

static size_t add_buffers(struct device_buffer *const *from, size_t n, struct device_buffer **to)
{
	size_t added = 0;

	for (size_t i = 0; i < n; i++)
		if (from[i])
			to[added++] = from[i];
	return added;
}

/* Index of the first of `n` buffers with `harm`; -1 if none. `harms` has one entry for each buffer
 * that is not NULL. */
static int find_first(struct device_buffer *const *buffers, size_t n, const enum device_harm *harms,
		      enum device_harm harm)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (buffers[i] && harms[at++] == harm)
			return (int)i;
	return -1;
}

/* Finds stray writes in memories that hold views, where these are not protected. */
static enum asc_status find_in_views(const struct worker_problem *p, struct harm *out,
				     struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const size_t bytes = (size_t)p->binding.tensors[i].memory_bytes;
		struct view_stray stray;

		if (!p->uses[i].kept)
			continue;
		if (p->ops->read(p->device, p->buffers[i], p->now, bytes, e))
			return e->status;
		const bool found =
			views_find_stray(&p->binding, i, p->images[i], p->now, p->spare, &stray);

		/* Right outputs are not for the next kernel. */
		memset(p->now, 0, bytes);
		memset(p->spare, 0, bytes);
		if (!found)
			continue;
		const char **const name = stray.is_input    ? &out->changed
					  : stray.is_within ? &out->between
							    : &out->damaged;

		/* Harm that was found before lies outside of a memory, and goes first. */
		if (*name)
			continue;
		*name = name_of(p, stray.tensor);
		*(stray.is_within ? &out->within : &out->stray) = stray.at;
	}
	return ASC_OK;
}

/* Names the write outside of a memory: that of the nearest tensor in it. */
static void name_damaged(const struct worker_problem *p, size_t owner, struct harm *out)
{
	const struct bound_tensor *t = &p->binding.tensors[owner];
	struct view_stray stray = {.tensor = owner};

	out->stray = p->ops->find_stray ? p->ops->find_stray(p->buffers[owner]) : 0;
	stray.at = out->stray;
	if (p->images[owner] && out->stray)
		views_name_stray(&p->binding, owner,
				 out->stray > 0 ? t->memory_bytes + out->stray - 1 : out->stray,
				 p->spare, &stray);
	out->damaged = name_of(p, stray.tensor);
	out->stray = stray.at;
}

/* Finds writes to sets that are kept, and beside them. Pages of the host's memory are protected,
 * and reading them takes longer than many a launch. */
static enum asc_status find_in_kept(const struct worker_problem *p, struct harm *out,
				    struct asc_err *e)
{
	const size_t n_tensors = p->workload->n_tensors;
	struct device_buffer *all[2 * WORKLOAD_MAX_TENSORS];
	enum device_harm harms[2 * WORKLOAD_MAX_TENSORS];

	for (size_t set = 0; set < p->n_sets && !p->ops->info(p->device)->shares_host; set++) {
		const struct kept_set *k = p->kept[set];

		if (!k)
			continue;
		const size_t inputs = add_buffers(k->inputs, n_tensors, all);
		const size_t n = inputs + add_buffers(k->expected, n_tensors, all + inputs);

		if (p->ops->look(p->device, all, n, harms, e))
			return e->status;
		const int damaged = find_first(k->inputs, n_tensors, harms, DEVICE_STRAY);
		const int changed = find_first(k->inputs, n_tensors, harms, DEVICE_CHANGED);
		int falsified = find_first(k->expected, n_tensors, harms + inputs, DEVICE_STRAY);

		if (falsified < 0)
			falsified =
				find_first(k->expected, n_tensors, harms + inputs, DEVICE_CHANGED);
		if (damaged >= 0 && !out->damaged)
			out->damaged = name_of(p, (size_t)damaged);
		if (changed >= 0)
			out->changed = name_of(p, (size_t)changed);
		if (falsified >= 0)
			out->falsified = name_of(p, (size_t)falsified);
	}
	return ASC_OK;
}

enum asc_status harm_find(const struct worker_problem *p, struct device_buffer *const *own,
			  size_t n_own, struct harm *out, struct asc_err *e)
{
	const size_t n_tensors = p->workload->n_tensors;
	struct device_buffer *memories[WORKLOAD_MAX_TENSORS], *all[MAX_LOOKED_AT];
	enum device_harm harms[MAX_LOOKED_AT];

	for (size_t i = 0; i < n_tensors; i++)
		memories[i] = p->binding.tensors[i].owner == i ? p->buffers[i] : NULL;
	const size_t tensors = add_buffers(memories, n_tensors, all);
	const size_t expected = tensors + add_buffers(p->expected, n_tensors, all + tensors);
	const size_t n = expected + add_buffers(own, n_own, all + expected);

	if (p->ops->look(p->device, all, n, harms, e))
		return e->status;
	const int damaged = find_first(memories, n_tensors, harms, DEVICE_STRAY);
	const int changed = find_first(memories, n_tensors, harms, DEVICE_CHANGED);
	int falsified = find_first(p->expected, n_tensors, harms + tensors, DEVICE_STRAY);

	if (falsified < 0)
		falsified = find_first(p->expected, n_tensors, harms + tensors, DEVICE_CHANGED);
	*out = (struct harm){.scratch = -1};
	if (damaged >= 0)
		name_damaged(p, (size_t)damaged, out);
	out->variables = p->ops->falsified && p->ops->falsified(p->device);
	out->changed = changed < 0 ? NULL : name_of(p, (size_t)changed);
	out->falsified = falsified < 0 ? NULL : name_of(p, (size_t)falsified);
	out->scratch = find_first(own, n_own, harms + expected, DEVICE_STRAY);
	return find_in_kept(p, out, e) ? e->status : find_in_views(p, out, e);
}
