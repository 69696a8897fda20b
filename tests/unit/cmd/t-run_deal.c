/* Problems dealt out to devices: what is expected of each, who takes which, and how near the end
 * comes to the earliest one.
 * covers: run_deal.c */
#include "tuner/cmd/run/run_deal.h"

#include <stdint.h>

#include "tests/tap.h"

static struct deal_item item(double took, double work)
{
	return (struct deal_item){.took = took, .work = work, .begun = DEAL_NONE};
}

static void expect(void)
{
	struct deal_item known[] = {item(2000, 10), item(0, 30), item(6000, 30), item(0, 0)};
	struct deal_item work[] = {item(0, 10), item(0, 30), item(0, 0)};
	struct deal_item mixed[] = {item(4000, 0), item(0, 5), item(2000, 0)};
	struct deal_item none[] = {item(0, 0), item(0, 0)};

	run_deal_begin(&(struct run_deal){known, 4});
	tap_real(known[0].expected, 2000, 0, "the time that it took");
	tap_real(known[1].expected, 6000, 1e-9, "work at the rate of the others: 8000 for 40");
	tap_real(known[3].expected, 14000. / 3, 1e-9, "nothing known: the mean of the others");
	run_deal_begin(&(struct run_deal){work, 3});
	tap_ok(work[1].expected == 3 * work[0].expected, "without times, work orders them");
	tap_real(work[2].expected, 20, 1e-9, "and its mean");
	run_deal_begin(&(struct run_deal){mixed, 3});
	tap_real(mixed[1].expected, 3000, 1e-9, "work is no time where nothing has both");
	run_deal_begin(&(struct run_deal){none, 2});
	tap_int(run_deal_find(&(struct run_deal){none, 2}, 0), 0, "nothing known: in their order");
}

static void take(void)
{
	struct deal_item x[] = {item(1, 0), item(5, 0), item(3, 0), item(5, 0)};
	struct run_deal d = {x, 4};

	run_deal_begin(&d);
	tap_int(run_deal_find(&d, 0), 1, "the longest, and of equals the first");
	x[1].state = DEAL_TAKEN;
	tap_int(run_deal_find(&d, 1), 3, "the next longest");
	x[0].begun = 1;
	tap_int(run_deal_find(&d, 1), 0, "one that the device has begun comes before");
	tap_int(run_deal_find(&d, 0), 3, "others come before what another device has begun");
	x[2].state = x[3].state = DEAL_DONE;
	tap_int(run_deal_find(&d, 0), 0, "which is taken in the end, too");
	x[0].state = DEAL_TAKEN;
	tap_int(run_deal_find(&d, 0), DEAL_NONE, "then nothing is left");
	tap_int(run_deal_count(&d, DEAL_TAKEN), 2, "two are with their devices");
	x[1].state = DEAL_OPEN;
	tap_int(run_deal_find(&d, 1), 1, "a device that falls out gives its problem back");
}

/* Graham's bound (SIAM J. Appl. Math. 17, 1969): the longest first ends within 4/3 - 1/(3m) of the
 * earliest end, which is no earlier than the mean load and the longest. */
static void end_early(void)
{
	enum { N = 64, DEVICES = 8 };
	struct deal_item x[N];
	struct run_deal d = {x, N};
	double free_at[DEVICES] = {0}, sum = 0, longest = 0, end = 0;
	uint64_t state = 1;

	for (size_t i = 0; i < N; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
		x[i] = item(5000 + (double)(state >> 33) / 100000, 0);
		sum += x[i].took;
		longest = x[i].took > longest ? x[i].took : longest;
	}
	run_deal_begin(&d);
	for (size_t k = 0; k < N; k++) {
		size_t device = 0;

		for (size_t i = 1; i < DEVICES; i++)
			device = free_at[i] < free_at[device] ? i : device;
		const size_t i = run_deal_find(&d, device);

		x[i].state = DEAL_DONE;
		free_at[device] += x[i].took;
		end = free_at[device] > end ? free_at[device] : end;
	}
	const double least = sum / DEVICES > longest ? sum / DEVICES : longest;

	tap_ok(end <= least * (4. / 3 - 1. / (3 * DEVICES)), "%.0f of at least %.0f", end, least);
	tap_ok(least / end >= 0.95, "%d problems on %d devices: %.3f of the bound", N, DEVICES,
	       least / end);
	tap_int(run_deal_count(&d, DEAL_DONE), N, "all are done");
}

int main(void)
{
	expect();
	take();
	end_early();
	return tap_done();
}
