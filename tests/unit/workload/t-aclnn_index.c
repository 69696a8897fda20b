/* Numbers of InfiniOps' implementations that are made of CANN's operators.
 * covers: aclnn_index.c */
#include "tuner/workload/aclnn_index.h"

#include "tests/tap.h"
#include "tuner/workload/workload.h"

/* Finds the number of an implementation made of one or two calls; -1: there is none. */
static int64_t find(const char *operator_name, const char *first, const char *second)
{
	static struct implementation i;
	int64_t index = -1;

	i = (struct implementation){.n_calls = second ? 2 : 1};
	i.calls[0].source = first;
	i.calls[1].source = second;
	return aclnn_index_find(operator_name, &i, &index) ? index : -1;
}

int main(void)
{
	tap_int(find("RmsNorm", "aclnn:RmsNorm", NULL), 0, "one operator");
	tap_int(find("AddRmsNorm", "aclnn:Add", "aclnn:RmsNorm"), 0, "two in order");
	tap_int(find("AddRmsNorm", "aclnn:AddRmsNorm", NULL), 1, "the same in one call");
	tap_int(find("AddRmsNorm", "aclnn:RmsNorm", "aclnn:Add"), -1, "not in another order");
	tap_int(find("Swiglu", "aclnn:Cat", "aclnn:SwiGlu"), 1, "the second of an operator");
	tap_int(find("SiluAndMul", "aclnn:SwiGlu", NULL), 0, "one call under another operator");
	tap_int(find("ReshapeAndCache", "aclnn:InplaceIndexCopy", "aclnn:InplaceIndexCopy"), 0,
		"one operator twice");
	tap_int(find("RotaryEmbedding", "aclnn:RopeWithSinCosCache", NULL), 2, "a third one");
	tap_int(find("Swiglu", "aclnn:Silu", NULL), -1, "not a part of one");
	tap_int(find("Mul", "aclnn:Mu", NULL), -1, "not the beginning of a name");
	tap_int(find("Add", "rms_norm/kernel.c", NULL), -1, "not a file");
	tap_int(find(NULL, "aclnn:Add", NULL), -1, "no operator is named");
	return tap_done();
}
