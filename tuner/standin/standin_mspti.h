/* libmspti.so of the stand-in: records of kernels, packed into buffers of the caller's. */
#ifndef ASCTUNE_STANDIN_STANDIN_MSPTI_H
#define ASCTUNE_STANDIN_STANDIN_MSPTI_H

#include <stdbool.h>

#include "tuner/libs/mspti_abi.h"

/* member, symbol, result, parameters */
#define STANDIN_MSPTI_LIST(X)                                                                      \
	X(is_enabled, msptiActivityIsEnabled, bool, (unsigned kind))                               \
	X(flush_period, msptiActivityFlushPeriod, unsigned, (uint32_t ms))

#define X(member, symbol, result, parameters) result symbol parameters;
MSPTI_LIST(X)
STANDIN_MSPTI_LIST(X)
MSTX_LIST(X)
#undef X

#endif
