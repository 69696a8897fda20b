/* Twin of kernel.py. */
#include "../npu/norm.h"

INLINE struct norm norm_of(const union twin_argument *a)
{
	struct norm o = {.x = a[0].address,
			 .added = a[1].address,
			 .scales = a[2].address,
			 .out = a[3].address,
			 .total = a[4].address};

	norm_take(&o, a + 5);
	return o;
}

NORM_TWIN(add_rms_norm, "pppooqqqqqqfq", norm_of, norm_root_mean_square, 2, 6);
