/* cublaslt:gemm, C = A B of row-major f32, f16 or bf16 with sums in f32 on an NVIDIA GPU.
 *
 * The library's matrices are stored by columns, so it is asked for the transpose: B^T of N x K by
 * A^T of K x M, which is what lies there. Which of its kernels runs is decided as the call is
 * prepared: ALGORITHM is a place in the list of the library's own heuristic, 0 its choice; TILE,
 * STAGES and SPLIT_K replace what the heuristic set there, unless they are 0. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/toolkit.h"
#include "tuner/device/cublaslt.h"
#include "tuner/device/vendors.h"
#include "tuner/model/binding.h"

enum { MAX_ALGORITHMS = 64, MAX_ALIGNMENT = 256 };
enum { A, B, C, M, N, K, ALGORITHM, TILE, STAGES, SPLIT_K, WORKSPACE };

static const struct vendor_argument takes[] = {{"A", ARG_TENSOR, 0},
					       {"B", ARG_TENSOR, 0},
					       {"C", ARG_TENSOR, 0},
					       {"M", ARG_SCALAR, DTYPE_I64},
					       {"N", ARG_SCALAR, DTYPE_I64},
					       {"K", ARG_SCALAR, DTYPE_I64},
					       {"ALGORITHM", ARG_SCALAR, DTYPE_I64},
					       {"TILE", ARG_SCALAR, DTYPE_I64},
					       {"STAGES", ARG_SCALAR, DTYPE_I64},
					       {"SPLIT_K", ARG_SCALAR, DTYPE_I64},
					       {"WORKSPACE", ARG_SCRATCH, 0},
					       {0}};

/* ---- the library ---- */

static const struct library_symbol symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, offsetof(struct cublaslt, member), false},
	CUBLASLT_LIST(X)
#undef X
		{0}};

static const char *const files[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
				    NULL};
static const struct toolkit_library place = {"ASCTUNE_CUBLASLT", files, symbols};

/* The handle is made with the first call, in the context of the one device of the process, and
 * kept. */
static struct {
	pthread_once_t once;
	struct cublaslt lt;
	struct asc_err failure; /* status ASC_OK: the library is there */
	struct cublasLtContext *handle;
} library = {.once = PTHREAD_ONCE_INIT};

static void open_library(void)
{
	(void)toolkit_open(&place, &library.lt, &library.failure);
}

static enum asc_status get_library(const struct cublaslt **out, struct asc_err *e)
{
	(void)pthread_once(&library.once, open_library);
	*out = &library.lt;
	*e = library.failure;
	return e->status;
}

static bool cublaslt_check(char *reason, size_t size)
{
	const struct cublaslt *lt;
	struct asc_err e;

	if (get_library(&lt, &e) == ASC_OK)
		return true;
	snprintf(reason, size, "%s", e.text);
	return false;
}

static enum asc_status cublaslt_identity(struct buf *out, struct asc_err *e)
{
	const struct cublaslt *lt;

	if (get_library(&lt, e))
		return e->status;
	buf_print(out, "cublasLt %zu", lt->version());
	return buf_check(out, e);
}

/* ---- a call ---- */

struct vendor_call {
	const struct cublaslt *lt;
	void *a, *b, *c, *workspace;
	size_t workspace_bytes;
	struct CUstream_st *stream;
	cublaslt_operation *operation;
	cublaslt_layout *layout_a, *layout_b, *layout_c;
	struct cublaslt_algorithm algorithm;
};

/* ASC_INPUT for what the library does not do with these arguments. */
static enum asc_status check(const struct cublaslt *lt, unsigned rc, const char *what,
			     struct asc_err *e)
{
	if (rc == 0)
		return ASC_OK;
	return asc_err_set(e, rc == CUBLASLT_ALLOC_FAILED ? ASC_NOMEM : ASC_INPUT,
			   "cublaslt:gemm: %s: %s", what, lt->status_name(rc));
}

static void *get_pointer(const struct vendor_site *site, size_t i)
{
	void *pointer;

	memcpy(&pointer, site->args[i], sizeof pointer);
	return pointer;
}

static int64_t get_count(const struct vendor_site *site, size_t i)
{
	return site->plan->arguments[i].scalar.i;
}

static enum asc_status get_type(const struct vendor_site *site, size_t i, unsigned *out,
				struct asc_err *e)
{
	enum dtype t = site->plan->arguments[i].type;

