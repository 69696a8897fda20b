/* Twin of kernel.py. */
#include "../npu/norm.h"

INLINE struct norm norm_of(const union twin_argument *a)
{
	struct norm o = {.x = a[0].address, .scales = a[1].address, .out = a[2].address};

	norm_take(&o, a + 3);
	return o;
}

NORM_TWIN(rms_norm, "ppoqqqqqqfq", norm_of, norm_root_mean_square, 1, 5);
