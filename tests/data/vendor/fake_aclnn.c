/* Stands for CANN's libraries of operators in tests: objects, and operators that write down what
 * phase one was given. Add, Cat and RmsNorm compute floats in this process's memory when they are
 * launched. Softmax is missing, Cat's executor is used up by a launch, RmsNorm wants a workspace.
 * What is freed twice or used after that counts as a fault. With RUNTIME this is libascendcl, whose
 * functions do nothing; with SOFTMAX a library that has that operator alone. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RUNTIME
#include "../../../tuner/device/libs/acl_abi.h"

#define X(member, symbol, result, parameters, release)                                             \
	result symbol parameters;                                                                  \
	result symbol parameters                                                                   \
	{                                                                                          \
		return 0;                                                                          \
	}
#pragma GCC diagnostic ignored "-Wunused-parameter"
ACL_LIST(X)
#elif defined(SOFTMAX)
int aclnnSoftmaxGetWorkspaceSize(void *a, int64_t axis, void *out, uint64_t *bytes, void **x);
int aclnnSoftmax(void *workspace, uint64_t bytes, void *executor, void *stream);

int aclnnSoftmaxGetWorkspaceSize(void *a, int64_t axis, void *out, uint64_t *bytes, void **x)
{
	(void)a, (void)axis, (void)out, (void)bytes, (void)x;
	return 161002;
}

int aclnnSoftmax(void *workspace, uint64_t bytes, void *executor, void *stream)
{
	(void)workspace, (void)bytes, (void)executor, (void)stream;
	return 161002;
}
#else

enum { MAX_RANK = 8, MAX_TENSORS = 8 };
enum kind {
	TENSOR = 0x7e45,
	SCALAR = 0x5ca1,
	LIST = 0x1157,
	INTS = 0x1275,
	EXECUTOR = 0xe8ec,
	FREED = 0xdead
};

struct object {
	enum kind kind;
	int type;
	uint64_t rank;
	int64_t shape[MAX_RANK];
	float *data;
	float value;
	struct object *list[MAX_TENSORS]; /* of a list, and what an executor works on */
	uint64_t n;
	double epsilon;
	int keeps;
	char letter;           /* of the operator */
	struct object *before; /* made before it */
};

int fake_live;           /* objects that are not freed */
int fake_faults;         /* objects that were used or freed after that */
int fake_planned;        /* times that phase one was called */
uint64_t fake_cat_bytes; /* workspace of the next Cat */
char fake_said[400];

static struct object *newest;

static struct object *make(enum kind kind)
{
	struct object *o = calloc(1, sizeof *o);

	fake_live++;
	o->kind = kind;
	o->before = newest;
	newest = o;
	return o;
}

/* Freed objects are kept, so that another use is seen. */
static int drop(struct object *o, enum kind kind)
{
	if (!o || o->kind != kind) {
		fake_faults++;
		return 161001;
	}
	o->kind = FREED;
	fake_live--;
	return 0;
}

void *aclCreateTensor(const int64_t *shape, uint64_t rank, int type, const int64_t *strides,
		      int64_t offset, int format, const int64_t *storage, uint64_t storage_rank,
		      void *data)
{
	struct object *o = make(TENSOR);
	int64_t stride = 1;

	o->rank = rank;
	o->type = type;
	o->data = data;
	memcpy(o->shape, shape, rank * sizeof *shape);
	for (uint64_t k = rank; k-- > 0; stride *= shape[k])
		fake_faults += strides[k] != stride || storage[k] != shape[k];
	fake_faults += offset != 0 || format != 2 || storage_rank != rank;
	return o;
}

int aclDestroyTensor(const void *tensor)
{
	return drop((struct object *)(uintptr_t)tensor, TENSOR);
}

void *aclCreateScalar(void *value, int type)
{
	struct object *o = make(SCALAR);

	o->type = type;
	memcpy(&o->value, value, sizeof o->value);
	return o;
}

