#include "tuner/worker/worker_expected.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/process/parts.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_problem.h"

void worker_expected_drop(struct worker_problem *p)
{
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		p->ops->release(p->device, p->expected[i]);
		p->expected[i] = NULL;
	}
}

struct masking {
	const struct device_mask *mask;
	const double *from;
	double *to;
};

static void mask_span(void *user, size_t begin, size_t end)
{
	const struct masking *w = user;

	device_mask_apply(w->mask, begin, w->from + begin, end - begin, w->to + begin);
}

/* Puts the reference of output i on the device, masked and protected. Exact comparisons are with
 * the reference rounded to the tensor's type, as doubles: the device converts outputs only. Where
 * an element is to be left alone, its poison is what is expected: the device knows no marks. Poison
 * there is a number that no kernel comes near, so that the tolerance makes no difference; the bits
 * are compared here, when something is wrong. */
static enum asc_status expect(struct worker_problem *p, size_t i, struct asc_err *e)
{
	const struct bound_tensor *t = &p->binding.tensors[i];
	const size_t n = (size_t)t->count, bytes = n * sizeof(double);
	const bool is_exact = p->workload->tensors[i].verify.kind == VERIFY_EXACT;
	const double *values = p->reference.tensors[i];
	double *masked = malloc(bytes + 1);

	if (!masked)
		return asc_err_nomem(e);
	if (is_exact || p->n_left[i] > 0) {
		reference_expect(t->dtype, values, p->poison[i], n, masked);
		values = masked;
	}
	if (is_exact) {
		dtype_from_double(t->dtype, values, p->staging, n);
		dtype_to_double(t->dtype, p->staging, masked, n);
		memset(p->staging, 0, (size_t)t->bytes); /* right outputs are not for kernels */
	}
	device_mask_draw(&p->masks[i]);
	parts_pass(n, mask_span, &(struct masking){&p->masks[i], values, masked});
	enum asc_status s = p->ops->alloc(p->device, bytes, &p->expected[i], e);
	if (!s)
		s = p->ops->write(p->device, p->expected[i], masked, bytes, e);
	if (!s)
		s = p->ops->protect(p->device, p->expected[i], true, e);
	free(masked);
	return s;
}

/* True where the device compares output i. */
static bool is_comparable(const struct binding *b, const struct device_ops *ops, size_t i)
{
	const struct bound_tensor *t = &b->tensors[i];
	const enum verify_kind kind = b->workload->tensors[i].verify.kind;

	return ops->compare && !t->scattered && t->offset_bytes == 0 &&
	       (kind == VERIFY_ALLCLOSE ||
		(kind == VERIFY_EXACT && t->dtype != DTYPE_I64 && t->dtype != DTYPE_U64));
}

void worker_expected_put(struct worker_problem *p)
{
	struct asc_err e;

	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->reference.tensors[i] && is_comparable(&p->binding, p->ops, i) &&
		    expect(p, i, &e)) {
			worker_expected_drop(p);
			return;
		}
}

int64_t worker_expected_bytes(const struct binding *b, const struct device_ops *ops)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (reference_has(b, i) && is_comparable(b, ops, i))
			bytes += b->tensors[i].count * (int64_t)sizeof(double);
	return bytes;
}

enum asc_status worker_expected_make_poison(struct worker_problem *p, struct asc_err *e)
{
	struct rng rng;
	uint64_t seed;

	/* Not the seed of the inputs, which a kernel may know. */
	if (getentropy(&seed, sizeof seed) != 0)
		seed = (uint64_t)clock_now_ns();
	rng_init(&rng, seed);
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const double *reference = p->reference.tensors[i];

		p->n_left[i] = 0;
		if (reference && p->workload->tensors[i].role == ROLE_OUT &&
		    poison_make(&p->binding.tensors[i], reference, &rng, &p->poison[i],
				&p->n_left[i], e))
			return e->status;
	}
	return ASC_OK;
}
