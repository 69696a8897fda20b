/* libnnopbase.so of the stand-in: the objects that operators are called with. */
#include <string.h>

#include "standin/standin_abi.h"
#include "standin/standin_operator.h"

enum { DATA_ALIGN = 32 };

/* ---- tensors ---- */

static int view_init(struct standin_view *v, const int64_t *dims, uint64_t rank, int type,
		     const int64_t *strides)
{
	int64_t step = 1;

	if (!dims || rank > STANDIN_MAX_RANK || !standin_dtype_find(type, &v->type))
		return standin_fail(ACLNN_INVALID, "a tensor of %llu dimensions, type %d",
				    (unsigned long long)rank, type);
	v->rank = rank;
	memcpy(v->dims, dims, rank * sizeof *dims);
	for (size_t i = rank; i > 0; i--) {
		v->strides[i - 1] = strides ? strides[i - 1] : step;
		step *= dims[i - 1];
	}
	return STANDIN_OK;
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
void *aclCreateTensor(const int64_t *dims, uint64_t rank, int type, const int64_t *strides,
		      int64_t offset, int format, const int64_t *storage_dims,
		      uint64_t storage_rank, void *data)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct standin_view v = {.offset = offset, .data = data};
	struct aclTensor *t = NULL;

	(void)storage_dims;
	(void)storage_rank;
	code = code ? code : view_init(&v, dims, rank, type, strides);
	if (code == STANDIN_OK && ((uintptr_t)data % DATA_ALIGN != 0 || format != ACLNN_FORMAT_ND))
		code = standin_fail(ACLNN_INVALID, "a tensor of format %d at %p", format, data);
	if (code == STANDIN_OK && (t = standin_new(STANDIN_TENSOR, sizeof *t)) != NULL)
		t->view = v;
	standin_leave(__func__, code, "%p", (void *)t);
	return t;
}

/* Destroys an object of a kind; 161001 for what is none, or no more. */
static int destroy_object(const char *name, enum standin_kind kind, const void *object)
{
	void *own = NULL;

	memcpy(&own, &object, sizeof own);
	if (standin_is(kind, object)) {
		standin_free(own);
		return STANDIN_OK;
	}
	standin_log("error: %s of what was destroyed, or never made", name);
	return standin_fail(ACLNN_NULLPTR, "%s: %p is no such object", name, object);
}

static int destroy(const char *name, enum standin_kind kind, const void *object)
{
	int code = standin_enter(name, STANDIN_WHEN_LOST);

	code = code ? code : destroy_object(name, kind, object);
	return standin_leave(name, code, "%p", object);
}

int aclDestroyTensor(const void *tensor)
{
	return destroy(__func__, STANDIN_TENSOR, tensor);
}

/* The tensor as what it was made: the vendor's lists have constant ones and destroy them. */
static struct aclTensor *find_tensor(const struct aclTensor *t)
{
	struct aclTensor *own = standin_first(STANDIN_TENSOR);

	while (own && own != t)
		own = (struct aclTensor *)own->object.next;
	return own;
}

void *aclCreateTensorList(const void *const *tensors, uint64_t n)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct aclTensorList *l = NULL;

	for (uint64_t i = 0; i < n && code == STANDIN_OK; i++)
		if (n > STANDIN_MAX_LIST || !standin_is(STANDIN_TENSOR, tensors[i]))
			code = standin_fail(ACLNN_INVALID, "a list of %llu tensors",
					    (unsigned long long)n);
	if (code == STANDIN_OK && (l = standin_new(STANDIN_TENSOR_LIST, sizeof *l)) != NULL) {
		l->n = n;
		for (uint64_t i = 0; i < n; i++)
			l->tensors[i] = find_tensor(tensors[i]);
	}
	standin_leave(__func__, code, "%p", (void *)l);
	return l;
}

/* The list's tensors go with it. */
int aclDestroyTensorList(const void *list)
{
	const struct aclTensorList *l = list;
	struct aclTensor *tensors[STANDIN_MAX_LIST];
	uint64_t n = 0;
	int code = standin_enter(__func__, STANDIN_WHEN_LOST);

	if (code == STANDIN_OK && standin_is(STANDIN_TENSOR_LIST, list)) {
		n = l->n;
		memcpy(tensors, l->tensors, n * sizeof(void *));
	}
	code = code ? code : destroy_object(__func__, STANDIN_TENSOR_LIST, list);
	for (uint64_t i = 0; i < n && code == STANDIN_OK; i++)
		code = destroy_object(__func__, STANDIN_TENSOR, tensors[i]);
	return standin_leave(__func__, code, "%p", list);
}

/* ---- scalars ---- */

void *aclCreateScalar(void *value, int type)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct aclScalar *s = NULL;
	enum dtype t;

	if (code == STANDIN_OK && (!value || !standin_dtype_find(type, &t)))
		code = standin_fail(ACLNN_INVALID, "a scalar of type %d", type);
	if (code == STANDIN_OK && (s = standin_new(STANDIN_SCALAR, sizeof *s)) != NULL)
		dtype_to_double(t, value, &s->value, 1);
	standin_leave(__func__, code, "%p", (void *)s);
	return s;
}

int aclDestroyScalar(const void *scalar)
{
	return destroy(__func__, STANDIN_SCALAR, scalar);
}

/* ---- arrays of integers ---- */

void *aclCreateIntArray(const int64_t *values, uint64_t n)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct aclIntArray *a = NULL;

	if (code == STANDIN_OK && !values && n > 0)
		code = standin_fail(ACLNN_INVALID, "an array of no integers");
	if (code == STANDIN_OK && (a = standin_new(STANDIN_INT_ARRAY, sizeof *a)) != NULL)
		a->n = n;
	standin_leave(__func__, code, "%p", (void *)a);
	return a;
}

int aclDestroyIntArray(const void *array)
{
	return destroy(__func__, STANDIN_INT_ARRAY, array);
}

/* ---- executors ---- */

int aclSetAclOpExecutorRepeatable(void *executor)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct aclOpExecutor *x = executor;

	if (code == STANDIN_OK && !standin_is(STANDIN_EXECUTOR, x))
		code = standin_fail(ACLNN_NULLPTR, "%p is no executor", executor);
	if (code == STANDIN_OK && x->op->once)
		code = standin_fail(ACLNN_INNER_NULLPTR, "aclnn%s is not repeatable", x->op->name);
	if (code == STANDIN_OK)
		x->repeatable = true;
	return standin_leave(__func__, code, "%p", executor);
}

int aclDestroyAclOpExecutor(void *executor)
{
	return destroy(__func__, STANDIN_EXECUTOR, executor);
}
