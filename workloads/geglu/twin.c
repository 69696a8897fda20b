/* Twin of kernel.py. */
#include "../npu/map.h"

INLINE float gated(float gate, float value, float scale)
{
	(void)scale;
	/* gelu(x) = x / (1 + exp(-2 u)), 2 u = 2 sqrt(2 / pi) (x + 0.044715 x^3) */
	return gate / (1 + expf(-1.5957691216057308F * (gate + 0.044715F * gate * gate * gate))) *
	       value;
}

MAP_TWIN(geglu, "ppoqqqqqq", map_two(a, 0), gated, 10, element, element);
