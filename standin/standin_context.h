/* Devices and contexts of the stand-in: a device has one context from its first aclrtSetDevice to
 * its reset; a context is current in a thread, and owns streams. */
#ifndef ASCTUNE_STANDIN_STANDIN_CONTEXT_H
#define ASCTUNE_STANDIN_STANDIN_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "standin/standin_core.h"

struct standin_context {
	struct standin_object object;
	int device;
};

struct standin_context *standin_context_current(void); /* of the thread; NULL: none */
int standin_context_use(struct standin_context *c);

int standin_device_set(int device); /* makes the device's one context, if it has none; uses it */
int standin_device_reset(int device);
int standin_device_check(int64_t device); /* 107001 where there is no such device */

/* Destroys all streams and contexts, after their work. */
void standin_contexts_end(void);

#endif
