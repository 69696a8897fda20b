/* CANN's libraries of operators, opened at run time: the objects that all operators take
 * (libnnopbase.so), and the two functions of each operator, from the first library that has them.
 *
 * What is opened stays open and is borrowed. */
#ifndef ASCTUNE_DEVICE_VENDOR_ACLNN_OPERATOR_H
#define ASCTUNE_DEVICE_VENDOR_ACLNN_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/libs/aclnn_abi.h"
#include "tuner/device/libs/library.h"

struct buf;

extern const struct library_symbol aclnn_object_symbols[]; /* of libnnopbase.so */

struct aclnn_functions {
	aclnn_phase_one *plan;
	aclnn_phase_two *launch;
};

struct aclnn_operator {
	const struct aclnn_signature *signature;
	const struct aclnn_functions *functions;
};

/* ASC_ABSENT in the loader's words, or which function is missing. */
enum asc_status aclnn_objects_open(const struct aclnn_objects **out, struct asc_err *e);

/* Finds an operator by its name in aclnn_signatures. ASC_ABSENT where no library has it. */
enum asc_status aclnn_operator_open(const char *name, const struct aclnn_operator **out,
				    struct asc_err *e);

/* Prints ", libopapi.so of 123456 bytes": the file that an operator was found in. */
void aclnn_operator_print_file(const struct aclnn_operator *o, struct buf *out);

/* ---- signatures, as data: what each operator takes in order, and how phase one is called with
 * it. A new operator is a line of the table, a new order of C types a form. ---- */

enum { ACLNN_MAX_PARAMETERS = 12 };

enum aclnn_kind {
	ACLNN_END,
	ACLNN_IN,       /* a tensor */
	ACLNN_OUT,      /* a tensor */
	ACLNN_REF,      /* a tensor that is changed in place */
	ACLNN_OPTIONAL, /* a tensor, or NULL for null and for an absent one */
	ACLNN_LIST,     /* one or more tensors, all up to the next scalar */
	ACLNN_SCALAR,   /* a scalar object of f32: a number, or one of the texts "inf", "-inf" */
	ACLNN_INTS,     /* an array of the host's with a list, or the values of a tensor that lives
			   there; or NULL */
	ACLNN_TEXT,     /* char *, or NULL */
	ACLNN_TRUTH,    /* bool */
	ACLNN_AXIS,     /* int64_t */
	ACLNN_REAL,     /* double */
	ACLNN_CUBE,     /* cubeMathType, int8_t: 0 keeps the type */
	ACLNN_TYPE,     /* type of the output; no argument of the workload */
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
	bool truth;
};

/* Calls phase one of an operator with values in the order of its signature. */
int aclnn_plan(const struct aclnn_signature *s, aclnn_phase_one *f, const union aclnn_value *values,
	       uint64_t *workspace_bytes, void **executor);

#endif
