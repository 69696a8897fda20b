#include "tuner/device/cpu/cpu_places.h"

#include <stdio.h>
#include <stdlib.h>

/* Number of a core: the first processor that the kernel lists for it. */
static int find_core(int cpu)
{
	char path[96], text[32] = "";

	(void)snprintf(path, sizeof path,
		       "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	FILE *f = fopen(path, "re");
	if (!f)
		return cpu;
	char *end = text;
	long first = fgets(text, sizeof text, f) ? strtol(text, &end, 10) : cpu;

	fclose(f);
	return end > text && first >= 0 && first < CPU_SETSIZE ? (int)first : cpu;
}

void cpu_places_choose(struct cpu_places *p, const cpu_set_t *allowed, int (*core_of)(int cpu))
{
	bool taken[CPU_SETSIZE] = {false};
	int sharing[CPU_SETSIZE];
	size_t n_sharing = 0;

	p->n = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed))
			continue;
		int core = core_of(cpu);
		if (taken[core])
			sharing[n_sharing++] = cpu;
		else
			p->order[p->n++] = cpu;
		taken[core] = true;
	}
	for (size_t i = 0; i < n_sharing; i++)
		p->order[p->n++] = sharing[i];
}

void cpu_places_read(struct cpu_places *p)
{
	cpu_set_t allowed;

	p->n = 0;
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
		cpu_places_choose(p, &allowed, find_core);
}

bool cpu_places_find(const struct cpu_places *p, size_t index, cpu_set_t *out)
{
	CPU_ZERO(out);
	if (p->n > 0)
		CPU_SET(p->order[index % p->n], out);
	return p->n > 0;
}

void cpu_places_pin(const struct cpu_places *p, size_t index, cpu_set_t *before)
{
	cpu_set_t one;

	CPU_ZERO(before);
	if (!cpu_places_find(p, index, &one) || sched_getaffinity(0, sizeof *before, before) ||
	    !CPU_ISSET(p->order[index % p->n], before))
		return;
	(void)sched_setaffinity(0, sizeof one, &one);
}

void cpu_places_unpin(const cpu_set_t *before)
{
	if (CPU_COUNT(before) > 0)
		(void)sched_setaffinity(0, sizeof *before, before);
}
