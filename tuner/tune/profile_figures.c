#include "tuner/tune/profile_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/buf.h"
#include "tuner/build/builder.h"
#include "tuner/code/code_file.h"
#include "tuner/device/device.h"
#include "tuner/result/profile.h"
#include "tuner/result/roofline.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/occupancy.h"

/* ---- machine code ---- */

/* True for a figure of a launch's code that is the most of its kernels' and not their sum. */
static bool is_most(const char *name)
{
	static const char *const most[] = {"code_registers", "code_stack", "code_shared_bytes",
					   "loop_width_bits", NULL};

	return str_is_in(name, most);
}

/* The figure that every code has. */
static const char COUNTED[] = "code_instructions";

/* A reason without the artifact's path, which says nothing to people. */
static const char *without_path(const char *reason)
{
	const char *after = *reason == '/' ? strstr(reason, ": ") : NULL;

	return after ? after + 2 : reason;
}

/* Adds what the kernels' machine code says: of each of several, and of all. */
static enum asc_status add_code(const struct trial *t, struct result *r, struct asc_err *e)
{
	struct code_counts counts;
	struct code_figure figure;
	struct asc_err why = {.status = ASC_OK};

	for (size_t k = 0; k < t->n_calls; k++) {
		const struct kernel_build *b = &t->calls[k];
		const char *entry = *b->plan.entry
					    ? b->plan.entry
					    : callable_entry(b->source.call, b->source.device);

		/* A library's function has no file; of others nothing can be told. */
		if (!b->builder->command || !b->artifact.path ||
		    code_file_count(b->artifact.path, entry, &counts, &why))
			continue;
		for (size_t at = 0; code_counts_next(&counts, &at, &figure);) {
			struct metric m = {
				.probe = PROFILE_CODE, .unit = "1", .value = (double)figure.value};
			const size_t all =
				metrics_find(r->metrics, r->n_metrics, PROFILE_CODE, figure.name);

			(void)snprintf(m.name, sizeof m.name, "%s", figure.name);
			if (all < r->n_metrics)
				r->metrics[all].value =
					is_most(m.name) ? fmax(r->metrics[all].value, m.value)
							: r->metrics[all].value + m.value;
			else if (result_add_reading(r, &m, NULL, e))
				return e->status;
			m.call = (int)k + 1;
			if (t->n_calls > 1 && result_add_reading(r, &m, NULL, e))
				return e->status;
		}
	}
	if (why.status == ASC_OK ||
	    metrics_find(r->metrics, r->n_metrics, PROFILE_CODE, COUNTED) < r->n_metrics)
		return ASC_OK;
	return result_add_missing(r, PROFILE_CODE, COUNTED, "1", without_path(why.text), e);
}

/* ---- the grid ---- */

struct grid { /* of a launch; 0: not known */
	double kernels, blocks, block_threads, threads;
};

static struct grid find_grid(const struct trial *t)
{
	struct grid g = {.kernels = (double)t->n_calls};

	for (size_t i = 0; i < t->n_calls; i++) {
		/* A library's function has no plan of its own. */
		const struct plan *p = &t->calls[i].plan;
		const double block =
			(double)p->block[0] * (double)p->block[1] * (double)p->block[2];

		g.blocks += (double)p->grid[0] * (double)p->grid[1] * (double)p->grid[2];
		g.block_threads = fmax(g.block_threads, block);
		/* A GPU's plan has them in its blocks. */
		if (block == 1)
			g.threads = fmax(g.threads, (double)p->threads);
	}
	return g;
}

/* ---- all together ---- */

/* What the device tells of the kernels, by the metric's name; 0: nothing. */
static double value_of(const struct result *r, const char *name)
{
	const size_t i = metrics_find(r->metrics, r->n_metrics, RESULT_KERNEL, name);

	return i < r->n_metrics && !r->metrics[i].reason ? r->metrics[i].value : 0;
}

static double fact(const struct evaluator_target *t, enum fact id)
{
	return t->info->facts.known[id] ? (double)t->info->facts.value[id] : 0;
}

enum asc_status profile_figures_add(const struct evaluator_target *t, const struct trial *trial,
				    const struct loop_summary *sum, struct result *r,
				    struct asc_err *e)
{
	const struct peaks *p = &sum->peaks;
	const struct grid g = find_grid(trial);
	const int64_t threads = t->info->shares_host ? (int64_t)g.threads : 0;
	const double l3 = peaks_find(p, PEAK_MEMORY, PEAK_L3)->rate;
	struct occupancy o = {0};
	const double empty_ns = peaks_empty_ns(p, threads, fmax(g.kernels, 1), g.blocks);

	if (t->limits && t->limits->sm && g.block_threads > 0)
		o = occupancy_find(t->limits->sm, (int64_t)g.block_threads,
				   (int64_t)value_of(r, "registers"),
				   (int64_t)value_of(r, "shared_bytes"));
	const struct {
		const char *from, *name;
		double value; /* 0 or NaN: not known */
	} figures[] = {
		{RESULT_KERNEL, "kernels", g.kernels},
		{RESULT_KERNEL, "blocks", g.blocks},
		{RESULT_KERNEL, "block_threads", g.block_threads},
		{RESULT_KERNEL, "threads", g.threads},
		{PROFILE_PROBLEM, "need_bytes", sum->bytes},
		{PROFILE_PROBLEM, "need_flops", sum->flops},
		{PROFILE_DEVICE, "peak_dram", peaks_find(p, PEAK_MEMORY, "")->rate},
		{PROFILE_DEVICE, "peak_thread", peaks_find(p, PEAK_MEMORY, PEAK_THREAD)->rate},
		{PROFILE_DEVICE, "peak_l2",
		 l3 > 0 ? l3 : peaks_find(p, PEAK_MEMORY, PEAK_L2)->rate},
		{PROFILE_DEVICE, "peak_l1", peaks_find(p, PEAK_MEMORY, PEAK_L1)->rate},
		{PROFILE_DEVICE, "peak_shared", peaks_find(p, PEAK_MEMORY, PEAK_SHARED)->rate},
		{PROFILE_DEVICE, "peak_flops",
		 sum->has_element ? peaks_units(p, PEAK_PLAIN, sum->element) : 0},
		{PROFILE_DEVICE, "peak_tensor",
		 sum->has_element ? peaks_units(p, PEAK_TENSOR, sum->element) : 0},
		{PROFILE_DEVICE, "empty_ns", empty_ns},
		{PROFILE_DEVICE, "multiprocessors",
		 fact(t, t->info->shares_host ? FACT_THREADS : FACT_PROCESSORS)},
		{PROFILE_DEVICE, "cache_bytes", fact(t, FACT_LLC_BYTES)},
		{PROFILE_DEVICE, "blocks_at_once", o.blocks},
		{PROFILE_DEVICE, "warps_at_once", o.warps},
		{PROFILE_DEVICE, "warps_most", o.max_warps},
	};

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		if (figures[i].value > 0 &&
		    result_add_metric(r, figures[i].from, figures[i].name, figures[i].value,
				      figure_unit(figures[i].name), e))
			return e->status;
	return add_code(trial, r, e);
}
