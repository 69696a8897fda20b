#include "tuner/device/cpu/cpu_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

/* Names of Linux's documentation: admin-guide/cgroup-v2 and cgroup-v1/memory. Pages of files that
 * are not in use count as used, and are given up when memory is wanted. */
static const struct hierarchy {
	const char *controller, *folder, *limit, *used, *spare;
} hierarchies[] = {
	{"", "", "memory.max", "memory.current", "inactive_file "},
	{"memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
	 "total_inactive_file "},
};

/* Reads the number behind `key` at the start of a line, or of the first line; false: none. */
static bool read_number(const char *folder, const char *name, const char *key, int64_t *out)
{
	char *path = path_join(folder, name), *end = NULL;
	struct buf text = {0};
	struct asc_err e;
	const char *at = NULL;

	if (path && file_read(path, 0, &text, &e) == ASC_OK)
		at = buf_str(&text);
	while (at && *at && strncmp(at, key, strlen(key)) != 0)
		at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
	if (at && *at)
		*out = strtoll(at + strlen(key), &end, 10);
	bool found = end && end > at + strlen(key);
	buf_fini(&text);
	free(path);
	return found;
}

static int64_t group_bytes(const struct hierarchy *h, const char *folder)
{
	int64_t limit, used, spare = 0;

	if (!read_number(folder, h->limit, "", &limit) || !read_number(folder, h->used, "", &used))
		return INT64_MAX;
	(void)read_number(folder, "memory.stat", h->spare, &spare);
	/* Never 0, which stands for "unknown". */
	int64_t left = limit - used + spare;
	return left > 0 ? left : 1;
}

/* Looks at the group and at those above it. A container may see its own group as the topmost. */
static int64_t least_bytes(const struct hierarchy *h, const char *root, const char *group)
{
	char *folder = str_print("%s/%s%s", root, h->folder, group);
	size_t top = strlen(root) + 1 + strlen(h->folder);
	int64_t least = INT64_MAX;

	for (size_t n = folder ? strlen(folder) : 0; n >= top && folder; n--) {
		if (folder[n] != '/' && folder[n] != '\0')
			continue;
		folder[n] = '\0';
		int64_t bytes = group_bytes(h, folder);
		least = bytes < least ? bytes : least;
	}
	free(folder);
	return least;
}

/* Lines are `NUMBER:CONTROLLERS:GROUP`. */
int64_t cpu_memory_group_bytes(const char *groups, const char *root)
{
	struct buf text = {0};
	struct asc_err e;
	int64_t least = INT64_MAX;
	char *rest = NULL;

	(void)file_read(groups, 0, &text, &e);
	for (char *line = text.data ? strtok_r(text.data, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *controller = strchr(line, ':'), *group = controller;
		if (controller)
			group = strchr(++controller, ':');
		if (!group)
			continue;
		*group++ = '\0';
		for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
			if (strcmp(hierarchies[i].controller, controller) != 0)
				continue;
			int64_t bytes = least_bytes(&hierarchies[i], root, group);
			least = bytes < least ? bytes : least;
		}
	}
	buf_fini(&text);
	return least;
}

int64_t cpu_memory_free_bytes(void)
{
	int64_t kib, group = cpu_memory_group_bytes("/proc/self/cgroup", "/sys/fs/cgroup");

	if (!read_number("/proc", "meminfo", "MemAvailable:", &kib))
		return group == INT64_MAX ? 0 : group;
	return kib * 1024 < group ? kib * 1024 : group;
}
