/* libopapi.so of the stand-in: operators in two phases. */
#include <string.h>

#include "standin/standin_abi.h"
#include "standin/standin_operator.h"

/* The first phase of one call while its operands are put together. */
struct phase {
	const char *name; /* of the operator */
	struct standin_operands operands;
	int code;
};

static struct phase begin(const char *function, const char *name)
{
	struct phase p = {.name = name};

	p.code = standin_enter(function, STANDIN_NEEDS_CONTEXT);
	return p;
}

static const struct standin_view *find_view(struct phase *p, const struct aclTensor *t)
{
	if (!p->code && !standin_is(STANDIN_TENSOR, t))
		p->code = standin_fail(ACLNN_NULLPTR, "aclnn%s: %p is no tensor", p->name,
				       (const void *)t);
	return p->code ? NULL : &t->view;
}

static void take(struct phase *p, const struct aclTensor *t)
{
	const struct standin_view *v = find_view(p, t);

	if (v)
		p->operands.in[p->operands.n_in++] = *v;
}

static void give(struct phase *p, const struct aclTensor *t)
{
	const struct standin_view *v = find_view(p, t);

	if (v)
		p->operands.out[p->operands.n_out++] = *v;
}

static int end(struct phase *p, const char *function, uint64_t *workspace_bytes,
	       struct aclOpExecutor **executor)
{
	if (p->code == STANDIN_OK)
		p->code =
			standin_operator_prepare(p->name, &p->operands, workspace_bytes, executor);
	return standin_leave(function, p->code, "%p", p->code ? NULL : (void *)*executor);
}

/* ---- first phases ---- */

static int unary(const char *function, const char *name, ACLNN_T x, int64_t dim, ACLNN_T out,
		 ACLNN_WS)
{
	struct phase p = begin(function, name);

	take(&p, x);
	give(&p, out);
	p.operands.dim = dim;
	return end(&p, function, workspace_bytes, executor);
}

static int binary(const char *function, const char *name, ACLNN_T a, ACLNN_T b, ACLNN_T out,
		  ACLNN_WS)
{
	struct phase p = begin(function, name);

	take(&p, a);
	take(&p, b);
	give(&p, out);
	return end(&p, function, workspace_bytes, executor);
}

/* The number of a scalar object. */
static double number_of(struct phase *p, const struct aclScalar *s, const char *what)
{
	if (!p->code && !standin_is(STANDIN_SCALAR, s))
		p->code = standin_fail(ACLNN_NULLPTR, "aclnn%s: no %s", p->name, what);
	return p->code ? 0 : s->value;
}

/* Takes an input in the shape of another tensor, with elements that are repeated. */
static void take_as(struct phase *p, const struct aclTensor *t, const struct aclTensor *shape)
{
	const struct standin_view *v = find_view(p, t), *to = find_view(p, shape);

	if (v && to && !standin_view_broadcast(v, to, &p->operands.in[p->operands.n_in++]))
		p->code = standin_fail(ACLNN_INVALID, "aclnn%s: shapes that do not go together",
				       p->name);
}

/* Takes a tensor that is changed in place. */
static void change(struct phase *p, const struct aclTensor *t)
{
	take(p, t);
	give(p, t);
}

/* Refuses what this version of the vendor's operator does not take yet. */
static void refuse_unless(struct phase *p, bool ok, const char *what)
{
	if (!p->code && !ok)
		p->code = standin_fail(ACLNN_INVALID, "aclnn%s: %s", p->name, what);
}

int aclnnAddGetWorkspaceSize(ACLNN_T a, ACLNN_T b, const struct aclScalar *alpha, ACLNN_T out,
			     ACLNN_WS)
{
	struct phase p = begin(__func__, "Add");

	take(&p, a);
	take(&p, b);
	give(&p, out);
	p.operands.number = number_of(&p, alpha, "alpha");
	return end(&p, __func__, workspace_bytes, executor);
}

int aclnnMulGetWorkspaceSize(ACLNN_T a, ACLNN_T b, ACLNN_T out, ACLNN_WS)
{
	return binary(__func__, "Mul", a, b, out, workspace_bytes, executor);
}

int aclnnSiluGetWorkspaceSize(ACLNN_T x, ACLNN_T out, ACLNN_WS)
{
	return unary(__func__, "Silu", x, 0, out, workspace_bytes, executor);
}

/* The vendor's operator takes no notice of the strides of its output (InfiniTensor/InfiniOps
 * 1ed8fb33, src/ascend/silu_and_mul): it writes one element after another. */
