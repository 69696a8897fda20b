#include "tuner/worker/worker_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/rng.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/verify.h"
#include "tuner/worker/worker_expected.h"
#include "tuner/worker/worker_sets.h"
#include "tuner/worker/worker_side.h"
#include "tuner/workload/binding/workload_open.h"

/* False for a tensor that lies in another one's memory. */
static bool owns_memory(const struct worker_problem *p, size_t i)
{
	return p->buffers[i] && p->binding.tensors[i].owner == i;
}

void worker_problem_free(struct worker_problem *p)
{
	if (!p)
		return;
	worker_side_free(p->sides);
	worker_sets_drop_kept(p);
	worker_expected_drop(p);
	reference_close(&p->reference);
	for (size_t set = 0; set < WORKLOAD_MAX_SETS; set++)
		reference_close(&p->references[set]);
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		if (owns_memory(p, i))
			p->ops->release(p->device, p->buffers[i]);
		free(p->host[i]);
		free(p->poison[i]);
		free(p->images[i]);
		free(p->fills[i]);
	}
	free(p->staging);
	free(p->now);
	free(p->spare);
	binding_fini(&p->binding);
	workload_close(p->workload);
	free(p);
}

void worker_problem_print_set(const struct worker_problem *p, size_t set, char *text, size_t size)
{
	if (set)
		(void)snprintf(text, size, "%s, set %zu", p->binding.problem->name, set + 1);
	else
		(void)snprintf(text, size, "%s", p->binding.problem->name);
}

/* ---- between launches ---- */

static enum asc_status write_image(struct worker_problem *p, size_t owner, struct asc_err *e)
{
	return p->ops->write(p->device, p->buffers[owner], p->images[owner],
			     (size_t)p->binding.tensors[owner].memory_bytes, e);
}

enum asc_status worker_problem_poison(struct worker_problem *p, struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		struct device_buffer *b = p->buffers[i];

		/* Renewed bytes are written below. */
		if (p->images[i] && !p->uses[i].renewed && views_written(&p->binding, i) &&
		    write_image(p, i, e))
			return e->status;
		if (!b || p->workload->tensors[i].role != ROLE_OUT ||
		    p->images[p->binding.tensors[i].owner])
			continue;
		if (p->poison[i] ? p->ops->write(p->device, b, p->poison[i],
						 (size_t)p->binding.tensors[i].bytes, e)
				 : p->ops->fill(p->device, b, POISON_BYTE, e))
			return e->status;
	}
	return worker_problem_restore(p, e);
}

/* Lines of an output that are poisoned lie within so many bytes: a kernel that leaves what it finds
 * leaves them there as well, and gigabytes would take longer to copy than launches. */
enum { LINE = 64, LINES_BYTES = 1 << 20 };

/* Poisons lines of `data`, `bytes` of an output that are to hold `poison` (NULL: the pattern): each
 * with a chance of 2^-k. */
static void poison_lines(const unsigned char *poison, size_t bytes, struct rng *rng,
			 unsigned char *data)
{
	enum { MOST = 6, DRAWN = 64 };
	const uint64_t k = 1 + rng_below(rng, MOST);
	uint64_t drawn = 0; /* a bit for each of the next lines */

	for (size_t at = 0, line = 0; at < bytes; at += LINE, line++, drawn >>= 1) {
		const size_t n = bytes - at < LINE ? bytes - at : LINE;

		if (line % DRAWN == 0) {
			drawn = rng_next(rng);
			for (uint64_t j = 1; j < k; j++)
				drawn &= rng_next(rng);
		}
		if (!(drawn & 1))
			continue;
		if (poison)
			memcpy(data + at, poison + at, n);
		else
			memset(data + at, POISON_BYTE, n);
	}
}

enum asc_status worker_problem_poison_lines(struct worker_problem *p, struct rng *rng,
					    struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const size_t all = (size_t)p->binding.tensors[i].bytes;
		const size_t bytes = all < LINES_BYTES ? all : LINES_BYTES;
		struct device_buffer *b = p->buffers[i];

		if (!b || p->workload->tensors[i].role != ROLE_OUT ||
		    p->images[p->binding.tensors[i].owner])
			continue;
		/* Lines of an output in the host's memory, whose address is none of the device's,
		 * are among its first. */
		const bool on_host = p->workload->tensors[i].place == PLACE_HOST;
		const size_t at =
			on_host ? 0 : (size_t)rng_below(rng, (all - bytes) / LINE + 1) * LINE;
		unsigned char *const place = (unsigned char *)p->ops->address(b) + at;

		if (on_host ? p->ops->read(p->device, b, p->staging, bytes, e)
			    : p->ops->fetch(p->device, place, p->staging, bytes, e))
			return e->status;
		poison_lines(p->poison[i] ? (const unsigned char *)p->poison[i] + at : NULL, bytes,
			     rng, p->staging);
		const enum asc_status s =
			on_host ? p->ops->write(p->device, b, p->staging, bytes, e)
				: p->ops->store(p->device, place, p->staging, bytes, e);

		memset(p->staging, 0, bytes); /* right outputs are not for the next kernel */
		if (s)
			return s;
	}
	return worker_problem_restore(p, e);
}

enum asc_status worker_problem_fill(struct worker_problem *p, int byte, struct asc_err *e)
{
	static void *const no_outputs[WORKLOAD_MAX_TENSORS];

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (p->images[i])
			views_lay_out(&p->binding, i, no_outputs, byte, p->inputs, p->images[i]);
		if (p->images[i] && !p->uses[i].renewed && views_written(&p->binding, i) &&
		    write_image(p, i, e))
			return e->status;
		if (p->buffers[i] && p->workload->tensors[i].role == ROLE_OUT &&
		    !p->images[p->binding.tensors[i].owner] &&
		    p->ops->fill(p->device, p->buffers[i], byte, e))
			return e->status;
	}
	return worker_problem_restore(p, e);
}

