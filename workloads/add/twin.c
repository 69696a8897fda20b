/* Twin of kernel.py. */
#include "../npu/map.h"

INLINE float add_scaled(float input, float other, float alpha)
{
	return input + alpha * other;
}

MAP_TWIN(add, "ppoqqqqqfq", map_two(a, 1), add_scaled, 2, element, element);
