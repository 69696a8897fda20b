/* Operators of the vendor in two phases: an executor is made of tensors and numbers, then launched,
 * which frees it unless it is repeatable. */
#ifndef ASCTUNE_STANDIN_STANDIN_OPERATOR_H
#define ASCTUNE_STANDIN_STANDIN_OPERATOR_H

#include "standin/standin_stream.h"
#include "standin/standin_tensor.h"

enum { STANDIN_MAX_OUTPUTS = 3 };

/* Operands of a call of an operator; the values of its tensors while it computes. */
struct standin_operands {
	struct standin_view in[STANDIN_MAX_LIST], out[STANDIN_MAX_OUTPUTS];
	size_t n_in, n_out;
	double number, second;
	int64_t dim;
	bool truth;
};

struct standin_values {
	double *in[STANDIN_MAX_LIST], *out[STANDIN_MAX_OUTPUTS];
	const char **fault; /* set where a value is none that the operator can work with */
};

struct standin_operator {
	const char *name;
	/* Types, and shapes: 161002 where not. Where an operator has `shaped`, that looks at the
	 * shapes, 561002. */
	bool (*fits)(const struct standin_operands *o);
	void (*compute)(const struct standin_operands *o, const struct standin_values *v);
	double (*operations)(const struct standin_operands *o); /* of cube cores; NULL: none */
	int kernels;          /* that a launch is recorded as, at least 1 */
	bool workspace, once; /* it needs a workspace; it cannot be repeatable */
	bool (*shaped)(const struct standin_operands *o);
	bool partial; /* it leaves a part of its outputs as it is */
	/* In the place of `compute`: moves elements as they are, at the bytes behind each operand's
	 * data. */
	void (*move)(const struct standin_operands *o, void *const *at, const char **fault);
	double (*bytes)(const struct standin_operands *o); /* moved; NULL: all operands */
	bool (*silent)(const struct standin_operands *o);  /* a launch has no record */
};

struct aclOpExecutor {
	struct standin_object object;
	const struct standin_operator *op;
	struct standin_operands operands;
	uint64_t workspace_bytes;
	bool repeatable;
};

/* The operators by their names: "Add". NULL: there is none. */
const struct standin_operator *standin_operator_find(const char *name);

/* First phase. A null pointer among the views' data: ACLNN_NULLPTR, as of the executor. */
int standin_operator_prepare(const char *name, const struct standin_operands *o,
			     uint64_t *workspace_bytes, struct aclOpExecutor **out);

/* Makes all launches that were put off, where one of them reads or writes the allocation with that
 * address: before anything else reads or writes there, or frees it. The lock is released meanwhile.
 */
void standin_operator_settle(const void *address);

/* Second phase. */
int standin_operator_launch(const char *name, void *workspace, uint64_t workspace_bytes,
			    struct aclOpExecutor *x, struct standin_stream *s);

#endif
