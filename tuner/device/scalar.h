/* Scalar arguments as the bytes that a kernel reads. */
#ifndef ASCTUNE_DEVICE_SCALAR_H
#define ASCTUNE_DEVICE_SCALAR_H

#include "tuner/base/value.h"
#include "tuner/model/dtype.h"

enum { SCALAR_MAX_BYTES = 8 };

/* Writes dtype_bytes(t) bytes. That the value is one of the type is binding_plan()'s to see to;
 * u64 takes the bits of any 64-bit integer. */
void scalar_store(enum dtype t, struct value v, void *out);

#endif
