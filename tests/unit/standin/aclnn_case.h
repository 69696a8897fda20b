/* Cases of the stand-in's operators: its functions by their symbols, and small tensors of f32. */
#ifndef ASCTUNE_TESTS_ACLNN_CASE_H
#define ASCTUNE_TESTS_ACLNN_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "standin/standin_abi.h"
#include "standin_case.h"

enum { F32 = 0, F16 = 1, I32 = 3, I64 = 9, TRUTH = 12, BF16 = 27 };
enum { ND = 2, H2D = NPU_HOST_TO_DEVICE, D2H = NPU_DEVICE_TO_HOST };
enum { NULLPTR = 161001, INVALID = 161002, SHAPE = 561002, INNER_NULLPTR = 561103 };

struct aclnn_case {
#define X(member, symbol, result, parameters, optional) result(*symbol) parameters;
	ACLNN_OBJECT_LIST(X)
#undef X
#define X(symbol, parameters)                                                                      \
	int(*symbol##GetWorkspaceSize) parameters;                                                 \
	int (*symbol)(void *, uint64_t, struct aclOpExecutor *, void *);
	STANDIN_OPAPI_LIST(X)
#undef X
};

extern struct aclnn_case nn;
extern void *stream;
extern struct aclOpExecutor *executor; /* of the last phase one, with its workspace */
extern uint64_t workspace_bytes;

/* Opens the libraries, and a stream. */
void begin(void);

/* A tensor of any type and shape, one element after another, with these bytes (NULL: zeros). */
struct aclTensor *tensor_of(int type, const int64_t *dims, uint64_t rank, const void *bytes);
/* A view of a tensor's memory; strides NULL: one element after another. */
struct aclTensor *view_of(const struct aclTensor *t, int type, const int64_t *dims, uint64_t rank,
			  const int64_t *strides, int64_t offset);
/* A tensor of two dimensions in f32. */
struct aclTensor *tensor(int64_t rows, int64_t columns, const float *numbers);
void *data_of(const struct aclTensor *t);
/* Numbers of the tensor's memory, behind all launches. */
const float *numbers_of(const struct aclTensor *t, size_t n);
bool near(float have, double want);
void *get_workspace(void);

#define SECOND(call) GIVES(nn.call(get_workspace(), workspace_bytes, executor, stream), 0)

#endif
