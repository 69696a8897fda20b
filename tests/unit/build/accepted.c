/* Checks at compile time what it should see; at run time adds to every element. */
#include "amount.h"

#include <stdint.h>

#if DTYPE_T != DTYPE_f32 || DTYPE_f32 == DTYPE_bf16
#error "DTYPE_T"
#endif
_Static_assert(sizeof(CTYPE_T) == 4 && CTYPE_T_IS_REAL, "CTYPE_T");
_Static_assert(WIDTH == 16 && PACKED == 1, "parameters");
_Static_assert(_Generic(SCALE, double : 1, default : 0), "SCALE is a double");
_Static_assert(SHIFT == -3, "SHIFT");

void add(CTYPE_T *restrict out, const float *in, int64_t n, int64_t x)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = in[i] + AMOUNT * (float)SCALE + (float)x;
}