int aclnnSwiGluGetWorkspaceSize(ACLNN_T x, int64_t dim, ACLNN_T out, ACLNN_WS)
{
	struct phase p = begin(__func__, "SwiGlu");
	int64_t step = 1;

	take(&p, x);
	give(&p, out);
	for (size_t i = p.operands.n_out ? p.operands.out[0].rank : 0; i > 0;
	     step *= p.operands.out[0].dims[--i])
		p.operands.out[0].strides[i - 1] = step;
	p.operands.dim = dim;
	return end(&p, __func__, workspace_bytes, executor);
}

int aclnnSoftmaxGetWorkspaceSize(ACLNN_T x, int64_t dim, ACLNN_T out, ACLNN_WS)
{
	return unary(__func__, "Softmax", x, dim, out, workspace_bytes, executor);
}

int aclnnCastGetWorkspaceSize(ACLNN_T x, const int type, ACLNN_T out, ACLNN_WS)
{
	enum dtype t;
	const int64_t number = standin_dtype_find(type, &t) ? (int64_t)t : -1;

	return unary(__func__, "Cast", x, number, out, workspace_bytes, executor);
}

int aclnnMmGetWorkspaceSize(ACLNN_T a, ACLNN_T b, ACLNN_T out, int8_t cube_type, ACLNN_WS)
{
	(void)cube_type;
	return binary(__func__, "Mm", a, b, out, workspace_bytes, executor);
}

int aclnnMatmulGetWorkspaceSize(ACLNN_T a, ACLNN_T b, ACLNN_T out, int8_t cube_type, ACLNN_WS)
{
	(void)cube_type;
	return binary(__func__, "Matmul", a, b, out, workspace_bytes, executor);
}

int aclnnCatGetWorkspaceSize(const struct aclTensorList *list, int64_t dim, ACLNN_T out, ACLNN_WS)
{
	struct phase p = begin(__func__, "Cat");

	if (!p.code && !standin_is(STANDIN_TENSOR_LIST, list))
		p.code = standin_fail(ACLNN_NULLPTR, "aclnnCat: no list of tensors");
	for (uint64_t i = 0; !p.code && i < list->n; i++)
		take(&p, list->tensors[i]);
	give(&p, out);
	p.operands.dim = dim;
	return end(&p, __func__, workspace_bytes, executor);
}

