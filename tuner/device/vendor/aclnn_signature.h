/* Signatures of CANN's operators, aclnn..., as data: what each takes in order, and how phase one is
 * called with it. A new operator is a line of the table, a new order of C types a form. */
#ifndef ASCTUNE_DEVICE_VENDOR_ACLNN_SIGNATURE_H
#define ASCTUNE_DEVICE_VENDOR_ACLNN_SIGNATURE_H

#include <stdint.h>

#include "tuner/device/libs/aclnn_abi.h"

enum { ACLNN_MAX_PARAMETERS = 8 };

enum aclnn_kind {
	ACLNN_END,
	ACLNN_IN,         /* a tensor */
	ACLNN_OUT,        /* a tensor */
	ACLNN_LIST,       /* one or more tensors, all up to the next scalar */
	ACLNN_SCALAR,     /* a scalar object of f32 */
	ACLNN_AXIS,       /* int64_t */
	ACLNN_REAL,       /* double */
	ACLNN_CUBE,       /* cubeMathType, int8_t: 0 keeps the type */
	ACLNN_TYPE,       /* type of the output; no argument of the workload */
	ACLNN_STATISTICS, /* output for each normalised row, f32: a tensor or scratch memory */
	ACLNN_KINDS
};

struct aclnn_signature {
	const char *name; /* "Add", of aclnnAdd */
	struct {
		enum aclnn_kind kind;
		const char *name;
	} takes[ACLNN_MAX_PARAMETERS + 1]; /* ended by ACLNN_END */
};

extern const struct aclnn_signature aclnn_signatures[]; /* ended by a NULL name */
extern const char *const aclnn_names[];                 /* names of these; NULL-terminated */

union aclnn_value {
	void *object;
	int64_t axis;
	double real;
	int8_t cube;
	int type;
};

/* Calls phase one of an operator with values in the order of its signature. */
int aclnn_plan(const struct aclnn_signature *s, aclnn_phase_one *f, const union aclnn_value *values,
	       uint64_t *workspace_bytes, void **executor);

#endif
