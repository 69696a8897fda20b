#include "aclnn_case.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

struct aclnn_case nn;
void *stream;
struct aclOpExecutor *executor;
uint64_t workspace_bytes;

enum { MAX_TENSORS = 64, MAX_NUMBERS = 1024 };

static struct {
	const struct aclTensor *tensor;
	void *data;
} made[MAX_TENSORS];
static size_t n_made;

void begin(void)
{
	void *base = standin_case_open("head", "libnnopbase.so"),
	     *operators = standin_case_open("head", "libopapi.so");

	if (!HOLDS(base && operators))
		return;
#define X(member, symbol, result, parameters, optional) *(void **)&nn.symbol = dlsym(base, #symbol);
	ACLNN_OBJECT_LIST(X)
#undef X
#define X(symbol, parameters)                                                                      \
	*(void **)&nn.symbol##GetWorkspaceSize = dlsym(operators, #symbol "GetWorkspaceSize");     \
	*(void **)&nn.symbol = dlsym(operators, #symbol);
	STANDIN_OPAPI_LIST(X)
#undef X
	stream = standin_case_begin();
}

void *data_of(const struct aclTensor *t)
{
	size_t i = 0;

	while (i < n_made && made[i].tensor != t)
		i++;
	HOLDS(i < n_made);
	return i < n_made ? made[i].data : NULL;
}

static struct aclTensor *note(struct aclTensor *t, void *data)
{
	if (HOLDS(t && n_made < MAX_TENSORS)) {
		made[n_made].tensor = t;
		made[n_made++].data = data;
	}
	return t;
}

static size_t size_of(int type)
{
	return type == TRUTH ? 1 : type == I64 ? 8 : type == F32 || type == I32 ? 4 : 2;
}

struct aclTensor *tensor_of(int type, const int64_t *dims, uint64_t rank, const void *bytes)
{
	static const char zeros[MAX_NUMBERS * sizeof(int64_t)];
	size_t n = size_of(type);
	void *data = NULL;

	for (uint64_t i = 0; i < rank; i++)
		n *= (size_t)dims[i];
	HOLDS(n <= sizeof zeros);
	GIVES(acl.alloc(&data, n, 0), 0);
	GIVES(acl.copy(data, n, bytes ? bytes : zeros, n, H2D), 0);
	return note(nn.aclCreateTensor(dims, rank, type, NULL, 0, ND, dims, rank, data), data);
}

struct aclTensor *view_of(const struct aclTensor *t, int type, const int64_t *dims, uint64_t rank,
			  const int64_t *strides, int64_t offset)
{
	void *data = data_of(t);

	return note(nn.aclCreateTensor(dims, rank, type, strides, offset, ND, dims, rank, data),
		    data);
}

struct aclTensor *tensor(int64_t rows, int64_t columns, const float *numbers)
{
	return tensor_of(F32, (const int64_t[]){rows, columns}, 2, numbers);
}

const float *numbers_of(const struct aclTensor *t, size_t n)
{
	static float numbers[MAX_NUMBERS];

	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(numbers, sizeof numbers, data_of(t), n * sizeof(float), D2H), 0);
	return numbers;
}

bool near(float have, double want)
{
	return fabs(have - want) <= 1e-6 * fabs(want) + 1e-7;
}

void *get_workspace(void)
{
	void *at = NULL;

	if (workspace_bytes)
		GIVES(acl.alloc(&at, workspace_bytes, 0), 0);
	return at;
}