int aclnnRmsNormGetWorkspaceSize(ACLNN_T x, ACLNN_T gamma, double epsilon, ACLNN_T y, ACLNN_T rstd,
				 ACLNN_WS)
{
	struct phase p = begin(__func__, "RmsNorm");

	take(&p, x);
	take(&p, gamma);
	give(&p, y);
	give(&p, rstd);
	p.operands.number = epsilon;
	return end(&p, __func__, workspace_bytes, executor);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclnnAddRmsNormGetWorkspaceSize(ACLNN_T a, ACLNN_T b, ACLNN_T gamma, double epsilon, ACLNN_T y,
				    ACLNN_T rstd, ACLNN_T sum, ACLNN_WS)
{
	struct phase p = begin(__func__, "AddRmsNorm");

	take(&p, a);
	take(&p, b);
	take(&p, gamma);
	give(&p, y);
	give(&p, rstd);
	give(&p, sum);
	p.operands.number = epsilon;
	return end(&p, __func__, workspace_bytes, executor);
}

/* beta self + alpha a b. What beta 0 leaves out is not read. */
// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
static int sum(const char *function, const char *name, ACLNN_T self, ACLNN_T a, ACLNN_T b,
	       const struct aclScalar *const scales[2], ACLNN_T out, bool batches, ACLNN_WS)
{
	struct phase p = begin(function, name);

	p.operands.number = number_of(&p, scales[0], "beta");
	p.operands.second = number_of(&p, scales[1], "alpha");
	p.operands.truth = batches;
	take(&p, a);
	take(&p, b);
	if (p.operands.number != 0)
		take_as(&p, self, out);
	else
		(void)find_view(&p, self);
	give(&p, out);
	return end(&p, function, workspace_bytes, executor);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclnnAddmmGetWorkspaceSize(ACLNN_T self, ACLNN_T a, ACLNN_T b, ACLNN_S beta, ACLNN_S alpha,
			       ACLNN_T out, int8_t cube_type, ACLNN_WS)
{
	const struct aclScalar *const scales[] = {beta, alpha};

	(void)cube_type;
	return sum(__func__, "Addmm", self, a, b, scales, out, false, workspace_bytes, executor);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclnnBaddbmmGetWorkspaceSize(ACLNN_T self, ACLNN_T a, ACLNN_T b, ACLNN_S beta, ACLNN_S alpha,
				 ACLNN_T out, int8_t cube_type, ACLNN_WS)
{
	const struct aclScalar *const scales[] = {beta, alpha};

	(void)cube_type;
	return sum(__func__, "Baddbmm", self, a, b, scales, out, true, workspace_bytes, executor);
}

int aclnnInplaceCopyGetWorkspaceSize(ACLNN_T self, ACLNN_T source, ACLNN_WS)
{
	struct phase p = begin(__func__, "InplaceCopy");

	take_as(&p, source, self);
	give(&p, self);
	return end(&p, __func__, workspace_bytes, executor);
}

int aclnnInplaceMaskedFillScalarGetWorkspaceSize(ACLNN_T self, ACLNN_T mask, ACLNN_S value,
						 ACLNN_WS)
{
	struct phase p = begin(__func__, "InplaceMaskedFillScalar");

	change(&p, self);
	take_as(&p, mask, self);
	p.operands.number = number_of(&p, value, "value");
	return end(&p, __func__, workspace_bytes, executor);
}

int aclnnIndexSelectGetWorkspaceSize(ACLNN_T self, int64_t dim, ACLNN_T index, ACLNN_T out,
				     ACLNN_WS)
{
	struct phase p = begin(__func__, "IndexSelect");

	take(&p, self);
	take(&p, index);
	give(&p, out);
	p.operands.dim = dim;
	return end(&p, __func__, workspace_bytes, executor);
}

int aclnnInplaceIndexCopyGetWorkspaceSize(ACLNN_T self, int64_t dim, ACLNN_T index, ACLNN_T source,
					  ACLNN_WS)
{
	struct phase p = begin(__func__, "InplaceIndexCopy");

	take(&p, index);
	take(&p, source);
	give(&p, self);
	p.operands.dim = dim;
	return end(&p, __func__, workspace_bytes, executor);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclnnApplyRotaryPosEmbV2GetWorkspaceSize(ACLNN_T query, ACLNN_T key, ACLNN_T cosine,
					     ACLNN_T sine, int64_t layout, char *mode, ACLNN_WS)
{
	struct phase p = begin(__func__, "ApplyRotaryPosEmbV2");

	change(&p, query);
	change(&p, key);
	take(&p, cosine);
	take(&p, sine);
	refuse_unless(&p, mode && strcmp(mode, "half") == 0, "a mode that is not \"half\"");
	p.operands.dim = layout;
	return end(&p, __func__, workspace_bytes, executor);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclnnRopeWithSinCosCacheGetWorkspaceSize(ACLNN_T positions, ACLNN_T query, ACLNN_T key,
					     ACLNN_T table, ACLNN_I section, int64_t head_size,
					     bool halves, ACLNN_T query_out, ACLNN_T key_out,
					     ACLNN_WS)
{
	struct phase p = begin(__func__, "RopeWithSinCosCache");

	take(&p, positions);
	take(&p, query);
	take(&p, key);
	take(&p, table);
	give(&p, query_out);
	give(&p, key_out);
	refuse_unless(&p, !section, "an mropeSection");
	p.operands.dim = head_size;
	p.operands.truth = halves;
	return end(&p, __func__, workspace_bytes, executor);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclnnScatterPaKvCacheGetWorkspaceSize(ACLNN_T key, ACLNN_T key_cache, ACLNN_T slots,
					  ACLNN_T value, ACLNN_T value_cache, ACLNN_T lengths,
					  ACLNN_T offset, ACLNN_T sequences, char *cache_mode,
					  char *scatter_mode, ACLNN_I strides, ACLNN_I offsets,
					  ACLNN_WS)
{
	struct phase p = begin(__func__, "ScatterPaKvCache");

	take(&p, key);
	take(&p, value);
	take(&p, slots);
	give(&p, key_cache);
	give(&p, value_cache);
	refuse_unless(&p,
		      (!cache_mode || strcmp(cache_mode, "Norm") == 0) &&
			      (!scatter_mode || strcmp(scatter_mode, "None") == 0),
		      "modes that are not \"Norm\" and \"None\"");
	refuse_unless(&p, !lengths && !offset && !sequences && !strides && !offsets,
		      "an argument that is to be NULL");
	return end(&p, __func__, workspace_bytes, executor);
}

/* ---- second phases ---- */

static int launch(const char *function, void *workspace, uint64_t workspace_bytes,
		  struct aclOpExecutor *executor, struct standin_stream *stream)
{
	enum { PREFIX = sizeof "aclnn" - 1 };
	int code = standin_enter(function, STANDIN_NEEDS_CONTEXT);

	code = code ? code
		    : standin_operator_launch(function + PREFIX, workspace, workspace_bytes,
					      executor, stream);
	return standin_leave(function, code, "%p %llu %p %p", workspace,
			     (unsigned long long)workspace_bytes, (void *)executor, (void *)stream);
}

#define X(symbol, parameters)                                                                      \
	int symbol(void *workspace, uint64_t workspace_bytes, struct aclOpExecutor *executor,      \
		   void *stream)                                                                   \
	{                                                                                          \
		return launch(#symbol, workspace, workspace_bytes, executor, stream);              \
	}
STANDIN_OPAPI_LIST(X)
#undef X
