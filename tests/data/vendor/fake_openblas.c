/* Stands for OpenBLAS in tests: the functions that asctune calls, in plain loops. -DLACKING leaves
 * one out, -DWRONG multiplies falsely. */
#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>

int fake_threads, fake_placed, fake_places; /* the most processors that a caller of sgemm had */

char *openblas_get_config(void);
void openblas_set_num_threads(int n);
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

char *openblas_get_config(void)
{
	static char text[] = "fake 1.0";
	return text;
}

void openblas_set_num_threads(int n)
{
	fake_threads = n;
}

int openblas_setaffinity(int thread, size_t bytes, cpu_set_t *set);

/* As the real one: the last of those in use is the caller. */
int openblas_setaffinity(int thread, size_t bytes, cpu_set_t *set)
{
	if (thread < 0 || thread >= fake_threads - 1 || CPU_COUNT_S(bytes, set) != 1)
		return -1;
	fake_placed |= 1 << thread;
	return 0;
}

#ifndef LACKING
/* Row-major only; order 101, no transposition 111, transposition 112. */
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
	cpu_set_t here;

	if (sched_getaffinity(0, sizeof here, &here) == 0 && CPU_COUNT(&here) > fake_places)
		fake_places = CPU_COUNT(&here);
	if (order != 101 || trans_a != 111 || beta != 0)
		return;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;
			for (int p = 0; p < k; p++)
				sum += a[i * lda + p] *
				       (trans_b == 112 ? b[j * ldb + p] : b[p * ldb + j]);
			c[i * ldc + j] = alpha * sum;
		}
#ifdef WRONG
	c[0] += 1;
#endif
}
#endif
