/* openblas:sdpa: attention in its unfused form over [heads, S, D] tensors of f32. For each head
 *
 *     scores = scale * q k^T      one sgemm of S x S x D
 *     weights = softmax(scores)   row by row, causal rows cut after the diagonal
 *     out = weights v             one sgemm of S x D x S
 *
 * FORM 0: heads in sequence, launch.threads threads of OpenBLAS in each product. FORM 1:
 * launch.threads heads at once by the device's threads, OpenBLAS with one thread each. The scratch
 * buffer has room for (S + 1) * S floats for each head that is under way: the scores and the sums
 * of their rows. */

#include "tuner/device/cpu/cpu_threads.h"
#include "tuner/device/vendor/openblas.h"
#include "tuner/workload/binding/binding.h"

enum { Q, K, V, OUT, HEADS, S, D, CAUSAL, SCALE, FORM, SCRATCH };

static const float LOG2_E = 0x1.715476p+0F;

static const struct vendor_argument takes[] = {{"q", ARG_TENSOR, 0},
					       {"k", ARG_TENSOR, 0},
					       {"v", ARG_TENSOR, 0},
					       {"out", ARG_TENSOR, 0},
					       {"heads", ARG_SCALAR, DTYPE_I64},
					       {"S", ARG_SCALAR, DTYPE_I64},
					       {"D", ARG_SCALAR, DTYPE_I64},
					       {"causal", ARG_SCALAR, DTYPE_BOOL},
					       {"scale", ARG_SCALAR, DTYPE_F32},
					       {"FORM", ARG_SCALAR, DTYPE_I64},
					       {"scores", ARG_SCRATCH, 0},
					       {0}};

static size_t scratch_floats(const struct openblas_sdpa *a)
{
	return ((size_t)a->s + 1) * (size_t)a->s;
}

static enum asc_status read_numbers(struct vendor_call *c, const struct vendor_site *site,
				    struct asc_err *e)
{
	struct openblas_sdpa *a = &c->sdpa;

	if (openblas_size(site, c->function, S, &a->s, e) ||
	    openblas_size(site, c->function, D, &a->d, e))
		return e->status;
	a->heads = openblas_count(site, HEADS);
	a->causal = openblas_count(site, CAUSAL) != 0;
	/* Weights are powers of two, hence the factor log2(e). */
	a->scale = (float)site->plan->arguments[SCALE].scalar.r * LOG2_E;
	return ASC_OK;
}

static enum asc_status choose_form(struct vendor_call *c, const struct vendor_site *site,
				   struct asc_err *e)
{
	struct openblas_sdpa *a = &c->sdpa;
	int64_t form = openblas_count(site, FORM);

	if (form != 0 && form != 1)
		return asc_err_set(e, ASC_INPUT, "openblas:sdpa: FORM is %lld, expected 0 or 1",
				   (long long)form);
	a->members = 1;
	if (form == 0)
		return ASC_OK;
	a->members = (size_t)c->threads;
	c->threads = 1;
	return cpu_threads_reserve(c->team, a->members, e);
}

static enum asc_status prepare(struct vendor_call *c, const struct vendor_site *site,
			       struct asc_err *e)
{
	struct openblas_sdpa *a = &c->sdpa;

	a->q = site->operands[Q].address;
	a->k = site->operands[K].address;
	a->v = site->operands[V].address;
	a->out = site->operands[OUT].address;
	a->scratch = site->operands[SCRATCH].address;
	a->softmax_row = softmax_row_choose();
	if (read_numbers(c, site, e) || choose_form(c, site, e))
		return e->status;
	/* Each head under way has its own part. */
	int64_t bytes = site->plan->arguments[SCRATCH].bytes;
	if ((size_t)bytes / sizeof(float) / a->members < scratch_floats(a))
		return asc_err_set(e, ASC_INPUT,
				   "openblas:sdpa: %lld bytes of scratch are too few for %zu heads "
				   "at once",
				   (long long)bytes, a->members);
	return ASC_OK;
}

static void softmax(const struct openblas_sdpa *a, float *scores, float *sums)
{
	for (int64_t i = 0; i < a->s; i++)
		sums[i] = a->softmax_row(scores + i * a->s, a->s, a->causal ? i + 1 : a->s);
}

static void attend(const struct vendor_call *c, int64_t head, float *scores)
{
	const struct openblas_sdpa *a = &c->sdpa;
	const int64_t at = head * a->s * a->d;
	float *sums = scores + (int64_t)a->s * a->s;

	c->blas->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_TRANS, a->s, a->s, a->d, a->scale,
		       a->q + at, a->d, a->k + at, a->d, 0, scores, a->s);
	softmax(a, scores, sums);
	c->blas->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, a->s, a->d, a->s, 1, scores,
		       a->s, a->v + at, a->d, 0, a->out + at, a->d);
	/* Divided by the sums after the second product, whose rows are shorter than those of the
	 * weights. */
	for (int64_t i = 0; i < a->s; i++) {
		const float factor = 1 / sums[i];

		for (int64_t j = 0; j < a->d; j++)
			a->out[at + i * a->d + j] *= factor;
	}
}

static void share_heads(void *user, size_t member)
{
	struct vendor_call *c = user;
	float *scores = c->sdpa.scratch + member * scratch_floats(&c->sdpa);
	int64_t head;

	while ((head = atomic_fetch_add_explicit(&c->sdpa.next, 1, memory_order_relaxed)) <
	       c->sdpa.heads)
		attend(c, head, scores);
}

static void run(struct vendor_call *c)
{
	atomic_store_explicit(&c->sdpa.next, 0, memory_order_relaxed);
	cpu_threads_run(c->team, c->sdpa.members, share_heads, c);
}

const struct openblas_function openblas_sdpa = {"sdpa", takes, prepare, run};
