/* Prototypes of libruntime.so of the stand-in: those of the functions in tuner/device/libs/acl_abi.h. */
#ifndef ASCTUNE_STANDIN_STANDIN_RT_H
#define ASCTUNE_STANDIN_STANDIN_RT_H

#include "tuner/device/libs/acl_abi.h"

#define X(member, symbol, result, parameters) result symbol parameters;
RT_LIST(X)
#undef X

#endif
