/* Launches of the stand-in: an argument block is decoded, the twin's programs run on the stream's
 * thread, and the model gives the time. */
#ifndef ASCTUNE_STANDIN_STANDIN_LAUNCH_H
#define ASCTUNE_STANDIN_STANDIN_LAUNCH_H

#include "standin/standin_binary.h"
#include "standin/standin_stream.h"

enum { STANDIN_MAX_BLOCK = 1024 }; /* bytes of an argument block */

/* Address that an argument block begins with where the SoC has one; it faults. */
void *standin_sync_address(void);

/* Queues a launch of `blocks` programs. The `bytes` of the block, in host memory, are copied. */
int standin_launch(struct standin_function *f, uint32_t blocks, const void *block, size_t bytes,
		   struct standin_stream *s);

/* Queues a kernel of a library of operators, which runs `compute` and takes the time that it
 * returns; `recorded`: it has records. Owns `user`, which `release` frees. */
int standin_launch_operator(const char *name, bool recorded,
			    double (*compute)(void *user, struct standin_stream *s),
			    void (*release)(void *user), void *user, struct standin_stream *s);

#endif
