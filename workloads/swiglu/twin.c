/* Twin of kernel.py. */
#include "../npu/map.h"

INLINE float gated(float input, float gate, float scale)
{
	(void)scale;
	return input * (gate / (1 + expf(-gate)));
}

MAP_TWIN(swiglu, "ppoqqqqqq", map_two(a, 0), gated, 5, element, element);
