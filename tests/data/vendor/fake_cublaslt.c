/* Stands for cublasLt in tests: the functions that asctune calls, on matrices of floats in this
 * process's memory, in plain loops. Its heuristic has three algorithms; the third cannot be used.
 * What was set stands in the algorithm's words; tile 9 is refused, splitting wants a workspace of
 * 1000 bytes for each part. The types are those of cublasLt.h. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct algorithm {
	uint64_t data[8]; /* place, and the attributes 1, 2, 3 and 6 at their numbers */
};

struct choice {
	struct algorithm algorithm;
	size_t workspace;
	unsigned state;
	float waves;
	int reserved[4];
};

struct layout {
	unsigned type;
	uint64_t rows, columns;
	int64_t pitch;
};

struct preference {
	uint64_t workspace;
	uint32_t alignment[4];
};

int fake_live; /* descriptors made and not destroyed */
struct algorithm fake_used;
void *fake_stream;
int fake_overrun; /* bytes written beyond the workspace */
struct preference fake_preference;

#define DECLARED(result, name, ...)                                                                \
	result name(__VA_ARGS__);                                                                  \
	result name(__VA_ARGS__)

DECLARED(size_t, cublasLtGetVersion, void)
{
	return 130000;
}

DECLARED(const char *, cublasLtGetStatusName, unsigned rc)
{
	return rc == 15 ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_INVALID_VALUE";
}

static void *make(size_t bytes)
{
	fake_live++;
	return calloc(1, bytes);
}

static unsigned destroy(void *p)
{
	fake_live--;
	free(p);
	return 0;
}

DECLARED(unsigned, cublasLtCreate, void **out)
{
	static int handle;
	*out = &handle;
	return 0;
}

DECLARED(unsigned, cublasLtMatmulDescCreate, void **out, unsigned compute, unsigned scale)
{
	*out = make(1);
	return compute == 68 && scale == 0 ? 0 : 7;
}

DECLARED(unsigned, cublasLtMatmulDescDestroy, void *d)
{
	return destroy(d);
}

DECLARED(unsigned, cublasLtMatrixLayoutCreate, struct layout **out, unsigned type, uint64_t rows,
	 uint64_t columns, int64_t pitch)
{
	*out = make(sizeof **out);
	**out = (struct layout){type, rows, columns, pitch};
	return 0;
}

DECLARED(unsigned, cublasLtMatrixLayoutDestroy, struct layout *d)
{
	return destroy(d);
}

DECLARED(unsigned, cublasLtMatmulPreferenceCreate, struct preference **out)
{
	*out = make(sizeof **out);
	return 0;
}

DECLARED(unsigned, cublasLtMatmulPreferenceDestroy, struct preference *d)
{
	return destroy(d);
}

DECLARED(unsigned, cublasLtMatmulPreferenceSetAttribute, struct preference *d, unsigned attribute,
	 const void *value, size_t bytes)
{
	if (attribute == 1 && bytes == 8)
		memcpy(&d->workspace, value, bytes);
	else if (attribute >= 5 && attribute <= 8 && bytes == 4)
		memcpy(&d->alignment[attribute - 5], value, bytes);
	else
		return 7;
	fake_preference = *d;
	return 0;
}

static int fits(const struct layout *a, const struct layout *b, const struct layout *c)
{
	return a->columns == b->rows && a->rows == c->rows && b->columns == c->columns &&
	       a->type == b->type && a->type == c->type;
}

DECLARED(unsigned, cublasLtMatmulAlgoGetHeuristic, void *handle, void *d, const struct layout *a,
	 const struct layout *b, const struct layout *c, const struct layout *out, void *preference,
	 int wanted, struct choice *choices, int *n)
{
	(void)d, (void)preference;
	if (!handle || !fits(a, b, c) || out != c)
		return 7;
	*n = wanted < 3 ? wanted : 3;
	for (int i = 0; i < *n; i++) {
		choices[i].algorithm.data[0] = (uint64_t)i;
		choices[i].state = i == 2 ? 15 : 0;
	}
	return 0;
}

DECLARED(unsigned, cublasLtMatmulAlgoConfigSetAttribute, struct algorithm *algorithm,
	 unsigned attribute, const void *value, size_t bytes)
{
	uint32_t v;
	if (attribute == 0 || attribute > 7 || bytes != 4)
		return 7;
	memcpy(&v, value, bytes);
	algorithm->data[attribute] = v;
	return 0;
}

DECLARED(unsigned, cublasLtMatmulAlgoCheck, void *handle, void *d, const void *a, const void *b,
	 const void *c, const void *out, const struct algorithm *algorithm, struct choice *choice)
{
	(void)handle, (void)d, (void)a, (void)b, (void)c, (void)out;
	choice->workspace = 1000 * algorithm->data[2];
	return algorithm->data[1] == 9 ? 15 : 0;
}

DECLARED(unsigned, cublasLtMatmul, void *handle, void *d, const float *alpha, const float *a,
	 const struct layout *la, const float *b, const struct layout *lb, const float *beta,
	 const float *c, const struct layout *lc, float *out, const struct layout *lo,
	 const struct algorithm *algorithm, void *workspace, size_t bytes, void *stream)
{
	if (!handle || !d || c != out || lc != lo || *beta != 0 ||
	    bytes != 1000 * algorithm->data[2] || !workspace != !bytes)
		return 7;
	fake_used = *algorithm;
	fake_stream = stream;
	if (bytes)
		memset(workspace, 1, bytes + (size_t)fake_overrun);
	for (uint64_t j = 0; j < lb->columns; j++)
		for (uint64_t i = 0; i < la->rows; i++) {
			float sum = 0;
			for (uint64_t p = 0; p < la->columns; p++)
				sum += a[i + p * (uint64_t)la->pitch] *
				       b[p + j * (uint64_t)lb->pitch];
			out[i + j * (uint64_t)lo->pitch] = *alpha * sum;
		}
	return 0;
}
