/* cublasLt's interface as far as it is used here, from own declarations: libcublasLt is opened at
 * run time, the file that $ASCTUNE_CUBLASLT names or where toolkits lie.
 *
 * Result codes and enumerations are `unsigned`, as the compilers store them; handles and
 * descriptors point to the library's own incomplete types. ci/abi-check holds all of it to the
 * toolkit's cublasLt.h. */
#ifndef ASCTUNE_DEVICE_LIBS_CUBLASLT_LIBRARY_H
#define ASCTUNE_DEVICE_LIBS_CUBLASLT_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

struct cublasLtContext;
struct CUstream_st;

struct cublaslt_algorithm {
	uint64_t data[8];
};

struct cublaslt_choice { /* an algorithm that the heuristic proposes or a check accepts */
	struct cublaslt_algorithm algorithm;
	size_t workspace_bytes;
	unsigned state; /* a result code */
	float waves;
	int reserved[4];
};

/* Descriptors; the library alone knows their sizes. */
typedef void cublaslt_operation, cublaslt_layout, cublaslt_preference;

/* member, symbol, result, parameters */
#define CUBLASLT_LIST(X)                                                                           \
	X(version, cublasLtGetVersion, size_t, (void))                                             \
	X(status_name, cublasLtGetStatusName, const char *, (unsigned rc))                         \
	X(create, cublasLtCreate, unsigned, (struct cublasLtContext * *out))                       \
	X(operation_create, cublasLtMatmulDescCreate, unsigned,                                    \
	  (cublaslt_operation * *out, unsigned compute_type, unsigned scale_type))                 \
	X(operation_destroy, cublasLtMatmulDescDestroy, unsigned, (cublaslt_operation * d))        \
	X(layout_create, cublasLtMatrixLayoutCreate, unsigned,                                     \
	  (cublaslt_layout * *out, unsigned type, uint64_t rows, uint64_t columns, int64_t pitch)) \
	X(layout_destroy, cublasLtMatrixLayoutDestroy, unsigned, (cublaslt_layout * d))            \
	X(preference_create, cublasLtMatmulPreferenceCreate, unsigned,                             \
	  (cublaslt_preference * *out))                                                            \
	X(preference_destroy, cublasLtMatmulPreferenceDestroy, unsigned,                           \
	  (cublaslt_preference * d))                                                               \
	X(preference_set, cublasLtMatmulPreferenceSetAttribute, unsigned,                          \
	  (cublaslt_preference * d, unsigned attribute, const void *value, size_t bytes))          \
	X(heuristic, cublasLtMatmulAlgoGetHeuristic, unsigned,                                     \
	  (struct cublasLtContext * handle, cublaslt_operation * d, cublaslt_layout * a,           \
	   cublaslt_layout * b, cublaslt_layout * c, cublaslt_layout * out,                        \
	   cublaslt_preference * preference, int wanted, struct cublaslt_choice *choices, int *n)) \
	X(algorithm_set, cublasLtMatmulAlgoConfigSetAttribute, unsigned,                           \
	  (struct cublaslt_algorithm * algorithm, unsigned attribute, const void *value,           \
	   size_t bytes))                                                                          \
	X(algorithm_check, cublasLtMatmulAlgoCheck, unsigned,                                      \
	  (struct cublasLtContext * handle, cublaslt_operation * d, cublaslt_layout * a,           \
	   cublaslt_layout * b, cublaslt_layout * c, cublaslt_layout * out,                        \
	   const struct cublaslt_algorithm *algorithm, struct cublaslt_choice *choice))            \
	X(matmul, cublasLtMatmul, unsigned,                                                        \
	  (struct cublasLtContext * handle, cublaslt_operation * d, const void *alpha,             \
	   const void *a, cublaslt_layout *layout_a, const void *b, cublaslt_layout *layout_b,     \
	   const void *beta, const void *c, cublaslt_layout *layout_c, void *out,                  \
	   cublaslt_layout *layout_out, const struct cublaslt_algorithm *algorithm,                \
	   void *workspace, size_t workspace_bytes, struct CUstream_st *stream))

struct cublaslt {
#define X(member, symbol, result, parameters) result(*member) parameters;
	CUBLASLT_LIST(X)
#undef X
};

/* name here, name there, value */
#define CUBLASLT_CONSTANT_LIST(X)                                                                  \
	X(CUBLASLT_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED, 3)                                    \
	X(CUBLASLT_F32, CUDA_R_32F, 0)                                                             \
	X(CUBLASLT_F16, CUDA_R_16F, 2)                                                             \
	X(CUBLASLT_BF16, CUDA_R_16BF, 14)                                                          \
	X(CUBLASLT_COMPUTE_F32, CUBLAS_COMPUTE_32F, 68)                                            \
	X(CUBLASLT_WORKSPACE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)                         \
	X(CUBLASLT_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5)                     \
	X(CUBLASLT_ALIGNMENT_B, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6)                     \
	X(CUBLASLT_ALIGNMENT_C, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7)                     \
	X(CUBLASLT_ALIGNMENT_OUT, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8)                   \
	X(CUBLASLT_TILE, CUBLASLT_ALGO_CONFIG_TILE_ID, 1)                                          \
	X(CUBLASLT_SPLIT_K, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 2)                                    \
	X(CUBLASLT_REDUCTION, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 3)                            \
	X(CUBLASLT_STAGES, CUBLASLT_ALGO_CONFIG_STAGES_ID, 6)                                      \
	X(CUBLASLT_REDUCE_NONE, CUBLASLT_REDUCTION_SCHEME_NONE, 0)                                 \
	X(CUBLASLT_REDUCE_F32, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 2)

enum {
#define X(here, there, value) here = (value),
	CUBLASLT_CONSTANT_LIST(X)
#undef X
};

#endif
