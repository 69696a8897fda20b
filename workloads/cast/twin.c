/* Twin of kernel.py. */
#include "../npu/map.h"

ELEMENTS(result, U)

INLINE float same(float input, float other, float scale)
{
	(void)other;
	(void)scale;
	return input;
}

MAP_TWIN(cast, "poqqqqq", map_one(a), same, 1, element, result);
