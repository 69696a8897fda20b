/* The opened NPU, and what the files tuner/device/npu/npu*.c share. Private to them. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_DEVICE_H
#define ASCTUNE_DEVICE_NPU_NPU_DEVICE_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/device/clock.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/acl.h"

struct npu_clock;
struct npu_loader;

enum { NPU_PIECE_BYTES = 4 << 20 };

struct device {
	struct clocked_device queue; /* first, where device/clock looks for it */
	const struct acl_runtime *acl;
	const struct rt_runtime *rt; /* NULL where everything is in `acl` */
	int number;
	void *context, *stream;
	struct device_info info;
	bool lost;            /* set by an error that stays: the context is of no more use */
	unsigned char *piece; /* host memory of NPU_PIECE_BYTES that buffers are read through */
	void *cold;           /* memory that is written to put everything else out of L2 */
	size_t cold_bytes;
	unsigned char cold_byte;
	struct npu_clock *clock;
	const struct npu_loader *loader;
	const struct device_kernel *in_range; /* kernel that the open range of a profiler names */
};

/* Makes a status as acl_check() does, and notes an error that stays. */
enum asc_status npu_check(struct device *d, int rc, const char *what, struct asc_err *e);

/* Waits for all that is in the stream, ten minutes at most where the runtime has a limit. */
enum asc_status npu_wait(struct device *d, const char *what, struct asc_err *e);

/* Waits for all that this process has the device do, on any stream: for our own as npu_wait(), for
 * others without a limit. */
enum asc_status npu_wait_all(struct device *d, const char *what, struct asc_err *e);

/* Puts `n` bytes of one value into the stream; does not wait. */
enum asc_status npu_set(struct device *d, void *at, int byte, size_t n, struct asc_err *e);

/* Empties L2 by writing twice its size: puts the writes into the stream, with a byte that changes
 * each time; does not wait. The memory is allocated the first time. */
enum asc_status npu_flush_queue(struct device *d, struct asc_err *e);

#endif
