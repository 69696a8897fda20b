/* Prototypes of all functions that the stand-in's libraries have: those by which asctune looks the
 * vendor's up (tuner/device/libs), and the two phases of each of its operators. */
#ifndef ASCTUNE_STANDIN_STANDIN_ABI_H
#define ASCTUNE_STANDIN_STANDIN_ABI_H

#include <stdbool.h>

#include "tuner/device/libs/acl_abi.h"
#include "tuner/device/libs/aclnn_abi.h"
#include "tuner/device/libs/mspti_abi.h"

/* libascendcl.so, or libacl_rt.so */
#define X(member, symbol, result, parameters, release) result symbol parameters;
ACL_LIST(X)
#undef X

/* libruntime.so, libmspti.so, libms_tools_ext.so */
#define X(member, symbol, result, parameters) result symbol parameters;
RT_LIST(X)
MSPTI_LIST(X)
MSTX_LIST(X)
#undef X

/* libnnopbase.so */
#define X(member, symbol, result, parameters, optional) result symbol parameters;
ACLNN_OBJECT_LIST(X)
#undef X

struct aclOpExecutor;
struct aclTensor;
struct aclScalar;
struct aclTensorList;
struct aclIntArray;

/* libopapi.so */
#define ACLNN_T  const struct aclTensor *
#define ACLNN_S  const struct aclScalar *
#define ACLNN_I  const struct aclIntArray *
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
	X(aclnnMatmul, (ACLNN_T a, ACLNN_T b, ACLNN_T out, int8_t cube_type, ACLNN_WS))            \
	X(aclnnAddmm, (ACLNN_T self, ACLNN_T a, ACLNN_T b, ACLNN_S beta, ACLNN_S alpha,            \
		       ACLNN_T out, int8_t cube_type, ACLNN_WS))                                   \
	X(aclnnBaddbmm, (ACLNN_T self, ACLNN_T a, ACLNN_T b, ACLNN_S beta, ACLNN_S alpha,          \
			 ACLNN_T out, int8_t cube_type, ACLNN_WS))                                 \
	X(aclnnInplaceCopy, (ACLNN_T self, ACLNN_T source, ACLNN_WS))                              \
	X(aclnnInplaceMaskedFillScalar, (ACLNN_T self, ACLNN_T mask, ACLNN_S value, ACLNN_WS))     \
	X(aclnnIndexSelect, (ACLNN_T self, int64_t dim, ACLNN_T index, ACLNN_T out, ACLNN_WS))     \
	X(aclnnApplyRotaryPosEmbV2, (ACLNN_T query, ACLNN_T key, ACLNN_T cosine, ACLNN_T sine,     \
				     int64_t layout, char *mode, ACLNN_WS))                        \
	X(aclnnRopeWithSinCosCache,                                                                \
	  (ACLNN_T positions, ACLNN_T query, ACLNN_T key, ACLNN_T table, ACLNN_I section,          \
	   int64_t head_size, bool halves, ACLNN_T query_out, ACLNN_T key_out, ACLNN_WS))          \
	X(aclnnInplaceIndexCopy,                                                                   \
	  (ACLNN_T self, int64_t dim, ACLNN_T index, ACLNN_T source, ACLNN_WS))                    \
	X(aclnnScatterPaKvCache,                                                                   \
	  (ACLNN_T key, ACLNN_T key_cache, ACLNN_T slots, ACLNN_T value, ACLNN_T value_cache,      \
	   ACLNN_T lengths, ACLNN_T offset, ACLNN_T sequences, char *cache_mode,                   \
	   char *scatter_mode, ACLNN_I strides, ACLNN_I offsets, ACLNN_WS))

#define X(symbol, parameters)                                                                      \
	int symbol##GetWorkspaceSize parameters;                                                   \
	int symbol(void *workspace, uint64_t workspace_bytes, struct aclOpExecutor *executor,      \
		   void *stream);
STANDIN_OPAPI_LIST(X)
#undef X

#endif
