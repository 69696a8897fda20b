/* CANN's libraries of operators, opened at run time: the objects that all operators take
 * (libnnopbase.so), and the two functions of each operator, from the first library that has them.
 *
 * What is opened stays open and is borrowed. */
#ifndef ASCTUNE_DEVICE_VENDOR_ACLNN_OPERATOR_H
#define ASCTUNE_DEVICE_VENDOR_ACLNN_OPERATOR_H

#include "tuner/base/err.h"
#include "tuner/device/libs/aclnn_abi.h"
#include "tuner/device/libs/library.h"

struct aclnn_signature;
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

#endif
