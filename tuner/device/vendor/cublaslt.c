/* cublaslt:gemm, C = A B of row-major f32, f16 or bf16 with sums in f32 on an NVIDIA GPU.
 *
 * The library's matrices are stored by columns, so the call asks for the transpose: B^T of N x K by
 * A^T of K x M, which is the same memory. The library's kernel is chosen as the call is prepared:
 * ALGORITHM is a place in the list of the library's heuristic, 0 its choice; TILE, STAGES and
 * SPLIT_K replace the heuristic's values, unless they are 0. The kernel may take up to WORKSPACE
 * bytes of memory for partial sums. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/libs/cublaslt_library.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/workload/binding/binding.h"

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
					       {"WORKSPACE", ARG_SCALAR, DTYPE_I64},
					       {0}};

/* ---- the library ---- */

static const struct library_symbol symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, offsetof(struct cublaslt, member), false},
	CUBLASLT_LIST(X)
#undef X
		{0}};

static const char *const files[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
				    NULL};
static struct cublaslt lt;
static struct library library = {.variable = "ASCTUNE_CUBLASLT",
				 .files = files,
				 .toolkit = &toolkit_cuda,
				 .symbols = symbols,
				 .table = &lt};

/* Handle of the library, made with the first call in the context of the process's one device, and
 * kept. */
static struct cublasLtContext *handle;

static enum asc_status cublaslt_open(struct asc_err *e)
{
	return library_once(&library, e);
}

static enum asc_status cublaslt_identity(const char *name, struct buf *out, struct asc_err *e)
{
	(void)name;
	if (library_once(&library, e))
		return e->status;
	buf_print(out, "cublasLt %zu", lt.version());
	return buf_check(out, e);
}

/* ---- a call ---- */

struct vendor_call {
	void *a, *b, *c;
	size_t workspace_bytes;
	struct CUstream_st *stream;
	cublaslt_operation *operation;
	cublaslt_layout *layout_a, *layout_b, *layout_c;
	struct cublaslt_algorithm algorithm;
};

/* Makes a status of a result code; ASC_INPUT for what the library does not do with these arguments.
 */
static enum asc_status check(unsigned rc, const char *what, struct asc_err *e)
{
	if (rc == 0)
		return ASC_OK;
	return asc_err_set(e, rc == CUBLASLT_ALLOC_FAILED ? ASC_NOMEM : ASC_INPUT,
			   "cublaslt:gemm: %s: %s", what, lt.status_name(rc));
}

static int64_t get_count(const struct vendor_site *site, size_t i)
{
	return site->plan->arguments[i].scalar.i;
}

static enum asc_status make_layout(const struct vendor_site *site, size_t i, size_t rows,
				   size_t columns, cublaslt_layout **out, struct asc_err *e)
{
	const int64_t r = get_count(site, rows), n = get_count(site, columns);
	const enum dtype t = site->operands[i].type;
	const unsigned type = t == DTYPE_F16    ? CUBLASLT_F16
			      : t == DTYPE_BF16 ? CUBLASLT_BF16
						: CUBLASLT_F32;

	if (t != DTYPE_F32 && t != DTYPE_F16 && t != DTYPE_BF16)
		return asc_err_set(e, ASC_INPUT,
				   "cublaslt:gemm: %s is of type %s: expected f32, f16, bf16",
				   takes[i].name, dtype_name(t));
	if (r < 1 || n < 1)
		return asc_err_set(e, ASC_LIMIT, "cublaslt:gemm: %s is %lld x %lld: expected 1 up",
				   takes[i].name, (long long)n, (long long)r);
	return check(lt.layout_create(out, type, (uint64_t)r, (uint64_t)n, r),
		     "cublasLtMatrixLayoutCreate", e);
}

/* ---- the choice of an algorithm ---- */

static uint32_t alignment(const void *p)
{
	uintptr_t lowest = (uintptr_t)p & -(uintptr_t)p; /* the lowest bit that is set */

	return lowest == 0 || lowest > MAX_ALIGNMENT ? MAX_ALIGNMENT : (uint32_t)lowest;
}

/* Tells the heuristic the workspace and the alignment of operands, which change places with the
 * transposition. */
static enum asc_status fill_preference(const struct vendor_call *c, uint64_t workspace_bytes,
				       cublaslt_preference *p, struct asc_err *e)
{
	const struct {
		unsigned attribute;
		const void *pointer;
	} operands[] = {{CUBLASLT_ALIGNMENT_A, c->b},
			{CUBLASLT_ALIGNMENT_B, c->a},
			{CUBLASLT_ALIGNMENT_C, c->c},
			{CUBLASLT_ALIGNMENT_OUT, c->c}};
	unsigned rc =
		lt.preference_set(p, CUBLASLT_WORKSPACE, &workspace_bytes, sizeof workspace_bytes);

	for (size_t i = 0; i < sizeof operands / sizeof *operands && rc == 0; i++) {
		uint32_t least = alignment(operands[i].pointer);
		rc = lt.preference_set(p, operands[i].attribute, &least, sizeof least);
	}
	return check(rc, "cublasLtMatmulPreferenceSetAttribute", e);
}

static enum asc_status choose(struct vendor_call *c, cublaslt_preference *p, int64_t place_wanted,
			      struct asc_err *e)
{
	struct cublaslt_choice choices[MAX_ALGORITHMS] = {0};
	int n = 0;
	unsigned rc = lt.heuristic(handle, c->operation, c->layout_b, c->layout_a, c->layout_c,
				   c->layout_c, p, MAX_ALGORITHMS, choices, &n);

