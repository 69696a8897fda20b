#include "tuner/device/scalar.h"

#include <string.h>

void scalar_store(enum dtype t, struct value v, void *out)
{
	double real = value_as_real(v);
	uint64_t bits = (uint64_t)v.i;
	uint8_t byte = (uint8_t)bits;
	uint16_t half = (uint16_t)bits;
	uint32_t word = (uint32_t)bits;

	/* A double does not hold all 64-bit integers, so these go by their bits. */
	if (dtype_is_float(t) || v.kind == VALUE_REAL)
		dtype_from_double(t, &real, out, 1);
	else if (dtype_bytes(t) == 8)
		memcpy(out, &bits, sizeof bits);
	else if (dtype_bytes(t) == 4)
		memcpy(out, &word, sizeof word);
	else if (dtype_bytes(t) == 2)
		memcpy(out, &half, sizeof half);
	else
		memcpy(out, &byte, sizeof byte);
}
