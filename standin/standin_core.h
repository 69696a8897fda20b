/* The stand-in's one state in a process, behind one lock: its control, its log, what is alive, and
 * whether the device is lost. libstandin.so holds it for all libraries of the vendor's names.
 *
 * Every function of the vendor's ABI is a standin_enter(), its work with the lock held, and a
 * standin_leave(); the core's other functions are called in between. Codes are the vendor's. */
#ifndef ASCTUNE_STANDIN_STANDIN_CORE_H
#define ASCTUNE_STANDIN_STANDIN_CORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "standin/standin_control.h"

/* Result codes that the stand-in gives. */
enum standin_code {
	STANDIN_OK = 0,
	ACL_INVALID_PARAM = 100000,
	ACL_UNINITIALIZE = 100001,
	ACL_REPEAT_INITIALIZE = 100002,
	ACL_INVALID_FILE = 100003,
	ACL_REPEAT_FINALIZE = 100037,
	RT_PARAM_INVALID = 107000,
	RT_INVALID_DEVICEID = 107001,
	RT_CONTEXT_NULL = 107002,
	RT_STREAM_CONTEXT = 107003,
	RT_EVENT_TIMESTAMP_INVALID = 107006,
	RT_INVALID_HANDLE = 107017,
	RT_FEATURE_NOT_SUPPORT = 207000,
	RT_MEMORY_ALLOCATION = 207001,
	RT_INTERNAL_ERROR = 507000,
	RT_AICORE_EXCEPTION = 507015,
	RT_KERNEL_LOOKUP = 507027,
	RT_KERNEL_DUPLICATE = 507028,
	RT_STREAM_SYNC_TIMEOUT = 507046
};

/* Needs of a call, which are looked at before it does anything. */
enum {
	STANDIN_NEEDS_NOTHING = 0,
	STANDIN_NEEDS_INIT = 1,
	STANDIN_NEEDS_CONTEXT = 2, /* and init */
	STANDIN_WHEN_LOST = 4      /* it works after an execution error, too */
};

/* Kinds of what lives from a call that makes it to one that destroys it. */
#define STANDIN_KINDS(X)                                                                           \
	X(CONTEXT, "contexts")                                                                     \
	X(STREAM, "streams")                                                                       \
	X(EVENT, "events")                                                                         \
	X(MEMORY, "device memory")                                                                 \
	X(HOST_MEMORY, "host memory")                                                              \
	X(BINARY, "binaries")                                                                      \
	X(FUNCTION, "functions")                                                                   \
	X(TENSOR, "tensors")                                                                       \
	X(SCALAR, "scalars")                                                                       \
	X(TENSOR_LIST, "tensor lists")                                                             \
	X(INT_ARRAY, "integer arrays")                                                             \
	X(EXECUTOR, "executors")                                                                   \
	X(SUBSCRIBER, "subscribers")                                                               \
	X(RANGE, "ranges")

enum standin_kind {
#define X(id, name) STANDIN_##id,
	STANDIN_KINDS(X)
#undef X
		STANDIN_N_KINDS
};

/* First member of everything that has a handle. */
struct standin_object {
	enum standin_kind kind;
	struct standin_object *next, *previous;
};

/* Each takes or releases the lock. standin_enter() returns a code other than 0 when the call may
 * not go on; standin_leave() follows in any case, logs, and returns `code`. */
int standin_enter(const char *name, unsigned needs);
int standin_leave(const char *name, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A new number for a kernel, a copy or a fill; the first one of a call is the call's own. */
uint64_t standin_correlate(void);

/* Sets the text of the thread's last failure; returns `code`. */
int standin_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* clang's analyser needs to see what is returned (tuner/base/err.h). */
#ifdef __clang_analyzer__
#define standin_fail(code, ...) (standin_fail(code, __VA_ARGS__), (code))
#endif
const char *standin_take_message(void); /* NULL when it was taken, or there was none */

/* Adds a line to the log that no call has caused: a warning. */
void standin_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The lock, for threads that no call has entered, and the condition that something has ended. */
extern pthread_mutex_t standin_lock;
extern pthread_cond_t standin_progress;

/* The control, parsed with the first call. */
const struct standin_control *standin_get_control(void);
const struct standin_fault_set *standin_find_fault(enum standin_fault fault); /* NULL: off */
bool standin_spend_once(void); /* true: the fault is to happen (standin_control.once) */

/* Locks the file of the control's `alone` until *file is closed (-1: nothing is to be): false where
 * another process has it locked. */
bool standin_lock_alone(int *file);

/* Execution errors: the first one stays until standin_recover(). */
void standin_lose(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int standin_lost(void); /* 0: not lost */
void standin_recover(void);

/* aclInit and aclFinalize. */
int standin_init(void);
int standin_finalize(void);

void *standin_new(enum standin_kind kind, size_t bytes); /* zeroed; NULL without memory */
void standin_free(void *object);
bool standin_is(enum standin_kind kind, const void *object);
void *standin_first(enum standin_kind kind); /* the newest; then ->object.next */
size_t standin_alive(enum standin_kind kind);

#endif