enum asc_status worker_problem_restore(struct worker_problem *p, struct asc_err *e)
{
	const struct kept_set *kept = p->unseen ? NULL : p->kept[p->set];

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		/* A memory that holds views is written whole, poison of outputs included. */
		if (p->uses[i].renewed && write_image(p, i, e))
			return e->status;
		if (!p->host[i] || p->images[p->binding.tensors[i].owner])
			continue;
		if (kept ? p->ops->copy(p->device, p->buffers[i], kept->inputs[i], e)
			 : p->ops->write(p->device, p->buffers[i], p->host[i],
					 (size_t)p->binding.tensors[i].bytes, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- other addresses ---- */

enum { IN_PAGE = 4096 / DEVICE_MOVE_STEP }; /* places within a page */

bool worker_problem_moves(const struct worker_problem *p)
{
	return p->ops->move != NULL;
}

/* All tensors leave the place where they are. On a CPU a kernel may be slower where two of them lie
 * at the same place of a page (a load that seems to need an earlier store; sets of a cache): all
 * take the same place within one, and pages of their own. */
static size_t draw_place(const struct worker_problem *p, struct rng *rng, size_t now, size_t step)
{
	const size_t places = p->ops->move_end / DEVICE_MOVE_STEP;

	if (!p->ops->info(p->device)->shares_host)
		return (now + 1 + (size_t)rng_below(rng, places - 1)) % places;
	return (now + step) % IN_PAGE + (size_t)rng_below(rng, places / IN_PAGE) * IN_PAGE;
}

enum asc_status worker_problem_move(struct worker_problem *p, struct rng *rng, size_t set,
				    struct asc_err *e)
{
	const bool puts = set != p->set && p->kept[set];
	const size_t step = 1 + (size_t)rng_below(rng, IN_PAGE - 1);

	p->moves++;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const bool written = !p->images[i] && p->workload->tensors[i].role == ROLE_OUT;
		const bool put = puts && p->kept[set]->inputs[i];

		if (!owns_memory(p, i))
			continue;
		p->places[i] = draw_place(p, rng, p->places[i], step);
		if (p->ops->move(p->device, p->buffers[i], p->places[i] * DEVICE_MOVE_STEP,
				 !written && !put, e))
			return e->status;
	}
	return set != p->set && worker_problem_put_set(p, set, e) ? e->status
								  : worker_problem_poison(p, e);
}

/* ---- what launches left ---- */

enum asc_status worker_problem_read(struct worker_problem *p, size_t i, struct asc_err *e)
{
	const struct bound_tensor *t = &p->binding.tensors[i];
	const size_t end = (size_t)(t->offset_bytes + t->span_bytes);

	if (!t->scattered && t->offset_bytes == 0)
		return p->ops->read(p->device, p->buffers[i], p->staging, (size_t)t->bytes, e);
	if (p->ops->read(p->device, p->buffers[i], p->now, end, e))
		return e->status;
	view_gather(t, p->now, p->staging);
	memset(p->now, 0, end); /* right outputs are not for the next kernel */
	return ASC_OK;
}

void worker_problem_find_traces(struct worker_problem *p, size_t i, struct verify_traces *out)
{
	const struct bound_tensor *t = &p->binding.tensors[i];
	const size_t bytes = dtype_bytes(t->dtype);
	const unsigned char *have = p->staging, *poison = p->poison[i];
	unsigned char plain[sizeof(double)];
	struct asc_err e;
	int64_t kept = 0; /* elements that are poison, those to be left alone too */

	*out = (struct verify_traces){0};
	if (p->workload->tensors[i].role != ROLE_OUT || worker_problem_read(p, i, &e) ||
	    (p->n_left[i] > 0 && reference_map(&p->reference, &p->binding, &e)))
		return;
	memset(plain, POISON_BYTE, bytes);
	for (int64_t k = 0; k < t->count; k++)
		kept += memcmp(have + (size_t)k * bytes,
			       poison ? poison + (size_t)k * bytes : plain, bytes) == 0;
	if (p->n_left[i] > 0)
		out->overwritten =
			verify_count_overwritten(t, have, p->reference.tensors[i], poison);
	/* Each wrong boolean equals its poison: all of them are wrong in kernels that write
	 * nothing, hardly ever in others. */
	if (t->dtype != DTYPE_BOOL || kept == t->count)
		out->unwritten = kept - (p->n_left[i] - out->overwritten);
}

bool worker_problem_has_inout(const struct worker_problem *p)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->host[i] || p->uses[i].renewed)
			return true;
	return false;
}

enum asc_status worker_problem_find(struct worker_problem *p, const struct workload *w,
				    const char *name, const struct implementation **out,
				    const char *const **names, struct asc_err *e)
{
	const struct implementation *i = workload_find_implementation(w, name);

	if (!i)
		return asc_err_set(e, ASC_PROTOCOL, "no implementation %s", name);
	if (i != p->last.implementation) {
		for (size_t k = 0; k < i->n_parameters; k++)
			p->last.names[k] = i->parameters[k].name;
		p->last.names[i->n_parameters] = NULL;
		p->last.implementation = i;
	}
	*out = i;
	*names = p->last.names;
	return ASC_OK;
}
