/* Memory that this process may still take. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_MEMORY_H
#define ASCTUNE_DEVICE_CPU_CPU_MEMORY_H

#include <stdint.h>

/* Memory of the machine that is available without swapping, or less where a control group leaves
 * less, bytes; 0: unknown. */
int64_t cpu_memory_free_bytes(void);

/* Least memory that a group of the file `groups` (/proc/self/cgroup) or one above it leaves, as the
 * files below `root` (/sys/fs/cgroup) say, bytes; INT64_MAX: no group limits it. */
int64_t cpu_memory_group_bytes(const char *groups, const char *root);

#endif
