/* Functions of libascendcl.so (libacl_rt.so) that the stand-in has beside those of
 * tuner/device/libs/acl_abi.h, for other programs; and the prototypes of all. */
#ifndef ASCTUNE_STANDIN_STANDIN_ACL_H
#define ASCTUNE_STANDIN_STANDIN_ACL_H

#include "tuner/device/libs/acl_abi.h"

struct aclrtPtrAttributes;

/* member, symbol, result, parameters, release */
#define STANDIN_ACL_LIST(X)                                                                        \
	X(copy_later, aclrtMemcpyAsync, int,                                                       \
	  (void *to, size_t room, const void *from, size_t n, unsigned kind, void *stream),        \
	  ACL_2022)                                                                                \
	X(set_now, aclrtMemset, int, (void *at, size_t room, int32_t byte, size_t n), ACL_2022)    \
	X(copy_now, aclrtMemcpy, int,                                                              \
	  (void *to, size_t room, const void *from, size_t n, unsigned kind), ACL_2022)            \
	X(cache_operation, aclrtCmoAsync, int,                                                     \
	  (void *from, size_t n, unsigned type, void *stream), ACL_2025)                           \
	X(pointer_attributes, aclrtPointerGetAttributes, int,                                      \
	  (const void *at, struct aclrtPtrAttributes *out), ACL_2026)                              \
	X(alloc_32, aclrtMallocAlign32, int, (void **out, size_t bytes, unsigned policy),          \
	  ACL_2025)                                                                                \
	X(copy_rows, aclrtMemcpy2d, int,                                                           \
	  (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,           \
	   size_t height, unsigned kind),                                                          \
	  ACL_2023)                                                                                \
	X(type_bytes, aclDataTypeSize, size_t, (int type), ACL_2022)                               \
	X(to_half, aclFloatToFloat16, uint16_t, (float value), ACL_2022)                           \
	X(from_half, aclFloat16ToFloat, float, (uint16_t value), ACL_2022)

#define X(member, symbol, result, parameters, release) result symbol parameters;
ACL_LIST(X)
STANDIN_ACL_LIST(X)
#undef X

#endif