	*out = t == DTYPE_F16 ? CUBLASLT_F16 : t == DTYPE_BF16 ? CUBLASLT_BF16 : CUBLASLT_F32;
	if (t == DTYPE_F32 || t == DTYPE_F16 || t == DTYPE_BF16)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "cublaslt:gemm: %s is of type %s: expected f32, f16, bf16",
			   takes[i].name, dtype_name(t));
}

static enum asc_status make_layout(const struct vendor_call *c, const struct vendor_site *site,
				   size_t i, size_t rows, size_t columns, cublaslt_layout **out,
				   struct asc_err *e)
{
	int64_t r = get_count(site, rows), n = get_count(site, columns);
	unsigned type;

	if (get_type(site, i, &type, e))
		return e->status;
	if (r < 1 || n < 1)
		return asc_err_set(e, ASC_LIMIT, "cublaslt:gemm: %s is %lld x %lld: expected 1 up",
				   takes[i].name, (long long)n, (long long)r);
	return check(c->lt, c->lt->layout_create(out, type, (uint64_t)r, (uint64_t)n, r),
		     "cublasLtMatrixLayoutCreate", e);
}

static enum asc_status describe(struct vendor_call *c, const struct vendor_site *site,
				struct asc_err *e)
{
	if (!library.handle && check(c->lt, c->lt->create(&library.handle), "cublasLtCreate", e))
		return e->status;
	if (check(c->lt, c->lt->operation_create(&c->operation, CUBLASLT_COMPUTE_F32, CUBLASLT_F32),
		  "cublasLtMatmulDescCreate", e))
		return e->status;
	if (make_layout(c, site, A, K, M, &c->layout_a, e) ||
	    make_layout(c, site, B, N, K, &c->layout_b, e))
		return e->status;
	return make_layout(c, site, C, N, M, &c->layout_c, e);
}

/* ---- the choice of an algorithm ---- */

static uint32_t alignment(const void *p)
{
	uintptr_t lowest = (uintptr_t)p & -(uintptr_t)p;

	return lowest == 0 || lowest > MAX_ALIGNMENT ? MAX_ALIGNMENT : (uint32_t)lowest;
}

/* Operands change places with the transposition. */
static enum asc_status fill_preference(const struct vendor_call *c, cublaslt_preference *p,
				       struct asc_err *e)
{
	const struct {
		unsigned attribute;
		const void *pointer;
	} operands[] = {{CUBLASLT_ALIGNMENT_A, c->b},
			{CUBLASLT_ALIGNMENT_B, c->a},
			{CUBLASLT_ALIGNMENT_C, c->c},
			{CUBLASLT_ALIGNMENT_OUT, c->c}};
	uint64_t bytes = c->workspace_bytes;
	unsigned rc = c->lt->preference_set(p, CUBLASLT_WORKSPACE, &bytes, sizeof bytes);

	for (size_t i = 0; i < sizeof operands / sizeof *operands && rc == 0; i++) {
		uint32_t least = alignment(operands[i].pointer);
		rc = c->lt->preference_set(p, operands[i].attribute, &least, sizeof least);
	}
	return check(c->lt, rc, "cublasLtMatmulPreferenceSetAttribute", e);
}

static enum asc_status choose(struct vendor_call *c, cublaslt_preference *p, int64_t place_wanted,
			      struct asc_err *e)
{
	struct cublaslt_choice choices[MAX_ALGORITHMS] = {0};
	int n = 0;
	unsigned rc = c->lt->heuristic(library.handle, c->operation, c->layout_b, c->layout_a,
				       c->layout_c, c->layout_c, p, MAX_ALGORITHMS, choices, &n);

	if (check(c->lt, rc, "cublasLtMatmulAlgoGetHeuristic", e))
		return e->status;
	if (place_wanted < 0 || place_wanted >= n)
		return asc_err_set(e, ASC_INPUT,
				   "cublaslt:gemm: the heuristic has %d algorithms: there is no "
				   "ALGORITHM=%lld",
				   n, (long long)place_wanted);
	c->algorithm = choices[place_wanted].algorithm;
	return check(c->lt, choices[place_wanted].state, "the algorithm cannot be used", e);
}

static enum asc_status set_algorithm(struct vendor_call *c, unsigned attribute, int64_t value,
				     struct asc_err *e)
{
	uint32_t v = (uint32_t)value;

	return check(c->lt, c->lt->algorithm_set(&c->algorithm, attribute, &v, sizeof v),
		     "cublasLtMatmulAlgoConfigSetAttribute", e);
}

static enum asc_status change(struct vendor_call *c, const struct vendor_site *site,
			      struct asc_err *e)
{
	int64_t tile = get_count(site, TILE), stages = get_count(site, STAGES);
	int64_t parts = get_count(site, SPLIT_K);

