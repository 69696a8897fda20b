/* libmspti.so of the stand-in: records of what runs, packed into buffers of the caller's; and
 * libms_tools_ext.so, by which programs mark moments and ranges. */
#ifndef ASCTUNE_STANDIN_STANDIN_MSPTI_H
#define ASCTUNE_STANDIN_STANDIN_MSPTI_H

#include <stdbool.h>

#include "tuner/device/libs/mspti_abi.h"

/* member, symbol, result, parameters */
#define STANDIN_MSPTI_LIST(X)                                                                      \
	X(is_enabled, msptiActivityIsEnabled, bool, (unsigned kind))                               \
	X(flush_period, msptiActivityFlushPeriod, unsigned, (uint32_t ms))                         \
	X(enable_domain, msptiActivityEnableMarkerDomain, unsigned, (const char *name))            \
	X(disable_domain, msptiActivityDisableMarkerDomain, unsigned, (const char *name))          \
	X(enable_callback, msptiEnableCallback, unsigned,                                          \
	  (uint32_t enable, struct msptiSubscriber_st * subscriber, unsigned domain, uint32_t id)) \
	X(enable_callbacks, msptiEnableDomain, unsigned,                                           \
	  (uint32_t enable, struct msptiSubscriber_st * subscriber, unsigned domain))

/* member, symbol, result, parameters */
#define STANDIN_MSTX_LIST(X)                                                                       \
	X(mark, mstxMarkA, void, (const char *message, void *stream))                              \
	X(domain_create, mstxDomainCreateA, struct mstxDomainRegistration_st *,                    \
	  (const char *name))                                                                      \
	X(domain_destroy, mstxDomainDestroy, void, (struct mstxDomainRegistration_st * domain))    \
	X(domain_mark, mstxDomainMarkA, void,                                                      \
	  (struct mstxDomainRegistration_st * domain, const char *message, void *stream))          \
	X(domain_range_start, mstxDomainRangeStartA, uint64_t,                                     \
	  (struct mstxDomainRegistration_st * domain, const char *message, void *stream))          \
	X(domain_range_end, mstxDomainRangeEnd, void,                                              \
	  (struct mstxDomainRegistration_st * domain, uint64_t id))

#define X(member, symbol, result, parameters) result symbol parameters;
MSPTI_LIST(X)
STANDIN_MSPTI_LIST(X)
MSTX_LIST(X)
STANDIN_MSTX_LIST(X)
#undef X

#endif
