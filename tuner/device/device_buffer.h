/* Buffers of devices: what all kinds of devices do with one in the same way. A kind has a table of
 * its memory (struct device_memory) and a struct for its buffers that begins with struct
 * device_buffer.
 *
 * The data lies between two zones that hold DEVICE_PATTERN: a kernel that writes there has strayed.
 * The zone behind it ends with the pages that were allocated, so that the rest of one is no place
 * to keep anything from launch to launch. The data can move towards the begin of the front zone. A
 * read-only buffer has a digest of its data, renewed when the device itself writes: no memory of a
 * device is safe from the kernels of its own process. */
#ifndef ASCTUNE_DEVICE_DEVICE_BUFFER_H
#define ASCTUNE_DEVICE_DEVICE_BUFFER_H

#include "tuner/device/device.h"

/* Data moves by less than this where zones have 64 KiB: half of the one in front stays. */
enum { DEVICE_BUFFER_MOVE_END = 32 << 10 };

struct device_buffer {
	const struct device_memory *memory;
	size_t front_bytes, bytes, tail_bytes; /* of the zone before the data, the data, the zone
						  behind it */
	bool on_host;                          /* in the host's memory, where that is another one */
	bool read_only;
	uint64_t digest; /* of the data, while it is read-only */
	size_t moved;    /* number of bytes that the data lies before its first place */
};

/* Part of a buffer, counted from the begin of its front zone. */
struct device_range {
	const struct device_buffer *buffer;
	size_t at, bytes;
	bool zone;
};

struct device_memory {
	size_t buffer_bytes; /* size of the struct that begins with struct device_buffer */
	/* Pages of the device's memory, and of the host's for it: a buffer has whole ones, with
	 * zones of 64 KiB at least. 0: reserve lays the buffer out and words its failures. */
	size_t page_bytes, host_page_bytes;
	const char *name, *host_name; /* "device memory" and "pinned memory", for failures */

	/* Allocates the zones and the data of `b`. */
	enum asc_status (*reserve)(struct device *d, struct device_buffer *b, struct asc_err *e);
	void (*release)(struct device *d, struct device_buffer *b);
	/* Sets `n` bytes from byte `at` on, zones included. */
	enum asc_status (*set)(struct device *d, struct device_buffer *b, size_t at, int byte,
			       size_t n, struct asc_err *e);
	/* Copy the first `n` bytes of the data, which are there. */
	enum asc_status (*write)(struct device *d, struct device_buffer *b, const void *from,
				 size_t n, struct asc_err *e);
	enum asc_status (*read)(struct device *d, const struct device_buffer *b, void *to, size_t n,
				struct asc_err *e);
	/* Copies all of the data of `from`, behind what came before, to `b`, which has as much.
	 * NULL: there is no way but by the host. */
	enum asc_status (*copy)(struct device *d, struct device_buffer *b,
				const struct device_buffer *from, struct asc_err *e);
	/* Moves the data, with its contents where `keep`, to `at` bytes before its first place, and
	 * lays the zones out anew, whose contents do not matter yet. The buffer is not protected.
	 */
	enum asc_status (*move)(struct device *d, struct device_buffer *b, size_t at, bool keep,
				struct asc_err *e);
	/* Sums up ranges, with one wait for `what` came before: sums[i] of a zone is 0 where it
	 * holds the pattern; of data it is a digest, comparable on this device in this process. */
	enum asc_status (*sum)(struct device *d, const struct device_range *ranges, size_t n,
			       const char *what, uint64_t *sums, struct asc_err *e);
	/* Has the hardware refuse writes of kernels, or no longer. NULL: it cannot. */
	enum asc_status (*protect)(struct device *d, struct device_buffer *b, bool read_only,
				   struct asc_err *e);
};

enum asc_status device_buffer_new(const struct device_memory *m, struct device *d, size_t bytes,
				  bool on_host, struct device_buffer **out, struct asc_err *e);

/* Address of an argument's tensor in its memory, whose address is `memory`; NULL for NULL. */
void *device_buffer_place(void *memory, const struct bound_argument *a);

/* Operations as in device_ops. */
void device_buffer_release(struct device *d, struct device_buffer *b);
enum asc_status device_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				    size_t bytes, struct asc_err *e);
enum asc_status device_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				   size_t bytes, struct asc_err *e);
enum asc_status device_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				   struct asc_err *e);
enum asc_status device_buffer_copy(struct device *d, struct device_buffer *b,
				   const struct device_buffer *from, struct asc_err *e);
enum asc_status device_buffer_move(struct device *d, struct device_buffer *b, size_t at, bool keep,
				   struct asc_err *e);
enum asc_status device_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				      struct asc_err *e);
enum asc_status device_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				   enum device_harm *harms, struct asc_err *e);
enum asc_status device_buffer_digest(struct device *d, struct device_buffer *const *buffers,
				     size_t n, uint64_t *digests, struct asc_err *e);

#endif