int aclDestroyScalar(const void *scalar)
{
	return drop((struct object *)(uintptr_t)scalar, SCALAR);
}

void *aclCreateTensorList(const void *const *tensors, uint64_t n)
{
	struct object *o = make(LIST);

	o->n = n;
	memcpy(o->list, tensors, n * sizeof *tensors);
	return o;
}

int aclDestroyTensorList(const void *list)
{
	struct object *o = (struct object *)(uintptr_t)list;

	for (uint64_t i = 0; o->kind == LIST && i < o->n; i++)
		(void)drop(o->list[i], TENSOR);
	return drop(o, LIST);
}

void *aclCreateIntArray(const int64_t *values, uint64_t n)
{
	struct object *o = make(INTS);

	o->rank = n;
	memcpy(o->shape, values, n * sizeof *values);
	return o;
}

int aclDestroyIntArray(const void *array)
{
	return drop((struct object *)(uintptr_t)array, INTS);
}

int aclSetAclOpExecutorRepeatable(void *executor)
{
	struct object *o = executor;

	if (o->letter == 'C')
		return 561102;
	o->keeps = 1;
	return 0;
}

int aclDestroyAclOpExecutor(void *executor)
{
	return drop(executor, EXECUTOR);
}

/* ---- phase one ---- */

static void say(const char *format, ...)
{
	const size_t used = strlen(fake_said);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(fake_said + used, sizeof fake_said - used, format, args);
	va_end(args);
}

/* Prints 2x3:0 for a tensor of type 0. */
static void say_object(const struct object *o)
{
	if (!o) {
		say(" null");
		return;
	}
	if (o->kind == INTS) {
		say(" [");
		for (uint64_t k = 0; k < o->rank; k++)
			say("%s%lld", k ? " " : "", (long long)o->shape[k]);
		say("]");
		return;
	}
	if (o->kind == FREED) {
		fake_faults++;
		say(" freed");
		return;
	}
	if (o->kind == SCALAR) {
		say(" (%g)", (double)o->value);
		return;
	}
	for (uint64_t i = 0; o->kind == LIST && i < o->n; i++)
		say_object(o->list[i]);
	if (o->kind != TENSOR)
		return;
	say(" ");
	for (uint64_t k = 0; k < o->rank; k++)
		say("%s%lld", k ? "x" : "", (long long)o->shape[k]);
	say(":%d", o->type);
}

static int begin(char letter, struct object **objects, uint64_t n, uint64_t *bytes, void **executor)
{
	struct object *o = make(EXECUTOR);

	fake_planned++;
	o->letter = letter;
	o->n = n;
	memcpy(o->list, objects, n * sizeof *objects);
	*bytes = 0;
	*executor = o;
	fake_said[0] = '\0';
	for (uint64_t i = 0; i < n; i++)
		say_object(objects[i]);
	return 0;
}

#define OBJECTS(...) ((struct object *[]){__VA_ARGS__})

int aclnnAddGetWorkspaceSize(void *a, void *b, void *alpha, void *out, uint64_t *bytes, void **x)
{
	return begin('A', OBJECTS(a, b, alpha, out), 4, bytes, x);
}

/* Takes no types but float. */
int aclnnMulGetWorkspaceSize(void *a, void *b, void *out, uint64_t *bytes, void **x)
{
	if (((struct object *)a)->type != 0)
		return 161002;
	return begin('M', OBJECTS(a, b, out), 3, bytes, x);
}

int aclnnCastGetWorkspaceSize(void *a, int type, void *out, uint64_t *bytes, void **x)
{
	(void)begin('T', OBJECTS(a, out), 2, bytes, x);
	say(" to %d", type);
	return 0;
}

int aclnnCatGetWorkspaceSize(void *list, int64_t axis, void *out, uint64_t *bytes, void **x)
{
	(void)begin('C', OBJECTS(list, out), 2, bytes, x);
	*bytes = fake_cat_bytes;
	say(" axis %lld", (long long)axis);
	return 0;
}

