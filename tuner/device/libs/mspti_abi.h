/* MSPTI, which records begin and end of kernels on an Ascend NPU, and mstx, which names ranges of a
 * program: own declarations of libmspti.so and libms_tools_ext.so, which are opened at run time.
 *
 * Records are packed: fields of 64 bits lie at odd multiples of 4, so every field is copied out.
 * They lie back to back, each as long as its kind is. Unverified on hardware. */
#ifndef ASCTUNE_DEVICE_LIBS_MSPTI_ABI_H
#define ASCTUNE_DEVICE_LIBS_MSPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

struct msptiSubscriber_st;
struct mstxDomainRegistration_st;

typedef void mspti_request_fn(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void mspti_complete_fn(uint8_t *buffer, size_t bytes, size_t used);
typedef void mspti_callback_fn(void *user, unsigned domain, uint32_t id, const void *data);

/* member, symbol, result, parameters */
#define MSPTI_LIST(X)                                                                              \
	X(subscribe, msptiSubscribe, unsigned,                                                     \
	  (struct msptiSubscriber_st * *out, mspti_callback_fn * callback, void *user))            \
	X(unsubscribe, msptiUnsubscribe, unsigned, (struct msptiSubscriber_st * subscriber))       \
	X(callbacks, msptiActivityRegisterCallbacks, unsigned,                                     \
	  (mspti_request_fn * requested, mspti_complete_fn * completed))                           \
	X(enable, msptiActivityEnable, unsigned, (unsigned kind))                                  \
	X(disable, msptiActivityDisable, unsigned, (unsigned kind))                                \
	X(next, msptiActivityGetNextRecord, unsigned,                                              \
	  (uint8_t * buffer, size_t used, void **record))                                          \
	X(flush, msptiActivityFlushAll, unsigned, (uint32_t flag))                                 \
	X(push, msptiActivityPushExternalCorrelationId, unsigned, (unsigned kind, uint64_t id))    \
	X(pop, msptiActivityPopExternalCorrelationId, unsigned, (unsigned kind, uint64_t *last))

/* stream NULL: a mark of the host alone. member, symbol, result, parameters */
#define MSTX_LIST(X)                                                                               \
	X(range_start, mstxRangeStartA, uint64_t, (const char *message, void *stream))             \
	X(range_end, mstxRangeEnd, void, (uint64_t id))

/* name here, name there, value */
#define MSPTI_CONSTANT_LIST(X)                                                                     \
	X(MSPTI_OK, MSPTI_SUCCESS, 0)                                                              \
	X(MSPTI_SECOND_SUBSCRIBER, MSPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 2)              \
	X(MSPTI_END_OF_BUFFER, MSPTI_ERROR_MAX_LIMIT_REACHED, 3)                                   \
	X(MSPTI_NOT_PRELOADED, MSPTI_ERROR_WITHOUT_LD_PRELOAD, 6)                                  \
	X(MSPTI_BROKEN_BUFFER, MSPTI_ERROR_INNER, 999)                                             \
	X(MSPTI_KIND_MARKER, MSPTI_ACTIVITY_KIND_MARKER, 1)                                        \
	X(MSPTI_KIND_KERNEL, MSPTI_ACTIVITY_KIND_KERNEL, 2)                                        \
	X(MSPTI_KIND_API, MSPTI_ACTIVITY_KIND_API, 3)                                              \
	X(MSPTI_KIND_HCCL, MSPTI_ACTIVITY_KIND_HCCL, 4)                                            \
	X(MSPTI_KIND_MEMORY, MSPTI_ACTIVITY_KIND_MEMORY, 5)                                        \
	X(MSPTI_KIND_MEMSET, MSPTI_ACTIVITY_KIND_MEMSET, 6)                                        \
	X(MSPTI_KIND_MEMCPY, MSPTI_ACTIVITY_KIND_MEMCPY, 7)                                        \
	X(MSPTI_KIND_EXTERNAL_CORRELATION, MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 8)            \
	X(MSPTI_KIND_COMMUNICATION, MSPTI_ACTIVITY_KIND_COMMUNICATION, 9)                          \
	X(MSPTI_KIND_ACL_API, MSPTI_ACTIVITY_KIND_ACL_API, 10)                                     \
	X(MSPTI_KIND_NODE_API, MSPTI_ACTIVITY_KIND_NODE_API, 11)                                   \
	X(MSPTI_KIND_RUNTIME_API, MSPTI_ACTIVITY_KIND_RUNTIME_API, 12)                             \
	X(MSPTI_EXTERNAL_CUSTOM, MSPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 2)

enum mspti_constant {
#define X(here, there, value) here = (value),
	MSPTI_CONSTANT_LIST(X)
#undef X
};

/* Layout of a kernel's record (kind 2): offsets and size in bytes. Names point to text that lives
 * until the buffer is given back. */
enum {
	MSPTI_AT_KIND = 0,         /* u32 */
	MSPTI_AT_START = 4,        /* u64, ns; start and end 0: not collected */
	MSPTI_AT_END = 12,         /* u64, ns */
	MSPTI_AT_DEVICE = 20,      /* u32 */
	MSPTI_AT_STREAM = 24,      /* u32 */
	MSPTI_AT_CORRELATION = 28, /* u64; 0: invalid */
	MSPTI_AT_TYPE = 36,        /* const char * */
	MSPTI_AT_NAME = 44,        /* const char * */
	MSPTI_KERNEL_BYTES = 56
};

/* Layout of a record of a copy or a fill (kinds 7 and 6). */
enum {
	MSPTI_AT_TRANSFER_BYTES = 8,        /* u64 */
	MSPTI_AT_TRANSFER_START = 16,       /* u64, ns */
	MSPTI_AT_TRANSFER_END = 24,         /* u64, ns */
	MSPTI_AT_TRANSFER_CORRELATION = 40, /* u64 */
	MSPTI_TRANSFER_BYTES = 56
};

/* Layout of a record of a call and the number that was pushed around it (kind 8). */
enum {
	MSPTI_AT_EXTERNAL_KIND = 4,         /* u32 */
	MSPTI_AT_EXTERNAL_ID = 8,           /* u64 */
	MSPTI_AT_EXTERNAL_CORRELATION = 16, /* u64: equals MSPTI_AT_CORRELATION of the kernel */
	MSPTI_EXTERNAL_BYTES = 24
};

/* Buffers for records: aligned to 8, of at least the size that the library's documents name. */
enum { MSPTI_BUFFER_ALIGN = 8, MSPTI_BUFFER_BYTES = 2 << 20 };

#endif