	if (check(rc, "cublasLtMatmulAlgoGetHeuristic", e))
		return e->status;
	if (place_wanted < 0 || place_wanted >= n)
		return asc_err_set(e, ASC_INPUT,
				   "cublaslt:gemm: the heuristic has %d algorithms: there is no "
				   "ALGORITHM=%lld",
				   n, (long long)place_wanted);
	c->algorithm = choices[place_wanted].algorithm;
	return check(choices[place_wanted].state, "the algorithm cannot be used", e);
}

static enum asc_status set_algorithm(struct vendor_call *c, unsigned attribute, int64_t value,
				     struct asc_err *e)
{
	uint32_t v = (uint32_t)value;

	return check(lt.algorithm_set(&c->algorithm, attribute, &v, sizeof v),
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
	/* Without a change the heuristic's own reduction stays as well. */
	if (parts == 0)
		return ASC_OK;
	if (set_algorithm(c, CUBLASLT_SPLIT_K, parts, e))
		return e->status;
	return set_algorithm(c, CUBLASLT_REDUCTION,
			     parts > 1 ? CUBLASLT_REDUCE_F32 : CUBLASLT_REDUCE_NONE, e);
}

/* Asks the library whether it can launch the algorithm, and with how much workspace: launching
 * itself checks nothing. */
static enum asc_status check_algorithm(struct vendor_call *c, uint64_t most_bytes,
				       struct asc_err *e)
{
	struct cublaslt_choice checked = {0};
	unsigned rc = lt.algorithm_check(handle, c->operation, c->layout_b, c->layout_a,
					 c->layout_c, c->layout_c, &c->algorithm, &checked);

	if (check(rc ? rc : checked.state, "cublasLtMatmulAlgoCheck", e))
		return e->status;
	c->workspace_bytes = checked.workspace_bytes;
	if (checked.workspace_bytes > most_bytes)
		return asc_err_set(e, ASC_LIMIT,
				   "cublaslt:gemm: wants a WORKSPACE of %zu bytes and has %llu",
				   checked.workspace_bytes, (unsigned long long)most_bytes);
	return ASC_OK;
}

static enum asc_status choose_algorithm(struct vendor_call *c, const struct vendor_site *site,
					struct asc_err *e)
{
	const uint64_t most_bytes = (uint64_t)get_count(site, WORKSPACE);
	cublaslt_preference *p = NULL;

	if (check(lt.preference_create(&p), "cublasLtMatmulPreferenceCreate", e))
		return e->status;
	enum asc_status s = fill_preference(c, most_bytes, p, e);
	if (s == ASC_OK)
		s = choose(c, p, get_count(site, ALGORITHM), e);
	(void)lt.preference_destroy(p);
	if (s == ASC_OK)
		s = change(c, site, e);
	return s == ASC_OK ? check_algorithm(c, most_bytes, e) : s;
}

/* ---- operations ---- */

static void cublaslt_fini(struct vendor_call *c)
{
	cublaslt_layout *const layouts[] = {c->layout_a, c->layout_b, c->layout_c};

	for (size_t i = 0; i < 3; i++)
		if (layouts[i])
			(void)lt.layout_destroy(layouts[i]);
	if (c->operation)
		(void)lt.operation_destroy(c->operation);
	free(c);
}

/* Prepares the call: describes the operation and the three matrices, asks the heuristic for an
 * algorithm, changes that as the parameters say, and has the library check it. */
static enum asc_status fill_call(struct vendor_call *c, const struct vendor_site *site,
				 struct asc_err *e)
{
	if (library_once(&library, e))
		return e->status;
	if (vendor_check_arguments("gemm", takes, site, e))
		return asc_err_wrap(e, "cublaslt");
	c->a = site->operands[A].address;
	c->b = site->operands[B].address;
	c->c = site->operands[C].address;
	c->stream = site->queue;
	/* In the context of the device, which is current only now: not where the library is opened.
	 */
	if (!handle && check(lt.create(&handle), "cublasLtCreate", e))
		return e->status;
	if (check(lt.operation_create(&c->operation, CUBLASLT_COMPUTE_F32, CUBLASLT_F32),
		  "cublasLtMatmulDescCreate", e))
		return e->status;
	/* Rows and columns change places: the library stores by columns. */
	if (make_layout(site, A, K, M, &c->layout_a, e) ||
	    make_layout(site, B, N, K, &c->layout_b, e) ||
	    make_layout(site, C, N, M, &c->layout_c, e))
		return e->status;
	return choose_algorithm(c, site, e);
}

static enum asc_status cublaslt_prepare(const struct vendor_site *site, const char *function,
					struct vendor_call **out, struct vendor_needs *needs,
					struct asc_err *e)
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
	*needs = (struct vendor_needs){.workspace_bytes = c->workspace_bytes, .capturable = true};
	return ASC_OK;
}

static enum asc_status cublaslt_enqueue(struct vendor_call *c, void *workspace, struct asc_err *e)
{
	const float one = 1, zero = 0;
	unsigned rc = lt.matmul(handle, c->operation, &one, c->b, c->layout_b, c->a, c->layout_a,
				&zero, c->c, c->layout_c, c->c, c->layout_c, &c->algorithm,
				workspace, c->workspace_bytes, c->stream);

	return check(rc, "cublasLtMatmul", e);
}

static const char *const functions[] = {"gemm", NULL};

const struct vendor_ops vendor_cublaslt = {
	.revision = 2,
	.name = "cublaslt",
	.summary = "cublasLt on NVIDIA GPUs: gemm",
	.device = "cuda",
	.functions = functions,
	.open = cublaslt_open,
	.identity = cublaslt_identity,
	.prepare = cublaslt_prepare,
	.enqueue = cublaslt_enqueue,
	.fini = cublaslt_fini,
};
