/* What is written to empty caches, on machines that are made up in a folder like the kernel's.
 * covers: cpu_caches.c */
#include "tuner/device/cpu/cpu_caches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/device/cpu/cpu_threads.h"

#define MIB ((size_t)1 << 20)
enum { CORES = 32, CPUS = 64, DIE = 4 };
static const size_t otherwise = 64 << 20;

static char *folder;

static void put(const char *cache, const char *name, const char *text)
{
	char path[600];
	struct asc_err e;

	(void)snprintf(path, sizeof path, "%s/%s", cache, name);
	if (file_write(path, text, strlen(text), &e))
		tap_ok(false, "%s", e.text);
}

static void add_cache(int cpu, int index, const char *type, const char *level, const char *size,
		      const char *shared)
{
	char path[500];
	struct asc_err e;

	(void)snprintf(path, sizeof path, "%s/cpu%d/cache/index%d", folder, cpu, index);
	if (dir_make(path, &e))
		tap_ok(false, "%s", e.text);
	put(path, "type", type);
	put(path, "level", level);
	put(path, "size", size);
	if (shared)
		put(path, "shared_cpu_list", shared);
}

/* Two sockets of four dies of four cores with two threads: eight caches of 32 MiB. */
static void make_machine(void)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		const int core = cpu % CORES, first = core / DIE * DIE;
		char own[32], die[64];

		(void)snprintf(own, sizeof own, "%d,%d\n", core, core + CORES);
		(void)snprintf(die, sizeof die, "%d-%d,%d-%d\n", first, first + DIE - 1,
			       first + CORES, first + CORES + DIE - 1);
		add_cache(cpu, 0, "Data\n", "1\n", "32K\n", own);
		add_cache(cpu, 1, "Instruction\n", "1\n", "32K\n", own);
		add_cache(cpu, 2, "Unified\n", "2\n", "1024K\n", own);
		add_cache(cpu, 3, "Unified\n", "3\n", "32768K\n", die);
	}
}

static struct cpu_places range(int first, int end)
{
	struct cpu_places p = {.n = 0};

	for (int cpu = first; cpu < end; cpu++)
		p.order[p.n++] = cpu;
	return p;
}

/* Of the threads on processors first .. end-1 of all. */
static size_t sum(const size_t *bytes, int first, int end)
{
	size_t all = 0;

	for (int i = first; i < end; i++)
		all += bytes[i];
	return all;
}

static void test_whole(void)
{
	const struct cpu_places all = range(0, CPUS);
	size_t bytes[CPUS];

	cpu_caches_share(folder, &all, CPUS, otherwise, bytes);
	for (int die = 0; die < CORES / DIE; die++)
		tap_int((int64_t)(sum(bytes, die * DIE, (die + 1) * DIE) +
				  sum(bytes, die * DIE + CORES, (die + 1) * DIE + CORES)),
			(int64_t)(64 * MIB), "cache %d: twice what it holds", die);
	tap_int((int64_t)cpu_caches_total(folder, &all, CPUS), (int64_t)(8 * 32 * MIB),
		"all eight hold 256 MiB");
}

static void test_part(void)
{
	const struct cpu_places one = range(6, 7), few = range(3, 6);
	size_t bytes[6];

	cpu_caches_share(folder, &one, 1, otherwise, bytes);
	tap_int((int64_t)bytes[0], (int64_t)(64 * MIB), "one processor empties its cache alone");
	cpu_caches_share(folder, &few, 3, otherwise, bytes);
	tap_ok(bytes[0] == 64 * MIB && bytes[1] == 32 * MIB && bytes[2] == 32 * MIB,
	       "one of a cache, two of the next");
	tap_int((int64_t)cpu_caches_total(folder, &few, 3), (int64_t)(64 * MIB), "two are reached");
	cpu_caches_share_cores(folder, &few, 3, otherwise, bytes);
	tap_ok(bytes[0] == 2 * MIB && bytes[1] == 2 * MIB && bytes[2] == 2 * MIB,
	       "of its core's caches each empties twice L2");
	cpu_caches_share(folder, &few, 6, otherwise, bytes);
	tap_ok(bytes[0] == 32 * MIB && bytes[3] == 32 * MIB && bytes[5] == 16 * MIB,
	       "more threads than processors share them");
}

/* Two clusters; no cache for both, none at all; and what is told by halves. */
static void test_others(void)
{
	const struct cpu_places small = range(100, 102), none = range(200, 202), empty = {.n = 0};
	const struct cpu_places bare = range(300, 301), many = range(400, 402);
	size_t bytes[2];

	add_cache(100, 0, "Unified\n", "2\n", "512K\n", "100\n");
	add_cache(101, 0, "Unified\n", "2\n", "2M\n", "101\n");
	cpu_caches_share(folder, &small, 2, otherwise, bytes);
	tap_ok(bytes[0] == MIB && bytes[1] == 4 * MIB, "the last level of a small one is L2");
	cpu_caches_share(folder, &none, 2, otherwise, bytes);
	tap_ok(bytes[0] == otherwise / 2 && bytes[1] == otherwise / 2, "nothing is known");
	tap_int((int64_t)cpu_caches_total(folder, &none, 2), 0, "so nothing is held");
	cpu_caches_share_cores(folder, &none, 2, otherwise, bytes);
	tap_ok(bytes[0] == otherwise / 2 && bytes[1] == otherwise / 2,
	       "nor is it known of the cores");
	cpu_caches_share(folder, &empty, 1, otherwise, bytes);
	tap_int((int64_t)bytes[0], (int64_t)otherwise, "not even the processors are");
	add_cache(300, 0, "Unified\n", "3\n", "8M\n", NULL);
	cpu_caches_share(folder, &bare, 1, otherwise, bytes);
	tap_int((int64_t)bytes[0], (int64_t)otherwise, "a cache that nobody is said to share");
	for (int cpu = 400; cpu < 402; cpu++) {
		add_cache(cpu, 0, "Unified\n", "2\n", "4096K\n", cpu == 400 ? "400\n" : "401\n");
		add_cache(cpu, 1, "Unified\n", "3\n", "1024K\n", "400-401\n");
	}
	cpu_caches_share(folder, &many, 2, otherwise, bytes);
	tap_ok(bytes[0] == 8 * MIB && bytes[1] == 8 * MIB,
	       "where a core's own cache is larger than its share, twice its own");
}

int main(void)
{
	struct asc_err e;

	if (!tap_int(dir_make_scratch("t-cpu_caches", &folder, &e), ASC_OK, "a folder"))
		return tap_done();
	make_machine();
	test_whole();
	test_part();
	test_others();
	dir_remove(folder);
	free(folder);
	return tap_done();
}
