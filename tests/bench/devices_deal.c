/* What tests/bench/devices runs: deals problems to devices as `asctune run` does, by a clock of its
 * own. devices_deal N reads a line for each problem, "TOOK_BEFORE WORK TAKES" in one unit, and
 * prints when the last device ends. */
#include <stdio.h>
#include <stdlib.h>

#include "tuner/cmd/run/run_deal.h"

int main(int argc, char **argv)
{
	enum { MOST = 100000 };
	const size_t devices = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
	static struct deal_item items[MOST];
	static double takes[MOST];
	struct run_deal d = {items, 0};
	double end = 0;

	while (d.n < MOST &&
	       scanf("%lf %lf %lf", &items[d.n].took, &items[d.n].work, &takes[d.n]) == 3)
		items[d.n++].begun = DEAL_NONE;
	double *free_at = calloc(devices, sizeof *free_at);
	if (!free_at || d.n == 0) {
		fprintf(stderr, "devices_deal: no devices or no problems\n");
		free(free_at);
		return 2;
	}
	run_deal_begin(&d);
	for (size_t k = 0; k < d.n; k++) {
		size_t device = 0;

		for (size_t i = 1; i < devices; i++)
			device = free_at[i] < free_at[device] ? i : device;
		const size_t item = run_deal_find(&d, device);

		items[item].state = DEAL_DONE;
		free_at[device] += takes[item];
		end = free_at[device] > end ? free_at[device] : end;
	}
	printf("%.6f\n", end);
	free(free_at);
	return 0;
}
