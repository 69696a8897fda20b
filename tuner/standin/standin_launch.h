/* Launches of the stand-in: an argument block is decoded, the twin's programs run on the stream's
 * thread, and the model gives the time. */
#ifndef ASCTUNE_STANDIN_STANDIN_LAUNCH_H
#define ASCTUNE_STANDIN_STANDIN_LAUNCH_H

#include "tuner/standin/standin_binary.h"
#include "tuner/standin/standin_stream.h"

/* Kernels of one launch that has ended, for who records them. */
struct standin_record {
	const char *name, *type;
	int device, stream;
	uint64_t correlation;
	int64_t begin_ns, end_ns; /* both 0: not collected */
};

/* Set by libmspti: called with the lock held when a kernel has run, and in the launching thread
 * when one is queued. */
extern void (*standin_on_kernel)(const struct standin_record *r);
extern void (*standin_on_launch)(uint64_t correlation);

/* A host's mark: of a range's begin or end, or of a moment. */
struct standin_mark {
	const char *message;
	uint64_t id;
	uint32_t flag; /* msptiActivityFlag */
	int64_t at_ns;
};
extern void (*standin_on_mark)(const struct standin_mark *m);

/* Address that an argument block begins with where the SoC has one; it faults. */
void *standin_sync_address(void);

/* Queues a launch of `blocks` programs. The `bytes` of the block are copied, from host memory now
 * or, `on_device`, from device memory at the launch's turn. */
int standin_launch(struct standin_function *f, uint32_t blocks, const void *block, size_t bytes,
		   bool on_device, struct standin_stream *s);

/* Queues a kernel of a library of operators, which runs `compute` and takes the time that it
 * returns; `recorded`: it is one that records tell of. Owns `user`, which `release` frees. */
int standin_launch_operator(const char *name, bool recorded, double (*compute)(void *user),
			    void (*release)(void *user), void *user, struct standin_stream *s);

#endif
