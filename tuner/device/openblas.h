/* OpenBLAS: what openblas.c shares with its functions. */
#ifndef ASCTUNE_DEVICE_OPENBLAS_H
#define ASCTUNE_DEVICE_OPENBLAS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/device/softmax.h"
#include "tuner/device/vendor.h"

/* Values of the C interface to the BLAS (BLAS Technical Forum Standard, appendix B.2). */
enum cblas_order { CBLAS_ROW_MAJOR = 101 };
enum cblas_transpose { CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

/* In builds with 32-bit integers, which Debian's libopenblas.so.0 is. */
struct openblas {
	void (*sgemm)(enum cblas_order order, enum cblas_transpose trans_a,
		      enum cblas_transpose trans_b, int m, int n, int k, float alpha,
		      const float *a, int lda, const float *b, int ldb, float beta, float *c,
		      int ldc);
	void (*set_num_threads)(int n);
	/* Of a thread of the library's own; NULL in older builds and in those with OpenMP. */
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
	struct cpu_threads *team; /* NULL: heads in sequence */
	size_t members;           /* that share the heads */
	_Atomic int64_t next;     /* head to be taken next */
};

struct vendor_call {
	const struct openblas *blas;
	const struct openblas_function *function;
	int threads; /* of OpenBLAS */
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

/* Argument i as what it is. */
float *openblas_pointer(const struct vendor_site *site, size_t i);
int64_t openblas_count(const struct vendor_site *site, size_t i);

/* As an int in 1 .. INT_MAX; ASC_LIMIT else. */
enum asc_status openblas_size(const struct vendor_site *site, const struct openblas_function *f,
			      size_t i, int *out, struct asc_err *e);

#endif
