/* What launches cost that the stand-in has made before: chains of operators of 1 and of 4096 rows
 * of 4096 numbers in f16, launched once, then 20 batches of 64 launches in a row. Prints for each
 * the least time of the clock on the wall and that of the device, which is the model's. Usage:
 * standin_again FOLDER, the stand-in's head/lib64. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "standin/standin_abi.h"

enum {
	F16 = 1,
	F32 = 0,
	TRUTH = 12,
	ND = 2,
	LAUNCHES = 64,
	BATCHES = 20,
	BYTE = 0x3c,
	COLUMNS = 4096,
	MAX_CALLS = 4
};

static struct {
#define X(member, symbol, result, parameters, release) result(*member) parameters;
	ACL_LIST(X)
#undef X
} acl;

static struct {
#define X(member, symbol, result, parameters, optional) result(*symbol) parameters;
	ACLNN_OBJECT_LIST(X)
#undef X
#define X(symbol, parameters)                                                                      \
	int(*symbol##GetWorkspaceSize) parameters;                                                 \
	int (*symbol)(void *, uint64_t, struct aclOpExecutor *, void *);
	STANDIN_OPAPI_LIST(X)
#undef X
} nn;

/* Ends at the first call that fails. */
#define MUST(call)                                                                                 \
	do {                                                                                       \
		const int code_ = (call);                                                          \
		if (code_) {                                                                       \
			printf("%s gave %d\n", #call, code_);                                      \
			exit(2);                                                                   \
		}                                                                                  \
	} while (0)

static void *open_library(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	void *library = dlopen(path, RTLD_NOW);
	if (!library) {
		puts(dlerror());
		exit(2);
	}
	return library;
}

static void open_all(const char *folder)
{
	void *base = open_library(folder, "libascendcl.so");
#define X(member, symbol, result, parameters, release) *(void **)&acl.member = dlsym(base, #symbol);
	ACL_LIST(X)
#undef X
	base = open_library(folder, "libnnopbase.so");
#define X(member, symbol, result, parameters, optional) *(void **)&nn.symbol = dlsym(base, #symbol);
	ACLNN_OBJECT_LIST(X)
#undef X
	base = open_library(folder, "libopapi.so");
#define X(symbol, parameters)                                                                      \
	*(void **)&nn.symbol##GetWorkspaceSize = dlsym(base, #symbol "GetWorkspaceSize");          \
	*(void **)&nn.symbol = dlsym(base, #symbol);
	STANDIN_OPAPI_LIST(X)
#undef X
}

static void *stream;

static struct aclTensor *tensor(int type, int64_t rows, int64_t columns)
{
	const int64_t dims[] = {rows, columns};
	const size_t bytes = (size_t)(rows * columns) * (type == F32 ? 4 : type == F16 ? 2 : 1);
	void *data = NULL;

	MUST(acl.alloc(&data, bytes, 0));
	/* A number near 1, and a truth. */
	MUST(acl.set(data, bytes, BYTE, bytes, stream));
	return nn.aclCreateTensor(dims, 2, type, NULL, 0, ND, dims, 2, data);
}

/* One call that is kept for all launches. */
static struct call {
	int (*launch)(void *, uint64_t, struct aclOpExecutor *, void *);
	struct aclOpExecutor *executor;
	void *workspace;
	uint64_t bytes;
} calls[MAX_CALLS];
static int n_calls;

static void keep(int (*launch)(void *, uint64_t, struct aclOpExecutor *, void *),
		 struct aclOpExecutor *executor, uint64_t bytes)
{
	struct call *c = &calls[n_calls++];

	*c = (struct call){launch, executor, NULL, bytes};
	MUST(nn.aclSetAclOpExecutorRepeatable(executor));
	if (bytes)
		MUST(acl.alloc(&c->workspace, bytes, 0));
}

#define CALL(name, ...)                                                                            \
	do {                                                                                       \
		struct aclOpExecutor *x_;                                                          \
		uint64_t bytes_;                                                                   \
		MUST(nn.name##GetWorkspaceSize(__VA_ARGS__, &bytes_, &x_));                        \
		keep(nn.name, x_, bytes_);                                                         \
	} while (0)

static void launch_all(void)
{
	for (int i = 0; i < n_calls; i++)
		MUST(calls[i].launch(calls[i].workspace, calls[i].bytes, calls[i].executor,
				     stream));
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* The least time of some batches: others have what other programs take, too. */
static void measure(const char *name, int64_t rows)
{
	void *before = NULL, *after = NULL;
	double least = INFINITY;
	float ms = 0;

	MUST(acl.event_create(&before));
	MUST(acl.event_create(&after));
	launch_all();
	MUST(acl.stream_synchronize(stream));
	for (int batch = 0; batch < BATCHES; batch++) {
		const double begin = now_us();

		MUST(acl.event_record(before, stream));
		for (int i = 0; i < LAUNCHES; i++)
			launch_all();
		MUST(acl.event_record(after, stream));
		MUST(acl.stream_synchronize(stream));
		least = fmin(least, (now_us() - begin) / LAUNCHES);
	}
	MUST(acl.event_elapsed(&ms, before, after));
	printf("%s %lld %.3f %.3f\n", name, (long long)rows, least, (double)ms * 1e3 / LAUNCHES);
	n_calls = 0;
}

/* Two operators, each into a tensor of its own. */
static void add_norm(int64_t rows)
{
	const int64_t columns = COLUMNS;
	float one = 1;
	struct aclTensor *a = tensor(F16, rows, COLUMNS), *b = tensor(F16, rows, COLUMNS),
			 *x = tensor(F16, rows, COLUMNS), *y = tensor(F16, rows, COLUMNS),
			 *rstd = tensor(F32, rows, 1);
	void *data = NULL;

	MUST(acl.alloc(&data, COLUMNS * 2, 0));
	MUST(acl.set(data, COLUMNS * 2, BYTE, COLUMNS * 2, stream));
	struct aclTensor *gamma =
		nn.aclCreateTensor(&columns, 1, F16, NULL, 0, ND, &columns, 1, data);

	CALL(aclnnAdd, a, b, nn.aclCreateScalar(&one, F32), x);
	CALL(aclnnRmsNorm, x, gamma, 1e-6, y, rstd);
	measure("add, norm", rows);
}

/* Three, two of which change one tensor in place. */
static void causal_softmax(int64_t rows)
{
	float low = -1e4F;
	struct aclTensor *x = tensor(F16, rows, COLUMNS), *temp = tensor(F16, rows, COLUMNS),
			 *mask = tensor(TRUTH, rows, COLUMNS), *out = tensor(F16, rows, COLUMNS);

	CALL(aclnnInplaceCopy, temp, x);
	CALL(aclnnInplaceMaskedFillScalar, temp, mask, nn.aclCreateScalar(&low, F32));
	CALL(aclnnSoftmax, temp, -1, out);
	measure("copy, fill, softmax", rows);
}

int main(int argc, char **argv)
{
	static const int64_t rows[] = {1, 4096};

	if (argc < 2)
		return 2;
	open_all(argv[1]);
	MUST(acl.init(NULL));
	MUST(acl.device_set(0));
	MUST(acl.stream_create(&stream));
	for (int i = 0; i < 2; i++) {
		add_norm(rows[i]);
		causal_softmax(rows[i]);
	}
	return 0;
}
