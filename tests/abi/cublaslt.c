/* Our declarations of cublasLt against the toolkit's. Compiled by ci/abi-check, never run. */
#include <cublasLt.h>

#include "tuner/device/libs/cublaslt_library.h"

#define SAME(what) _Static_assert(what, #what)

#define X(here, there, value) _Static_assert((there) == (value), #there);
CUBLASLT_CONSTANT_LIST(X)
#undef X

SAME(sizeof(struct cublaslt_algorithm) == sizeof(cublasLtMatmulAlgo_t));
SAME(sizeof(struct cublaslt_choice) == sizeof(cublasLtMatmulHeuristicResult_t));
SAME(offsetof(struct cublaslt_choice, workspace_bytes) ==
     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
SAME(offsetof(struct cublaslt_choice, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
SAME(offsetof(struct cublaslt_choice, waves) ==
     offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
SAME(sizeof(cublasStatus_t) == sizeof(unsigned));
SAME(sizeof(cudaDataType_t) == sizeof(unsigned));
SAME(sizeof(cublasComputeType_t) == sizeof(unsigned));
SAME(sizeof(cublasLtMatmulPreferenceAttributes_t) == sizeof(unsigned));
SAME(sizeof(cublasLtMatmulAlgoConfigAttributes_t) == sizeof(unsigned));
SAME(sizeof(size_t) == sizeof(uint64_t)); /* of the workspace's size */

/* Types of descriptors have no names that could be declared elsewhere; both sides take the same
 * arguments, and give what can be compared. */
#define BOTH(member, function, ...)                                                                \
	do {                                                                                       \
		SAME(__builtin_types_compatible_p(__typeof__(lt->member(__VA_ARGS__)),             \
						  __typeof__(function(__VA_ARGS__))));             \
	} while (0)

void call_all(const struct cublaslt *lt, struct cublasLtContext *handle, void *p, int n);
void call_all(const struct cublaslt *lt, struct cublasLtContext *handle, void *p, int n)
{
	struct CUstream_st *stream = NULL;
	float one = 1;

	BOTH(version, cublasLtGetVersion);
	BOTH(status_name, cublasLtGetStatusName, 0);
	BOTH(create, cublasLtCreate, &handle);
	BOTH(operation_create, cublasLtMatmulDescCreate, p, CUBLAS_COMPUTE_32F, CUDA_R_32F);
	BOTH(operation_destroy, cublasLtMatmulDescDestroy, p);
	BOTH(layout_create, cublasLtMatrixLayoutCreate, p, CUDA_R_32F, UINT64_MAX, UINT64_MAX,
	     INT64_MAX);
	BOTH(layout_destroy, cublasLtMatrixLayoutDestroy, p);
	BOTH(preference_create, cublasLtMatmulPreferenceCreate, p);
	BOTH(preference_destroy, cublasLtMatmulPreferenceDestroy, p);
	BOTH(preference_set, cublasLtMatmulPreferenceSetAttribute, p, 1, p, sizeof one);
	BOTH(heuristic, cublasLtMatmulAlgoGetHeuristic, handle, p, p, p, p, p, p, n, p, &n);
	BOTH(algorithm_set, cublasLtMatmulAlgoConfigSetAttribute, p, 1, p, sizeof one);
	BOTH(algorithm_check, cublasLtMatmulAlgoCheck, handle, p, p, p, p, p, p, p);
	BOTH(matmul, cublasLtMatmul, handle, p, &one, p, p, p, p, &one, p, p, p, p, p, p,
	     sizeof one, stream);
}
