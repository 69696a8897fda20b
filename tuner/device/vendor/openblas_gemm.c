/* openblas:gemm: C = A B, all row-major f32, A of M x K, B of K x N; launch.threads threads. */
#include "tuner/device/vendor/openblas.h"

enum { A, B, C, M, N, K };

static const struct vendor_argument takes[] = {{"A", ARG_TENSOR, 0},
					       {"B", ARG_TENSOR, 0},
					       {"C", ARG_TENSOR, 0},
					       {"M", ARG_SCALAR, DTYPE_I64},
					       {"N", ARG_SCALAR, DTYPE_I64},
					       {"K", ARG_SCALAR, DTYPE_I64},
					       {0}};

static enum asc_status prepare(struct vendor_call *c, const struct vendor_site *site,
			       struct asc_err *e)
{
	struct openblas_gemm *g = &c->gemm;

	g->a = site->operands[A].address;
	g->b = site->operands[B].address;
	g->c = site->operands[C].address;
	if (openblas_size(site, c->function, M, &g->m, e) ||
	    openblas_size(site, c->function, N, &g->n, e))
		return e->status;
	return openblas_size(site, c->function, K, &g->k, e);
}

static void run(struct vendor_call *c)
{
	const struct openblas_gemm *g = &c->gemm;

	c->blas->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, g->m, g->n, g->k, 1, g->a,
		       g->k, g->b, g->n, 0, g->c, g->n);
}

const struct openblas_function openblas_gemm = {"gemm", takes, prepare, run};
