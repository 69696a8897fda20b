/* The last-level caches that a team of threads reaches: several where processors are made of
 * several dies, or sit in several sockets. */
#ifndef ASCTUNE_DEVICE_CPU_CACHES_H
#define ASCTUNE_DEVICE_CPU_CACHES_H

#include <stddef.h>

struct cpu_places;

/* What Linux says of processors (Documentation/ABI/testing/sysfs-devices-system-cpu). */
#define CPU_CACHES_FOLDER "/sys/devices/system/cpu"

/* bytes[i]: what thread i of `n`, which is kept on its processor, has to write so that all together
 * write twice what each last-level cache that they reach holds, and each twice its core's L2 at
 * least. All write `otherwise` together where nothing is known. */
void cpu_caches_share(const char *folder, const struct cpu_places *places, size_t n,
		      size_t otherwise, size_t *bytes);

/* Of all last-level caches that the first `n` threads reach; 0: not known. */
size_t cpu_caches_total(const char *folder, const struct cpu_places *places, size_t n);

#endif
