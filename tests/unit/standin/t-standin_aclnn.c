/* The stand-in's vendor operators: objects, phases, executors, and what each computes.
 * covers: standin_done.c standin_math.c standin_nnopbase.c standin_opapi.c standin_operator.c
 * standin_tensor.c */
#include <dlfcn.h>
#include <math.h>
#include <time.h>

#include "aclnn_case.h"
#include "tests/tap.h"

static const float six[] = {1, -2, 3, 0.5F, 5, -6};

static void elements(void)
{
	float two = 2;

	begin();
	struct aclTensor *a = tensor(2, 3, six), *b = tensor(2, 3, six), *out = tensor(2, 3, NULL);
	struct aclScalar *alpha = nn.aclCreateScalar(&two, F32);
	GIVES(nn.aclnnAddGetWorkspaceSize(a, b, alpha, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnAdd);
	HOLDS(near(numbers_of(out, 6)[0], 3) && near(numbers_of(out, 6)[5], -18));
	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[1], 4) && near(numbers_of(out, 6)[3], 0.25));
	GIVES(nn.aclnnSiluGetWorkspaceSize(a, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnSilu);
	HOLDS(near(numbers_of(out, 6)[0], 1 / (1 + exp(-1))));
	GIVES(nn.aclDestroyScalar(alpha), 0);
	GIVES(nn.aclDestroyScalar(alpha), NULLPTR);
	GIVES(nn.aclDestroyTensor(a), 0);
	GIVES(nn.aclDestroyTensor(a), NULLPTR);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, out, &workspace_bytes, &executor), NULLPTR);
}

static void rows(void)
{
	begin();
	struct aclTensor *x = tensor(2, 3, six), *out = tensor(2, 3, NULL),
			 *rstd = tensor(2, 1, NULL);
	struct aclTensor *sum = tensor(2, 3, NULL), *gamma;
	const int64_t three = 3;

	GIVES(nn.aclnnSoftmaxGetWorkspaceSize(x, -1, out, &workspace_bytes, &executor), 0);
	HOLDS(workspace_bytes > 0);
	GIVES(nn.aclnnSoftmax(NULL, 0, executor, stream), INVALID);
	SECOND(aclnnSoftmax);
	HOLDS(near(numbers_of(out, 6)[2], 1 / (1 + exp(-2) + exp(-5))));
	gamma = nn.aclCreateTensor(&three, 1, F32, NULL, 0, ND, &three, 1, data_of(x));
	GIVES(nn.aclnnRmsNormGetWorkspaceSize(x, gamma, 0.5, out, rstd, &workspace_bytes,
					      &executor),
	      0);
	SECOND(aclnnRmsNorm);
	HOLDS(near(numbers_of(out, 6)[1], 4 / sqrt(14. / 3 + 0.5)));
	HOLDS(near(numbers_of(rstd, 2)[1], 1 / sqrt(61.25 / 3 + 0.5)));
	GIVES(nn.aclnnAddRmsNormGetWorkspaceSize(x, x, gamma, 0, out, rstd, sum, &workspace_bytes,
						 &executor),
	      0);
	SECOND(aclnnAddRmsNorm);
	HOLDS(near(numbers_of(sum, 6)[5], -12));
	HOLDS(near(numbers_of(out, 6)[0], 2 / sqrt(56. / 3)));
}

static void pieces(void)
{
	const float twelve[] = {1, -2, 3, 1, 2, 3, 0.5F, 5, -6, 4, 5, 6};

	begin();
	struct aclTensor *x = tensor(2, 6, twelve), *half = tensor(2, 3, NULL);
	const void *both[] = {tensor(2, 3, six), tensor(2, 3, six)};

	GIVES(nn.aclnnSwiGluGetWorkspaceSize(x, -1, half, &workspace_bytes, &executor), 0);
	GIVES(nn.aclSetAclOpExecutorRepeatable(executor), INNER_NULLPTR);
	SECOND(aclnnSwiGlu);
	HOLDS(near(numbers_of(half, 6)[1], -2 / (1 + exp(2)) * 2));
	HOLDS(near(numbers_of(half, 6)[3], 0.5 / (1 + exp(-0.5)) * 4));
	struct aclTensorList *list = nn.aclCreateTensorList(both, 2);
	GIVES(nn.aclnnCatGetWorkspaceSize(list, 1, x, &workspace_bytes, &executor), 0);
	SECOND(aclnnCat);
	HOLDS(near(numbers_of(x, 12)[3], 1) && near(numbers_of(x, 12)[6], 0.5));
	GIVES(nn.aclDestroyTensorList(list), 0);
	GIVES(nn.aclDestroyTensor(both[0]), NULLPTR);
}

