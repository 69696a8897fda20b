/* Energy of this machine's processors and their memory, from the counters of the running average
 * power limit (RAPL) that the kernel shows as files below /sys/class/powercap.
 *
 * Zones `package-N` and, below them, `dram` are added; others are parts of a package, or have
 * packages as their parts. The caller owns the storage: rapl_open(), rapl_close(). */
#ifndef ASCTUNE_PROBES_RAPL_H
#define ASCTUNE_PROBES_RAPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's folder, or $ASCTUNE_POWERCAP: a container may have that of its host elsewhere. */
const char *rapl_folder(void);

enum { RAPL_ZONES = 32 }; /* packages with their memory: sixteen sockets */

struct rapl_zone {
	int fd;
	uint64_t last_uj;
	uint64_t most_uj; /* the counter goes on at 0 behind this value */
};

struct rapl {
	struct rapl_zone zones[RAPL_ZONES];
	size_t n;
	uint64_t uj; /* energy of all zones since they were opened */
};

/* Opens the zones below `folder`; false with the reason where there are none, or where only root
 * may read them, and there is nothing to close. */
bool rapl_open(struct rapl *r, const char *folder, char *reason, size_t size);
void rapl_close(struct rapl *r);

/* Reads the energy since rapl_open(), in joules: steadily rising, however often counters begin
 * anew, if reads are less than one round of a counter apart (minutes). */
bool rapl_read(struct rapl *r, double *joules);

#endif
