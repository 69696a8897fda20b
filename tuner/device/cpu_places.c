#include "tuner/device/cpu_places.h"

#include <stdbool.h>
#include <stdio.h>

/* The first processor that the kernel lists for a core stands for it. */
static bool is_first_of_core(int cpu)
{
	char path[96];
	int first = cpu;

	(void)snprintf(path, sizeof path,
		       "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	FILE *f = fopen(path, "re");
	if (!f)
		return true;
	if (fscanf(f, "%d", &first) != 1)
		first = cpu;
	fclose(f);
	return first == cpu;
}

static void add_all(struct cpu_places *p, bool first_of_core)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &p->all) && is_first_of_core(cpu) == first_of_core)
			p->order[p->n++] = cpu;
}

void cpu_places_read(struct cpu_places *p)
{
	p->n = 0;
	CPU_ZERO(&p->all);
	if (sched_getaffinity(0, sizeof p->all, &p->all) || CPU_COUNT(&p->all) == 0)
		CPU_SET(0, &p->all);
	add_all(p, true);
	add_all(p, false);
}

void cpu_places_pin(const struct cpu_places *p, size_t index)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(p->order[index % p->n], &one);
	(void)sched_setaffinity(0, sizeof one, &one);
}

void cpu_places_unpin(const struct cpu_places *p)
{
	(void)sched_setaffinity(0, sizeof p->all, &p->all);
}
