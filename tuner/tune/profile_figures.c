#include "tuner/tune/profile_figures.h"

#include <math.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/result/roofline.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/occupancy.h"

/* Where a figure comes from, in the place of a probe. */
#define FROM_PROBLEM "problem"
#define FROM_DEVICE  "device"

/* Value of a metric of the whole launch by its name; 0: it has none. */
static double value_of(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0 && r->metrics[i].call == 0 &&
		    !r->metrics[i].reason)
			return r->metrics[i].value;
	return 0;
}

static double fact(const struct evaluator_target *t, enum fact id)
{
	return t->info->facts.known[id] ? (double)t->info->facts.value[id] : 0;
}

enum asc_status profile_figures_add(const struct evaluator_target *t,
				    const struct loop_summary *sum, struct result *r,
				    struct asc_err *e)
{
	const struct peaks *p = &sum->peaks;
	const double kernels = value_of(r, "kernels");
	const int64_t threads = t->info->shares_host ? (int64_t)value_of(r, "threads") : 0;
	const double l3 = peaks_find(p, PEAK_MEMORY, PEAK_L3)->rate;
	struct occupancy o = {0};
	const double empty_ns = peaks_empty_ns(p, threads, fmax(kernels, 1), value_of(r, "blocks"));

	if (t->limits && t->limits->sm && value_of(r, "block_threads") > 0)
		o = occupancy_find(t->limits->sm, (int64_t)value_of(r, "block_threads"),
				   (int64_t)value_of(r, "registers"),
				   (int64_t)value_of(r, "shared_bytes"));
	const struct {
		const char *from, *name, *unit;
		double value; /* 0 or NaN: not known */
	} figures[] = {
		{FROM_PROBLEM, "need_bytes", "B", sum->bytes},
		{FROM_PROBLEM, "need_flops", "FLOP", sum->flops},
		{FROM_DEVICE, "peak_dram", "B/s", peaks_find(p, PEAK_MEMORY, "")->rate},
		{FROM_DEVICE, "peak_thread", "B/s", peaks_find(p, PEAK_MEMORY, PEAK_THREAD)->rate},
		{FROM_DEVICE, "peak_l2", "B/s",
		 l3 > 0 ? l3 : peaks_find(p, PEAK_MEMORY, PEAK_L2)->rate},
		{FROM_DEVICE, "peak_l1", "B/s", peaks_find(p, PEAK_MEMORY, PEAK_L1)->rate},
		{FROM_DEVICE, "peak_shared", "B/s", peaks_find(p, PEAK_MEMORY, PEAK_SHARED)->rate},
		{FROM_DEVICE, "peak_flops", "FLOP/s",
		 sum->has_element ? peaks_units(p, PEAK_PLAIN, sum->element) : 0},
		{FROM_DEVICE, "peak_tensor", "FLOP/s",
		 sum->has_element ? peaks_units(p, PEAK_TENSOR, sum->element) : 0},
		{FROM_DEVICE, "empty_ns", "ns", empty_ns},
		{FROM_DEVICE, "multiprocessors", "1",
		 fact(t, t->info->shares_host ? FACT_THREADS : FACT_PROCESSORS)},
		{FROM_DEVICE, "cache_bytes", "B", fact(t, FACT_LLC_BYTES)},
		{FROM_DEVICE, "blocks_at_once", "1", o.blocks},
		{FROM_DEVICE, "warps_at_once", "1", o.warps},
		{FROM_DEVICE, "warps_most", "1", o.max_warps},
	};

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (figures[i].value > 0 && result_add_metric(r, figures[i].from, figures[i].name,
							      figures[i].value, figures[i].unit, e))
			return e->status;
	return ASC_OK;
}
