/* Our declarations of the Ascend runtime against ACL's. Compiled by ci/abi-check, never run. Codes
 * are variables there, which an optimiser has to compare. */
#include <acl/acl.h>
#include <acl/acl_rt.h>

#define ACL_PLACE_HOLDER aclrtPlaceHolderInfo
#include "tuner/device/libs/acl_abi.h"
#include "tuner/device/libs/acl_errors.h"
#include "tuner/device/libs/aclnn_abi.h"

#define SAME(what) _Static_assert(what, #what)

#define X(member, symbol, result, parameters, release)                                             \
	_Static_assert(__builtin_types_compatible_p(__typeof__(symbol), result parameters),        \
		       "the type of " #symbol);
ACL_LIST(X)
#undef X

#define X(here, there, value) _Static_assert((there) == (value), #there);
ACL_CONSTANT_LIST(X)
#undef X

SAME(sizeof(aclError) == sizeof(int));
SAME(sizeof(aclrtUuid) == NPU_UUID_BYTES);
SAME(sizeof(aclDataType) == sizeof(int) && sizeof(aclFormat) == sizeof(int));

#define X(here, there, value) _Static_assert((int)(there) == (value), #there);
ACLNN_CONSTANT_LIST(X)
#undef X

#define X(code, name) void differs_##name(void) __attribute__((error("the value of " #name)));
ACL_ERROR_LIST(X)
ACL_RT_ERROR_LIST(X)
#undef X

void compare_codes(void);

void compare_codes(void)
{
#define X(code, name)                                                                              \
	if ((name) != (code))                                                                      \
		differs_##name();
	ACL_ERROR_LIST(X)
	ACL_RT_ERROR_LIST(X)
#undef X
}
