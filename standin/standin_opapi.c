/* libopapi.so of the stand-in: operators in two phases. */
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

int aclnnAddGetWorkspaceSize(ACLNN_T a, ACLNN_T b, const struct aclScalar *alpha, ACLNN_T out,
			     ACLNN_WS)
{
	struct phase p = begin(__func__, "Add");

	take(&p, a);
	take(&p, b);
	give(&p, out);
	if (!p.code && !standin_is(STANDIN_SCALAR, alpha))
		p.code = standin_fail(ACLNN_NULLPTR, "aclnnAdd: no alpha");
	if (!p.code)
		p.operands.number = alpha->value;
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

int aclnnSwiGluGetWorkspaceSize(ACLNN_T x, int64_t dim, ACLNN_T out, ACLNN_WS)
{
	return unary(__func__, "SwiGlu", x, dim, out, workspace_bytes, executor);
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
