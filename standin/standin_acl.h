/* Prototypes of libascendcl.so (libacl_rt.so) of the stand-in: those of the functions in
 * tuner/device/libs/acl_abi.h. */
#ifndef ASCTUNE_STANDIN_STANDIN_ACL_H
#define ASCTUNE_STANDIN_STANDIN_ACL_H

#include "tuner/device/libs/acl_abi.h"

#define X(member, symbol, result, parameters, release) result symbol parameters;
ACL_LIST(X)
#undef X

#endif
