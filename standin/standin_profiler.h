/* libmsprofiler.so of the stand-in: profiles between start and stop, as folders of files. Older
 * releases have these functions in libascendcl.so. */
#ifndef ASCTUNE_STANDIN_STANDIN_PROFILER_H
#define ASCTUNE_STANDIN_STANDIN_PROFILER_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/device/libs/acl_abi.h"

struct aclprofConfig;

/* member, symbol, result, parameters, release */
#define STANDIN_PROFILER_LIST(X)                                                                   \
	X(init, aclprofInit, int, (const char *path, size_t length), ACL_2022)                     \
	X(finalize, aclprofFinalize, int, (void), ACL_2022)                                        \
	X(create, aclprofCreateConfig, struct aclprofConfig *,                                     \
	  (uint32_t * devices, uint32_t n, int metrics, const void *events, uint64_t data),        \
	  ACL_2022)                                                                                \
	X(destroy, aclprofDestroyConfig, int, (const struct aclprofConfig *config), ACL_2022)      \
	X(start, aclprofStart, int, (const struct aclprofConfig *config), ACL_2022)                \
	X(stop, aclprofStop, int, (const struct aclprofConfig *config), ACL_2022)                  \
	X(set, aclprofSetConfig, int, (int type, const char *value, size_t length), ACL_2026)      \
	X(mark, aclprofMarkEx, int, (const char *message, size_t length, void *stream), ACL_2025)

#define X(member, symbol, result, parameters, release) result symbol parameters;
STANDIN_PROFILER_LIST(X)
#undef X

#endif
