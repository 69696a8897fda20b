/* Callbacks of MSPTI's subscriber: called at both ends of launches, copies and fills. */
#ifndef ASCTUNE_STANDIN_STANDIN_MSPTI_CALLBACK_H
#define ASCTUNE_STANDIN_STANDIN_MSPTI_CALLBACK_H

#include <stdbool.h>

#include "tuner/device/libs/mspti_abi.h"

enum { MSPTI_DOMAIN_RUNTIME = 1, MSPTI_DOMAIN_HCCL = 2 };

/* Sets the subscriber; NULL: there is none, and nothing is called. */
void mspti_callback_set(mspti_callback_fn *callback, void *user);

/* Enables or disables one function of the runtime by its number, 0: all of them. False: there is
 * no such number. */
bool mspti_callback_enable(uint32_t id, bool enable);

#endif
