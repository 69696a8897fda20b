/* Prototypes of libmspti.so of the stand-in, which has records of what runs, packed into buffers of
 * the caller's; and of libms_tools_ext.so, by which programs mark ranges. */
#ifndef ASCTUNE_STANDIN_STANDIN_MSPTI_H
#define ASCTUNE_STANDIN_STANDIN_MSPTI_H

#include "tuner/device/libs/mspti_abi.h"

#define X(member, symbol, result, parameters) result symbol parameters;
MSPTI_LIST(X)
MSTX_LIST(X)
#undef X

#endif
