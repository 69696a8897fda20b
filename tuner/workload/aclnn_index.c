#include "tuner/workload/aclnn_index.h"

#include <stddef.h>
#include <string.h>

#include "tuner/workload/workload.h"

/* ACLNN_INDEX_SOURCE, read and not run; an implementation that is declared without a number is
 * number 0. Those that are made of ATB or of kernels of its own are left out. */
static const struct {
	const char *operator_name, *calls; /* entries, in order, between blanks */
	int64_t index;
} rows[] = {{"Add", "Add", 0},
	    {"Mul", "Mul", 0},
	    {"Cast", "Cast", 0},
	    {"Cat", "Cat", 0},
	    {"RmsNorm", "RmsNorm", 0},
	    {"AddRmsNorm", "Add RmsNorm", 0},
	    {"AddRmsNorm", "AddRmsNorm", 1},
	    {"Swiglu", "Silu Mul", 0},
	    {"Swiglu", "Cat SwiGlu", 1},
	    {"Swiglu", "Cat SwiGlu InplaceCopy", 1},
	    {"SiluAndMul", "SwiGlu", 0},
	    {"SiluAndMul", "SwiGlu InplaceCopy", 0},
	    {"CausalSoftmax", "InplaceCopy InplaceMaskedFillScalar Softmax", 0},
	    {"RotaryEmbedding", "IndexSelect IndexSelect ApplyRotaryPosEmbV2", 0},
	    {"RotaryEmbedding",
	     "IndexSelect IndexSelect InplaceCopy InplaceCopy ApplyRotaryPosEmbV2", 0},
	    {"RotaryEmbedding", "RopeWithSinCosCache", 2},
	    {"ApplyRotaryPosEmb", "ApplyRotaryPosEmbV2", 0},
	    {"ApplyRotaryPosEmb", "InplaceCopy InplaceCopy ApplyRotaryPosEmbV2", 0},
	    {"ReshapeAndCache", "InplaceIndexCopy InplaceIndexCopy", 0},
	    {"ReshapeAndCache", "ScatterPaKvCache", 1},
	    {"Matmul", "Matmul", 0},
	    {"Gemm", "Addmm", 0},
	    {"Gemm", "Baddbmm", 0},
	    {"Linear", "Matmul", 0},
	    {"Linear", "Addmm", 0},
	    {"Linear", "Baddbmm", 0}};

/* True when the calls are those operators in order. */
static bool is_made_of(const struct implementation *i, const char *calls)
{
	static const char prefix[] = "aclnn:";

	/* In order and whole: another implementation of the same operator may begin alike. */
	for (size_t k = 0; k < i->n_calls; k++) {
		const char *source = i->calls[k].source;
		const size_t n = strcspn(calls, " ");

		if (strncmp(source, prefix, strlen(prefix)) != 0 ||
		    strlen(source) != strlen(prefix) + n ||
		    strncmp(source + strlen(prefix), calls, n) != 0)
			return false;
		calls += n + (calls[n] == ' ');
	}
	return !*calls;
}

bool aclnn_index_find(const char *operator_name, const struct implementation *i, int64_t *index)
{
	for (size_t k = 0; operator_name && k < sizeof rows / sizeof *rows; k++)
		if (strcmp(rows[k].operator_name, operator_name) == 0 &&
		    is_made_of(i, rows[k].calls)) {
			*index = rows[k].index;
			return true;
		}
	return false;
}
