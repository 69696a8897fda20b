/* Our declarations of CUPTI against the toolkit's. Compiled by ci/abi-check, never run. */
#include <cupti.h>

#include "tuner/device/libs/cupti.h"

#define SAME(what) _Static_assert(what, #what)

#define X(member, symbol, parameters)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(symbol), unsigned parameters),      \
		       "the type of " #symbol);
CUPTI_LIST(X)
#undef X

SAME(__builtin_types_compatible_p(__typeof__(CUPTI_NEXT),
				  unsigned(uint8_t *, size_t, CUpti_Activity **)));
SAME(CUPTI_KIND_KERNEL == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(CUPTI_FLUSH_FORCED == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

#define LAYOUT(type)                                                                               \
	SAME(CUPTI_AT_KIND == offsetof(type, kind));                                               \
	SAME(CUPTI_AT_START == offsetof(type, start));                                             \
	SAME(CUPTI_AT_END == offsetof(type, end));                                                 \
	SAME(CUPTI_AT_CORRELATION == offsetof(type, correlationId));                               \
	SAME(sizeof(((type *)0)->start) == sizeof(uint64_t));                                      \
	SAME(sizeof(((type *)0)->correlationId) == sizeof(uint32_t))

LAYOUT(CUpti_ActivityKernel4);
LAYOUT(CUpti_ActivityKernel5);
LAYOUT(CUpti_ActivityKernel6);
LAYOUT(CUpti_ActivityKernel7);
LAYOUT(CUpti_ActivityKernel8);
LAYOUT(CUpti_ActivityKernel9);
#if CUPTI_API_VERSION >= 130000
LAYOUT(CUpti_ActivityKernel10);
#endif