int aclnnSiluGetWorkspaceSize(void *a, void *out, uint64_t *bytes, void **x)
{
	return begin('S', OBJECTS(a, out), 2, bytes, x);
}

int aclnnSwiGluGetWorkspaceSize(void *a, int64_t axis, void *out, uint64_t *bytes, void **x)
{
	(void)begin('G', OBJECTS(a, out), 2, bytes, x);
	say(" axis %lld", (long long)axis);
	return 0;
}

int aclnnRmsNormGetWorkspaceSize(void *a, void *gamma, double epsilon, void *y, void *rstd,
				 uint64_t *bytes, void **x)
{
	(void)begin('R', OBJECTS(a, gamma, y, rstd), 4, bytes, x);
	say(" epsilon %g", epsilon);
	((struct object *)*x)->epsilon = epsilon;
	*bytes = 100;
	return 0;
}

int aclnnAddRmsNormGetWorkspaceSize(void *a, void *b, void *gamma, double epsilon, void *y,
				    void *rstd, void *sum, uint64_t *bytes, void **x)
{
	(void)begin('N', OBJECTS(a, b, gamma, y, rstd, sum), 6, bytes, x);
	say(" epsilon %g", epsilon);
	return 0;
}

int aclnnMmGetWorkspaceSize(void *a, void *b, void *out, int8_t cube, uint64_t *bytes, void **x)
{
	(void)begin('P', OBJECTS(a, b, out), 3, bytes, x);
	say(" cube %d", cube);
	return 0;
}

int aclnnMatmulGetWorkspaceSize(void *a, void *b, void *out, int8_t cube, uint64_t *bytes, void **x)
{
	return aclnnMmGetWorkspaceSize(a, b, out, cube, bytes, x);
}

int aclnnAddmmGetWorkspaceSize(void *self, void *a, void *b, void *beta, void *alpha, void *out,
			       int8_t cube, uint64_t *bytes, void **x)
{
	(void)begin('D', OBJECTS(self, a, b, beta, alpha, out), 6, bytes, x);
	say(" cube %d", cube);
	return 0;
}

int aclnnBaddbmmGetWorkspaceSize(void *self, void *a, void *b, void *beta, void *alpha, void *out,
				 int8_t cube, uint64_t *bytes, void **x)
{
	return aclnnAddmmGetWorkspaceSize(self, a, b, beta, alpha, out, cube, bytes, x);
}

int aclnnInplaceCopyGetWorkspaceSize(void *self, void *source, uint64_t *bytes, void **x)
{
	return begin('I', OBJECTS(self, source), 2, bytes, x);
}

int aclnnInplaceMaskedFillScalarGetWorkspaceSize(void *self, void *mask, void *value,
						 uint64_t *bytes, void **x)
{
	return begin('F', OBJECTS(self, mask, value), 3, bytes, x);
}

int aclnnIndexSelectGetWorkspaceSize(void *self, int64_t axis, void *index, void *out,
				     uint64_t *bytes, void **x)
{
	(void)begin('X', OBJECTS(self, index, out), 3, bytes, x);
	say(" axis %lld", (long long)axis);
	return 0;
}

int aclnnInplaceIndexCopyGetWorkspaceSize(void *self, int64_t axis, void *index, void *source,
					  uint64_t *bytes, void **x)
{
	return aclnnIndexSelectGetWorkspaceSize(self, axis, index, source, bytes, x);
}

int aclnnApplyRotaryPosEmbV2GetWorkspaceSize(void *q, void *k, void *c, void *s, int64_t layout,
					     char *mode, uint64_t *bytes, void **x)
{
	(void)begin('V', OBJECTS(q, k, c, s), 4, bytes, x);
	say(" layout %lld %s", (long long)layout, mode ? mode : "null");
	return 0;
}

