/* Declarations that openblas.c shares with the files of its functions. */
#ifndef ASCTUNE_DEVICE_VENDOR_OPENBLAS_H
#define ASCTUNE_DEVICE_VENDOR_OPENBLAS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/device/vendor/vendor.h"

/* Softmax of a row, the part of attention between two matrix products: replaces the first `visible`
 * (at least 1) of `n` scores by 2^(score - largest), the others by 0; returns the sum. Within 4
 * units in the last place of each weight down to 2^-126, where weights end. */
typedef float softmax_row_fn(float *row, int64_t n, int64_t visible);

/* Finds the fastest form for this processor. */
softmax_row_fn *softmax_row_choose(void);

/* Values of the C interface to the BLAS (BLAS Technical Forum Standard, appendix B.2). */
enum cblas_order { CBLAS_ROW_MAJOR = 101 };
enum cblas_transpose { CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

/* OpenBLAS's functions, in builds with 32-bit integers as Debian's libopenblas.so.0. */
struct openblas {
	void (*sgemm)(enum cblas_order order, enum cblas_transpose trans_a,
		      enum cblas_transpose trans_b, int m, int n, int k, float alpha,
		      const float *a, int lda, const float *b, int ldb, float beta, float *c,
		      int ldc);
	void (*set_num_threads)(int n);
	/* Keeps a thread of the library on processors; NULL in older builds and in those with
	 * OpenMP. */
	int (*set_affinity)(int thread, size_t bytes, cpu_set_t *set);
	char *(*get_config)(void);
};

struct openblas_gemm {
	const float *a, *b;
	float *c;
	int m, n, k;
};

struct openblas_sdpa {
	const float *q, *k, *v;
	float *out, *scratch;
	int64_t heads;
	int s, d;
	bool causal;
	float scale;
	softmax_row_fn *softmax_row;
	size_t members;       /* number of threads of the device that share the heads */
	_Atomic int64_t next; /* head to be taken next */
};

struct vendor_call {
	const struct openblas *blas;
	const struct openblas_function *function;
	int threads;              /* threads of OpenBLAS */
	struct cpu_threads *team; /* the device's */
	union {
		struct openblas_gemm gemm;
		struct openblas_sdpa sdpa;
	};
};

struct openblas_function {
	const char *name;
	const struct vendor_argument *takes;
	enum asc_status (*prepare)(struct vendor_call *c, const struct vendor_site *site,
				   struct asc_err *e);
	void (*run)(struct vendor_call *c);
};

extern const struct openblas_function openblas_gemm, openblas_sdpa;

/* Reads scalar argument i. */
int64_t openblas_count(const struct vendor_site *site, size_t i);

/* Reads scalar argument i as an int in 1 .. INT_MAX; ASC_LIMIT else. */
enum asc_status openblas_size(const struct vendor_site *site, const struct openblas_function *f,
			      size_t i, int *out, struct asc_err *e);

#endif
