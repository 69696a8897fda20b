#include "tuner/device/cpu/cpu_caches.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/device/cpu/cpu_threads.h"

enum { MAX_CACHES = 16, TEXT_SIZE = 4096 };

struct last_level {
	size_t bytes;    /* size of the last-level cache; 0: unknown */
	size_t l2_bytes; /* size of the core's L2 */
	uint64_t group;  /* identity of the group of processors that share the last-level cache */
};

/* Reads the line of a file in the folder of a cache; false when there is none. */
static bool read_line(const char *folder, int cpu, int index, const char *name,
		      char text[TEXT_SIZE])
{
	char path[512];

	(void)snprintf(path, sizeof path, "%s/cpu%d/cache/index%d/%s", folder, cpu, index, name);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	bool ok = fgets(text, TEXT_SIZE, f) != NULL;
	(void)fclose(f);
	return ok;
}

size_t cpu_caches_parse_size(const char *text)
{
	char *end = NULL;
	size_t n = strtoull(text, &end, 10);

	return *end == 'K' ? n << 10 : *end == 'M' ? n << 20 : n;
}

static struct last_level find_last_level(const char *folder, int cpu)
{
	struct last_level last = {0};
	char text[TEXT_SIZE];
	long highest = 0;

	for (int i = 0; i < MAX_CACHES && read_line(folder, cpu, i, "type", text); i++) {
		/* Flushes write data. The last level is the highest, whatever its number. */
		bool code = strncmp(text, "Instruction", strlen("Instruction")) == 0;
		if (code || !read_line(folder, cpu, i, "level", text))
			continue;
		const long level = strtol(text, NULL, 10);
		size_t bytes =
			read_line(folder, cpu, i, "size", text) ? cpu_caches_parse_size(text) : 0;
		if (level == 2)
			last.l2_bytes = bytes;
		if (level <= highest || !read_line(folder, cpu, i, "shared_cpu_list", text))
			continue;
		highest = level;
		last.bytes = bytes;
		last.group = hash_bytes(text, strlen(text));
	}
	return last;
}

/* Reads the caches of threads 0 .. n-1; a heap array, NULL without memory or processors. */
static struct last_level *find_all(const char *folder, const struct cpu_places *places, size_t n)
{
	struct last_level *all = places->n ? calloc(n, sizeof *all) : NULL;

	for (size_t i = 0; all && i < n; i++)
		all[i] = i < places->n ? find_last_level(folder, places->order[i])
				       : all[i % places->n];
	return all;
}

static size_t count_sharing(const struct last_level *all, size_t n, uint64_t group)
{
	size_t sharing = 0;

	for (size_t i = 0; i < n; i++)
		sharing += all[i].group == group;
	return sharing;
}

void cpu_caches_share(const char *folder, const struct cpu_places *places, size_t n,
		      size_t otherwise, size_t *bytes)
{
	struct last_level *all = find_all(folder, places, n);

	for (size_t i = 0; i < n; i++) {
		const size_t held = all ? all[i].bytes : 0;
		const size_t sharing = held ? count_sharing(all, n, all[i].group) : 0;
		/* Twice the cache: lines are not dropped in the order in which they came. */
		bytes[i] = sharing ? 2 * held / sharing : otherwise / n;
		if (sharing && bytes[i] < 2 * all[i].l2_bytes)
			bytes[i] = 2 * all[i].l2_bytes;
	}
	free(all);
}

void cpu_caches_share_cores(const char *folder, const struct cpu_places *places, size_t n,
			    size_t otherwise, size_t *bytes)
{
	struct last_level *all = find_all(folder, places, n);

	for (size_t i = 0; i < n; i++)
		bytes[i] = all && all[i].l2_bytes ? 2 * all[i].l2_bytes : otherwise / n;
	free(all);
}

size_t cpu_caches_total(const char *folder, const struct cpu_places *places, size_t n)
{
	struct last_level *all = find_all(folder, places, n);
	size_t total = 0;

	for (size_t i = 0; all && i < n; i++)
		if (count_sharing(all, i, all[i].group) == 0)
			total += all[i].bytes;
	free(all);
	return total;
}
