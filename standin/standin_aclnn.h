/* libnnopbase.so and libopapi.so of the stand-in: the vendor's objects, and operators in two
 * phases. */
#ifndef ASCTUNE_STANDIN_STANDIN_ACLNN_H
#define ASCTUNE_STANDIN_STANDIN_ACLNN_H

#include <stddef.h>
#include <stdint.h>

struct aclOpExecutor;
struct aclTensor;
struct aclScalar;
struct aclTensorList;

/* symbol, result, parameters */
#define STANDIN_NNOPBASE_LIST(X)                                                                   \
	X(aclCreateTensor, struct aclTensor *,                                                     \
	  (const int64_t *dims, uint64_t rank, int type, const int64_t *strides, int64_t offset,   \
	   int format, const int64_t *storage_dims, uint64_t storage_rank, void *data))            \
	X(aclCreateScalar, struct aclScalar *, (void *value, int type))                            \
	X(aclCreateTensorList, struct aclTensorList *,                                             \
	  (const struct aclTensor *const *tensors, uint64_t n))                                    \
	X(aclDestroyTensor, int, (const struct aclTensor *tensor))                                 \
	X(aclDestroyScalar, int, (const struct aclScalar *scalar))                                 \
	X(aclDestroyTensorList, int, (const struct aclTensorList *list))                           \
	X(aclSetAclOpExecutorRepeatable, int, (struct aclOpExecutor * executor))                   \
	X(aclDestroyAclOpExecutor, int, (struct aclOpExecutor * executor))

#define ACLNN_T  const struct aclTensor *
#define ACLNN_WS uint64_t *workspace_bytes, struct aclOpExecutor **executor

/* symbol of the second phase, parameters of the first */
#define STANDIN_OPAPI_LIST(X)                                                                      \
	X(aclnnAdd, (ACLNN_T a, ACLNN_T b, const struct aclScalar *alpha, ACLNN_T out, ACLNN_WS))  \
	X(aclnnMul, (ACLNN_T a, ACLNN_T b, ACLNN_T out, ACLNN_WS))                                 \
	X(aclnnSilu, (ACLNN_T x, ACLNN_T out, ACLNN_WS))                                           \
	X(aclnnSwiGlu, (ACLNN_T x, int64_t dim, ACLNN_T out, ACLNN_WS))                            \
	X(aclnnCast, (ACLNN_T x, const int type, ACLNN_T out, ACLNN_WS))                           \
	X(aclnnCat, (const struct aclTensorList *list, int64_t dim, ACLNN_T out, ACLNN_WS))        \
	X(aclnnSoftmax, (ACLNN_T x, int64_t dim, ACLNN_T out, ACLNN_WS))                           \
	X(aclnnRmsNorm,                                                                            \
	  (ACLNN_T x, ACLNN_T gamma, double epsilon, ACLNN_T y, ACLNN_T rstd, ACLNN_WS))           \
	X(aclnnAddRmsNorm, (ACLNN_T a, ACLNN_T b, ACLNN_T gamma, double epsilon, ACLNN_T y,        \
			    ACLNN_T rstd, ACLNN_T sum, ACLNN_WS))                                  \
	X(aclnnMm, (ACLNN_T a, ACLNN_T b, ACLNN_T out, int8_t cube_type, ACLNN_WS))                \
	X(aclnnMatmul, (ACLNN_T a, ACLNN_T b, ACLNN_T out, int8_t cube_type, ACLNN_WS))

#define X(symbol, result, parameters) result symbol parameters;
STANDIN_NNOPBASE_LIST(X)
#undef X
#define X(symbol, parameters)                                                                      \
	int symbol##GetWorkspaceSize parameters;                                                   \
	int symbol(void *workspace, uint64_t workspace_bytes, struct aclOpExecutor *executor,      \
		   void *stream);
STANDIN_OPAPI_LIST(X)
#undef X

#endif