static void products(void)
{
	begin();
	const int64_t dims[] = {3, 2}, strides[] = {1, 3};
	struct aclTensor *a = tensor(2, 3, six), *out = tensor(2, 2, NULL), *turned;

	/* a's own transpose, by strides: its rows' scalar products */
	turned = nn.aclCreateTensor(dims, 2, F32, strides, 0, ND, dims, 2, data_of(a));
	GIVES(nn.aclnnMmGetWorkspaceSize(a, turned, out, 0, &workspace_bytes, &executor), 0);
	SECOND(aclnnMm);
	HOLDS(near(numbers_of(out, 4)[0], 14) && near(numbers_of(out, 4)[1], 0.5 - 10 - 18));
	GIVES(nn.aclnnMatmulGetWorkspaceSize(a, turned, out, 0, &workspace_bytes, &executor), 0);
	SECOND(aclnnMatmul);
	HOLDS(near(numbers_of(out, 4)[3], 61.25));
	GIVES(nn.aclnnMatmulGetWorkspaceSize(a, a, out, 0, &workspace_bytes, &executor), INVALID);
}

static void executors(void)
{
	begin();
	struct aclTensor *a = tensor(2, 3, six), *b = tensor(2, 3, six), *out = tensor(2, 3, NULL);
	static const float other[6] = {0};

	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnMul);
	GIVES(nn.aclnnMul(NULL, 0, executor, stream), INNER_NULLPTR);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, out, &workspace_bytes, &executor), 0);
	GIVES(nn.aclnnSilu(NULL, 0, executor, stream), INVALID);
	GIVES(nn.aclSetAclOpExecutorRepeatable(executor), 0);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[1], 4));
	GIVES(acl.copy(data_of(b), sizeof other, other, sizeof other, H2D), 0);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[1], 0));
	GIVES(nn.aclDestroyAclOpExecutor(executor), 0);
	GIVES(nn.aclDestroyAclOpExecutor(executor), NULLPTR);
}

/* Results after writes between two launches of the same: of inputs, of outputs, in place. */
static void again(void)
{
	static const float ones[] = {1, 1, 1, 1, 1, 1}, zeros[6];

	begin();
	struct aclTensor *a = tensor(2, 3, six), *b = tensor(2, 3, six), *out = tensor(2, 3, NULL);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, out, &workspace_bytes, &executor), 0);
	GIVES(nn.aclSetAclOpExecutorRepeatable(executor), 0);
	SECOND(aclnnMul);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[5], 36));
	GIVES(acl.copy(data_of(out), sizeof zeros, zeros, sizeof zeros, H2D), 0);
	HOLDS(near(numbers_of(out, 6)[5], 0));
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[5], 36));
	GIVES(acl.copy(data_of(b), sizeof ones, ones, sizeof ones, H2D), 0);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[5], -6));
	GIVES(acl.copy(data_of(b), sizeof six, six, sizeof six, H2D), 0);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(out, 6)[5], 36));
	GIVES(nn.aclDestroyAclOpExecutor(executor), 0);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, a, &workspace_bytes, &executor), 0);
	GIVES(nn.aclSetAclOpExecutorRepeatable(executor), 0);
	SECOND(aclnnMul);
	SECOND(aclnnMul);
	HOLDS(near(numbers_of(a, 6)[5], -216) && near(numbers_of(a, 6)[2], 27));
	GIVES(nn.aclDestroyAclOpExecutor(executor), 0);
}

/* Time of two operators in a row, between whose calls the host does something else. */
static void device_time(void)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	void *before = NULL, *after = NULL;
	float ms = 0;

	begin();
	struct aclTensor *a = tensor(2, 3, six), *out = tensor(2, 3, NULL);
	GIVES(acl.event_create(&before), 0);
	GIVES(acl.event_create(&after), 0);
	GIVES(nn.aclnnSiluGetWorkspaceSize(a, out, &workspace_bytes, &executor), 0);
	GIVES(acl.event_record(before, stream), 0);
	SECOND(aclnnSilu);
	nanosleep(&pause, NULL);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, out, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnMul);
	GIVES(acl.event_record(after, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.event_elapsed(&ms, before, after), 0);
	/* Two kernels without work, 2 us each, and the gap of 1 us between them. */
	HOLDS(ms > 0.0048 && ms < 0.0052);
	GIVES(acl.event_destroy(before), 0);
	GIVES(acl.event_destroy(after), 0);
}

