/* The Ascend runtime, opened at run time: libascendcl.so, or libacl_rt.so where CANN has split it
 * off; and libruntime.so, for what older versions have nowhere else. $ASCTUNE_CANN names the one
 * folder in whose lib64 they are looked for, else the loader's own search and the usual places.
 *
 * A process initialises the runtime once, and it ends with the process; where another library has
 * initialised it before, it is left to that one. Unverified on hardware. */
#ifndef ASCTUNE_DEVICE_LIBS_ACL_H
#define ASCTUNE_DEVICE_LIBS_ACL_H

#include "tuner/base/err.h"
#include "tuner/device/libs/acl_abi.h"
#include "tuner/device/libs/library.h"

/* Functions newer than ACL_2022 are NULL where the library lacks them. */
struct acl_runtime {
#define X(member, symbol, result, parameters, release) result(*member) parameters;
	ACL_LIST(X)
#undef X
	const char *standin; /* version of asctune's own stand-in; NULL: a vendor's library */
};

struct rt_runtime {
#define X(member, symbol, result, parameters) result(*member) parameters;
	RT_LIST(X)
#undef X
};

/* Symbols that the libraries are to have. */
extern const struct library_symbol acl_symbols[], rt_symbols[];

/* Open the libraries once in a process; *out is borrowed. ASC_ABSENT in the loader's words, or
 * which function is missing. */
enum asc_status acl_open(const struct acl_runtime **out, struct asc_err *e);
enum asc_status rt_open(const struct rt_runtime **out, struct asc_err *e);

/* Opens and initialises the runtime. ASC_ABSENT too where it refuses. Thread-safe. */
enum asc_status acl_start(const struct acl_runtime **out, struct asc_err *e);

/* Leaves the runtime as it is when the process ends: a wait for a lost device would not
 * return. */
void acl_abandon(void);

/* Makes a status of a result code: ASC_OK for 0, else a failure with the code's name and the
 * runtime's last message: "aclrtMalloc: ACL_ERROR_RT_MEMORY_ALLOCATION (207001): ...". ASC_NOMEM
 * without memory of the device, ASC_TIMEOUT after a time limit, ASC_ABSENT for a feature that is
 * not here, else ASC_IO. */
enum asc_status acl_check(const struct acl_runtime *acl, int rc, const char *what,
			  struct asc_err *e);

#endif