	if (tile && set_algorithm(c, CUBLASLT_TILE, tile, e))
		return e->status;
	if (stages && set_algorithm(c, CUBLASLT_STAGES, stages, e))
		return e->status;
	if (parts == 0)
		return ASC_OK;
	if (set_algorithm(c, CUBLASLT_SPLIT_K, parts, e))
		return e->status;
	return set_algorithm(c, CUBLASLT_REDUCTION,
			     parts > 1 ? CUBLASLT_REDUCE_F32 : CUBLASLT_REDUCE_NONE, e);
}

/* The library launches what it is given: whether it can is asked here. */
static enum asc_status check_algorithm(const struct vendor_call *c, struct asc_err *e)
{
	struct cublaslt_choice checked = {0};
	unsigned rc = c->lt->algorithm_check(library.handle, c->operation, c->layout_b, c->layout_a,
					     c->layout_c, c->layout_c, &c->algorithm, &checked);

	if (check(c->lt, rc ? rc : checked.state, "cublasLtMatmulAlgoCheck", e))
		return e->status;
	if (checked.workspace_bytes > c->workspace_bytes)
		return asc_err_set(e, ASC_LIMIT,
				   "cublaslt:gemm: wants a WORKSPACE of %zu bytes and has %zu",
				   checked.workspace_bytes, c->workspace_bytes);
	return ASC_OK;
}

static enum asc_status choose_algorithm(struct vendor_call *c, const struct vendor_site *site,
					struct asc_err *e)
{
	cublaslt_preference *p = NULL;

	if (check(c->lt, c->lt->preference_create(&p), "cublasLtMatmulPreferenceCreate", e))
		return e->status;
	enum asc_status s = fill_preference(c, p, e);
	if (s == ASC_OK)
		s = choose(c, p, get_count(site, ALGORITHM), e);
	(void)c->lt->preference_destroy(p);
	if (s == ASC_OK)
		s = change(c, site, e);
	return s == ASC_OK ? check_algorithm(c, e) : s;
}

/* ---- operations ---- */

static void cublaslt_fini(struct vendor_call *c)
{
	cublaslt_layout *const layouts[] = {c->layout_a, c->layout_b, c->layout_c};

	for (size_t i = 0; i < 3; i++)
		if (layouts[i])
			(void)c->lt->layout_destroy(layouts[i]);
	if (c->operation)
		(void)c->lt->operation_destroy(c->operation);
	free(c);
}

static enum asc_status fill_call(struct vendor_call *c, const struct vendor_site *site,
				 struct asc_err *e)
{
	if (get_library(&c->lt, e))
		return e->status;
	if (vendor_check_arguments("gemm", takes, site->plan, e))
		return asc_err_wrap(e, "cublaslt");
	c->a = get_pointer(site, A);
	c->b = get_pointer(site, B);
	c->c = get_pointer(site, C);
	c->workspace = get_pointer(site, WORKSPACE);
	c->workspace_bytes = (size_t)site->plan->arguments[WORKSPACE].bytes;
	c->stream = site->stream;
	if (describe(c, site, e))
		return e->status;
	return choose_algorithm(c, site, e);
}

static enum asc_status cublaslt_prepare(const struct vendor_site *site, const char *function,
					struct vendor_call **out, struct asc_err *e)
{
	struct vendor_call *c = calloc(1, sizeof *c);

	(void)function;
	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	if (fill_call(c, site, e)) {
		cublaslt_fini(c);
		return e->status;
	}
	*out = c;
	return ASC_OK;
}

static enum asc_status cublaslt_enqueue(struct vendor_call *c, struct asc_err *e)
{
	const float one = 1, zero = 0;
	unsigned rc = c->lt->matmul(library.handle, c->operation, &one, c->b, c->layout_b, c->a,
				    c->layout_a, &zero, c->c, c->layout_c, c->c, c->layout_c,
				    &c->algorithm, c->workspace, c->workspace_bytes, c->stream);

	return check(c->lt, rc, "cublasLtMatmul", e);
}

static const char *const functions[] = {"gemm", NULL};

const struct vendor_ops vendor_cublaslt = {
	.version = VENDOR_OPS_VERSION,
	.revision = 1,
	.name = "cublaslt",
	.summary = "cublasLt on NVIDIA GPUs: gemm",
	.device = "cuda",
	.functions = functions,
	.check = cublaslt_check,
	.identity = cublaslt_identity,
	.prepare = cublaslt_prepare,
	.enqueue = cublaslt_enqueue,
	.fini = cublaslt_fini,
};
