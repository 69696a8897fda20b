/* Memory of the CPU device, laid out so that a kernel's stray writes are noticed.
 *
 * A buffer ends at 16 MiB of inaccessible addresses. Where its size is no multiple of 64 bytes, the
 * up to 63 bytes between hold a pattern that is checked; so do the bytes before it down to the page
 * start, below which lie another 16 MiB without access. Data that has moved takes both with it, but
 * for the bytes behind it, of which there are up to a page then. A read-only buffer has a digest
 * too: a kernel lives in this process and can make a page writable. All buffers of the process are
 * listed, so that a handler of signals finds the one beside which a kernel has died. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_BUFFER_H
#define ASCTUNE_DEVICE_CPU_CPU_BUFFER_H

#include "tuner/device/device_buffer.h"

/* Data moves by less than this, in addresses of its own: as many pages as make two tensors hardly
 * ever lie as far from each other as before. */
enum { CPU_BUFFER_MOVE_END = 512 << 10 };

/* Operations as in device_ops. */
enum asc_status cpu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e);
int64_t cpu_buffer_find_stray(const struct device_buffer *b);
void cpu_buffer_label(struct device_buffer *b, const char *label);
enum asc_status cpu_buffer_fetch(struct device *d, const void *from, void *to, size_t bytes,
				 struct asc_err *e);
enum asc_status cpu_buffer_store(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e);
enum asc_status cpu_buffer_take(struct device *d, void *to, void *from, size_t bytes, int byte,
				struct asc_err *e);

/* Where an address lies: in a buffer, or within 16 MiB of it. `label` is borrowed from the buffer.
 */
struct cpu_buffer_place {
	const char *label;
	uintptr_t start;
	size_t bytes;
	bool read_only;
};

/* Finds the buffer that an address belongs to; false: none. For signal handlers too. */
bool cpu_buffer_find(uintptr_t at, struct cpu_buffer_place *out);

void *cpu_buffer_data(const struct device_buffer *b); /* device_ops.address */

#endif