/* A wait for more than the stand-in may compute: a product of 2e9 operations. */
static void too_large(void)
{
	const int64_t dims[] = {1000, 1000};
	const size_t bytes = sizeof(float) * 1000000;
	void *data = NULL;

	begin();
	GIVES(acl.alloc(&data, bytes, 0), 0);
	GIVES(acl.set(data, bytes, 0, bytes, stream), 0);
	struct aclTensor *a = nn.aclCreateTensor(dims, 2, F32, NULL, 0, ND, dims, 2, data);
	GIVES(nn.aclnnMmGetWorkspaceSize(a, a, a, 0, &workspace_bytes, &executor), 0);
	SECOND(aclnnMm);
	GIVES(acl.stream_synchronize_within(stream, 60000), 207000);
	GIVES(acl.stream_synchronize(stream), 0);
}

static void refusals(void)
{
	const int64_t dims[] = {2, 3};
	void *data = NULL;

	begin();
	struct aclTensor *a = tensor(2, 3, six), *b = tensor(3, 2, six);
	GIVES(acl.alloc(&data, 64, 0), 0);
	HOLDS(nn.aclCreateTensor(dims, 2, F32, NULL, 0, ND, dims, 2, (char *)data + 4) == NULL);
	HOLDS(nn.aclCreateTensor(dims, 9, F32, NULL, 0, ND, dims, 9, data) == NULL);
	HOLDS(nn.aclCreateTensor(dims, 2, 5, NULL, 0, ND, dims, 2, data) == NULL);
	struct aclTensor *half = nn.aclCreateTensor(dims, 2, F16, NULL, 0, ND, dims, 2, data);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, b, a, &workspace_bytes, &executor), INVALID);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, half, a, &workspace_bytes, &executor), INVALID);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, NULL, a, &workspace_bytes, &executor), NULLPTR);
	GIVES(nn.aclnnMulGetWorkspaceSize(a, a, a, NULL, &executor), NULLPTR);
	GIVES(nn.aclnnSoftmaxGetWorkspaceSize(a, 2, a, &workspace_bytes, &executor), INVALID);
	GIVES(nn.aclnnCastGetWorkspaceSize(a, F32, half, &workspace_bytes, &executor), INVALID);
	GIVES(nn.aclnnCastGetWorkspaceSize(a, F16, half, &workspace_bytes, &executor), 0);
	SECOND(aclnnCast);
	GIVES(acl.stream_synchronize(stream), 0);
}

/* ---- records ---- */

static struct {
#define X(member, symbol, result, parameters) result(*member) parameters;
	MSPTI_LIST(X)
#undef X
} prof;

static int records;

static void request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	static _Alignas(8) uint8_t memory[4096];

	*buffer = memory;
	*bytes = sizeof memory;
	*max_records = 0;
}

static void complete(uint8_t *buffer, size_t bytes, size_t used)
{
	void *record;

	(void)bytes;
	while (prof.next(buffer, used, &record) == MSPTI_OK)
		records++;
}

static void kernels(void)
{
	void *library = standin_case_open("head", "libmspti.so");

#define X(member, symbol, result, parameters) *(void **)&prof.member = dlsym(library, #symbol);
	MSPTI_LIST(X)
#undef X
	begin();
	GIVES((int)prof.callbacks(request, complete), MSPTI_OK);
	GIVES((int)prof.enable(MSPTI_KIND_KERNEL), MSPTI_OK);
	struct aclTensor *a = tensor(2, 3, six), *out = tensor(2, 3, NULL);
	GIVES(nn.aclnnSiluGetWorkspaceSize(a, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnSilu);
	(void)numbers_of(out, 6);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(records == 1);
	GIVES(nn.aclnnSoftmaxGetWorkspaceSize(a, 1, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnSoftmax);
	(void)numbers_of(out, 6);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(records == 3);
	GIVES(nn.aclnnCastGetWorkspaceSize(a, F32, out, &workspace_bytes, &executor), 0);
	SECOND(aclnnCast);
	HOLDS(near(numbers_of(out, 6)[5], -6));
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(records == 3);
}

int main(void)
{
	standin_case("head", "", elements, "operators by elements");
	standin_case("head", "", rows, "operators by rows");
	standin_case("head", "", pieces, "halves and pieces");
	standin_case("head", "", products, "products");
	standin_case("head", "", executors, "executors");
	tap_has(standin_case_log(), "error: aclnnMul: an executor is used that was freed",
		"a second use is in the log");
	tap_has(standin_case_log(), "balance executors: 2 made, 2 freed", "executors balance");
	standin_case("head", "", again, "the same launch again");
	standin_case("head", "", device_time, "time of the device, not of the host");
	standin_case("head", "compute=1", too_large, "more than may be computed");
	standin_case("head", "", refusals, "what is refused");
	standin_case("head", "", kernels, "one kernel, two, and none");
	return tap_done();
}