int aclnnRopeWithSinCosCacheGetWorkspaceSize(void *positions, void *q, void *k, void *table,
					     void *section, int64_t size, bool halves, void *q_out,
					     void *k_out, uint64_t *bytes, void **x)
{
	(void)begin('O', OBJECTS(positions, q, k, table, section, q_out, k_out), 7, bytes, x);
	say(" size %lld %s", (long long)size, halves ? "halves" : "pairs");
	return 0;
}

int aclnnScatterPaKvCacheGetWorkspaceSize(void *k, void *keys, void *slots, void *v, void *values,
					  void *a, void *b, void *c, char *mode, char *how,
					  void *strides, void *offsets, uint64_t *bytes, void **x)
{
	(void)begin('K', OBJECTS(k, keys, slots, v, values, a, b, c), 8, bytes, x);
	say(" %s %s", mode ? mode : "null", how ? how : "null");
	say_object(strides);
	say_object(offsets);
	return 0;
}

/* ---- phase two ---- */

static int64_t count(const struct object *o)
{
	int64_t n = 1;

	for (uint64_t k = 0; k < o->rank; k++)
		n *= o->shape[k];
	return n;
}

static void add(struct object **o)
{
	for (int64_t i = 0; i < count(o[3]); i++)
		o[3]->data[i] = o[0]->data[i] + o[2]->value * o[1]->data[i];
}

static void cat(struct object **o)
{
	float *to = o[1]->data;

	for (uint64_t i = 0; i < o[0]->n; to += count(o[0]->list[i++]))
		memcpy(to, o[0]->list[i]->data, (size_t)count(o[0]->list[i]) * sizeof *to);
}

static void normalise(struct object **o, double epsilon)
{
	const int64_t n = count(o[1]), rows = count(o[0]) / n;

	for (int64_t r = 0; r < rows; r++) {
		const float *x = o[0]->data + r * n;
		double sum = 0;

		for (int64_t i = 0; i < n; i++)
			sum += (double)x[i] * (double)x[i];
		const double rstd = 1 / sqrt(sum / (double)n + epsilon);
		for (int64_t i = 0; i < n; i++)
			o[2]->data[r * n + i] =
				(float)((double)x[i] * rstd * (double)o[1]->data[i]);
		o[3]->data[r] = (float)rstd;
	}
}

static int launch(void *workspace, uint64_t bytes, void *executor, void *stream)
{
	struct object *o = executor;

	(void)stream;
	if (!o || o->kind != EXECUTOR) {
		fake_faults++;
		return 561103;
	}
	for (uint64_t i = 0; i < o->n; i++)
		fake_faults += o->list[i] && o->list[i]->kind == FREED;
	if (bytes > 0)
		memset(workspace, 1, bytes);
	if (o->letter == 'A')
		add(o->list);
	if (o->letter == 'C')
		cat(o->list);
	if (o->letter == 'R')
		normalise(o->list, o->epsilon);
	return o->keeps ? 0 : drop(o, EXECUTOR);
}

#define LAUNCH(name)                                                                               \
	int aclnn##name(void *workspace, uint64_t bytes, void *executor, void *stream)             \
	{                                                                                          \
		return launch(workspace, bytes, executor, stream);                                 \
	}
LAUNCH(Add)
LAUNCH(Mul)
LAUNCH(Cast)
LAUNCH(Cat)
LAUNCH(Silu)
LAUNCH(SwiGlu)
LAUNCH(RmsNorm)
LAUNCH(AddRmsNorm)
LAUNCH(Mm)
LAUNCH(Matmul)
LAUNCH(Addmm)
LAUNCH(Baddbmm)
LAUNCH(InplaceCopy)
LAUNCH(InplaceMaskedFillScalar)
LAUNCH(IndexSelect)
LAUNCH(InplaceIndexCopy)
LAUNCH(ApplyRotaryPosEmbV2)
LAUNCH(RopeWithSinCosCache)
LAUNCH(ScatterPaKvCache)
#endif
