/* Last-level caches that a team of threads reaches: several where processors consist of several
 * dies or sit in several sockets. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_CACHES_H
#define ASCTUNE_DEVICE_CPU_CPU_CACHES_H

#include <stddef.h>

struct cpu_places;

/* Linux's description of processors (Documentation/ABI/testing/sysfs-devices-system-cpu). */
#define CPU_CACHES_FOLDER "/sys/devices/system/cpu"

/* Works out bytes[i]: how much thread i of `n`, kept on its processor, has to write so that all
 * together write twice the size of each last-level cache that they reach, and each twice its core's
 * L2 at least. All together write `otherwise` where nothing is known. */
void cpu_caches_share(const char *folder, const struct cpu_places *places, size_t n,
		      size_t otherwise, size_t *bytes);

/* Works out the same for the caches of the cores alone: each thread writes twice its core's L2. */
void cpu_caches_share_cores(const char *folder, const struct cpu_places *places, size_t n,
			    size_t otherwise, size_t *bytes);

/* Sum of all last-level caches that the first `n` threads reach; 0: unknown. */
size_t cpu_caches_total(const char *folder, const struct cpu_places *places, size_t n);

/* Parses a size as these files have it: "32K", "8M", "64". */
size_t cpu_caches_parse_size(const char *text);

#endif
