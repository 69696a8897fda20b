#include "reports/results/profile_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

/* ---- what is listed ---- */

static const struct {
	const char *name, *bytes, *rate, *peak, *hit;
	enum label label;
} levels[PROFILE_LEVELS] = {
	{"DRAM", "dram_bytes", "dram_rate", "peak_dram", "", LABEL_MEMORY},
	{"LLC", "llc_bytes", "llc_rate", "", "llc_hit_pct", LABEL_CACHE},
	{"L2", "l2_bytes", "l2_rate", "peak_l2", "l2_hit_pct", LABEL_CACHE},
	{"L1", "l1_bytes", "l1_rate", "peak_l1", "l1_hit_pct", LABEL_CACHE},
	{"shared", "shared_moved_bytes", "shared_rate", "peak_shared", "", LABEL_SHARED},
};

struct listed {
	const char *name, *reading;
	enum label label;
};

/* Units of a GPU, and what a processor's slots for instructions went to. */
static const struct listed units[] = {
	{"issue", "issue_pct", LABEL_COUNT},       {"tensor", "tensor_pct", LABEL_TENSOR},
	{"FMA", "fma_pct", LABEL_ARITHMETIC},      {"half", "half_pct", LABEL_ARITHMETIC},
	{"double", "fp64_pct", LABEL_ARITHMETIC},  {"integer", "alu_pct", LABEL_ARITHMETIC},
	{"special", "xu_pct", LABEL_ARITHMETIC},   {"load/store", "lsu_pct", LABEL_COUNT},
	{"retired", "retiring_pct", LABEL_COUNT},  {"backend", "backend_pct", LABEL_COUNT},
	{"frontend", "frontend_pct", LABEL_COUNT}, {"wasted", "wasted_pct", LABEL_COUNT},
	{"stalled", "stalled_pct", LABEL_COUNT},   {NULL, NULL, LABEL_COUNT}};

/* Rows of a CPU's launch. */
static const struct listed counts[] = {{"busy", "working_threads", LABEL_COUNT},
				       {"faults", "faults", LABEL_PAGING},
				       {"switches", "switches", LABEL_COUNT},
				       {"migrations", "migrations", LABEL_COUNT},
				       {"IPC", "ipc", LABEL_COUNT},
				       {NULL, NULL, LABEL_COUNT}};

/* ---- one profile ---- */

static void add_share(struct profile_shares *s, const char *name, size_t len, double value,
		      enum label label)
{
	struct profile_share *to = &s->list[s->n];

	for (size_t i = 0; i < s->n; i++) /* two probes may know a figure: the first one counts */
		if (strncmp(s->list[i].name, name, len) == 0 && !s->list[i].name[len])
			return;
	if (s->n == PROFILE_SHARES)
		return;
	*to = (struct profile_share){.value = value, .label = label};
	(void)snprintf(to->name, sizeof to->name, "%.*s", (int)len, name);
	s->n++;
}

static void add_listed(struct profile_shares *s, const struct listed *list, const struct profile *p)
{
	for (; list->name; list++) {
		const double value = profile_value(p, list->reading);

		if (isfinite(value))
			add_share(s, list->name, strlen(list->name), value, list->label);
	}
}

/* The larger first, equal ones by name: the same order in each output. */
static int compare_shares(const void *a, const void *b)
{
	const struct profile_share *x = a, *y = b;

	if (x->value > y->value || x->value < y->value)
		return x->value < y->value ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Names that begin as those of a list do, and are none of it: no reason to wait, no class of
 * instructions. */
static const char *const strangers[] = {
	"stall_selected_pct", "loop_instructions", "loop_spills",     "loop_chained",
	"loop_memory",        "loop_calls",        "loop_width_bits", NULL};

/* Adds readings whose names begin and end so, by the rest of their names, and sorts them. */
static void add_named(struct profile_shares *s, const struct profile *p, const char *begin,
		      const char *end)
{
	const size_t n_begin = strlen(begin), n_end = strlen(end);

	for (size_t i = 0; i < p->n_readings; i++) {
		const struct metric *m = &p->readings[i];
		const size_t n = strlen(m->name);

		if (m->call == 0 && n > n_begin + n_end && strncmp(m->name, begin, n_begin) == 0 &&
		    strcmp(m->name + n - n_end, end) == 0 && m->value > 0 && isfinite(m->value) &&
		    !str_is_in(m->name, strangers))
			add_share(s, m->name + n_begin, n - n_begin - n_end, m->value, LABEL_COUNT);
	}
	qsort(s->list, s->n, sizeof *s->list, compare_shares);
}

static void add_level(struct profile_view *v, const struct profile *p, size_t i)
{
	struct profile_level l = {.name = levels[i].name,
				  .label = levels[i].label,
				  .bytes = profile_value(p, levels[i].bytes),
				  .rate = profile_value(p, levels[i].rate),
				  .peak = profile_value(p, levels[i].peak),
				  .hit_pct = profile_value(p, levels[i].hit)};

	l.part = l.peak > 0 ? l.rate / l.peak : NAN;
	/* What nothing goes through, as shared memory of most kernels, has no row. */
	if (l.bytes > 0 || l.rate > 0 || l.hit_pct > 0)
		v->levels[v->n_levels++] = l;
}

/* The reading, or another figure where there is none. */
static double value_or(const struct profile *p, const char *name, double other)
{
	const double value = profile_value(p, name);

	return isfinite(value) ? value : other;
}

/* Adds what the problem needs, where nothing was counted: what goes through memory at least, and
 * the rate of arithmetic by the faster units of its type. Rates and peaks are those that rules go
 * by, without waiting for processors and of the processors that have a thread. */
static void add_needs(struct profile_view *v, const struct profile *p, double time_ns)
{
	const double bytes = profile_value(p, "need_bytes");
	const double rate = value_or(p, "need_rate", bytes / time_ns * 1e9);
	const double peak = value_or(p, "own_dram", profile_value(p, "peak_dram"));
	const double flops =
		value_or(p, "flop_rate", profile_value(p, "need_flops") / time_ns * 1e9);
	/* NaN is no maximum. */
	const double most = fmax(value_or(p, "own_peak", profile_value(p, "peak_flops")),
				 profile_value(p, "peak_tensor"));

	if (v->n_levels == 0 && rate > 0)
		v->levels[v->n_levels++] =
			(struct profile_level){.name = "memory",
					       .label = LABEL_MEMORY,
					       .bytes = bytes,
					       .rate = rate,
					       .peak = peak,
					       .part = peak > 0 ? rate / peak : NAN,
					       .hit_pct = NAN};
	if (v->units.n == 0 && flops / most > 0)
		add_share(&v->units, "FLOPs", sizeof "FLOPs" - 1, 100 * flops / most,
			  LABEL_ARITHMETIC);
}

/* ---- figures without a place of their own ---- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True for a reading that is given, or that another list or row has. */
static bool has_place(const struct metric *m)
{
	static const char *const given[] = {"launch", "kernel", "problem", "device", "code", NULL};
	/* Steps on the way to what is shown, and what rows say in words. */
	static const char *const steps[] = {
		"passes",    "launches",    "warps",       "warps_limit", "warps_pct",
		"uneven",    "sm_clock_hz", "issue_warps", "own_ns",      "need_rate",
		"flop_rate", "own_peak",    "own_dram",    "blocks_each", NULL};

	if (strcmp(m->name, "capturable") == 0) /* known by a try, in the profile alone */
		return false;
	if (str_is_in(m->probe, given) || str_is_in(m->name, steps) || begins(m->name, "stall_") ||
	    begins(m->name, "energy_"))
		return true;
	for (size_t i = 0; i < PROFILE_LEVELS; i++)
		if (strcmp(m->name, levels[i].bytes) == 0 || strcmp(m->name, levels[i].rate) == 0 ||
		    strcmp(m->name, levels[i].hit) == 0)
			return true;
	for (size_t i = 0; units[i].name; i++)
		if (strcmp(m->name, units[i].reading) == 0)
			return true;
	for (size_t i = 0; counts[i].name; i++)
		if (strcmp(m->name, counts[i].reading) == 0)
			return true;
	return false;
}

static void add_figure(struct profile_view *v, const struct metric *m)
{
	for (size_t i = 0; i < v->n_figures; i++) /* of two probes the first */
		if (strcmp(v->figures[i]->name, m->name) == 0)
			return;
	if (v->n_figures < PROFILE_FIGURES)
		v->figures[v->n_figures++] = m;
}

static void add_reason(struct profile_view *v, const struct metric *m)
{
	for (size_t i = 0; i < v->n_reasons; i++)
		if (strcmp(v->reasons[i].reason, m->reason) == 0) {
			v->reasons[i].n++;
			return;
		}
	if (v->n_reasons < PROFILE_REASONS)
		v->reasons[v->n_reasons++] = (struct profile_reason){m->reason, m->name, 1};
}

void profile_view_of(const struct profile *p, struct profile_view *out)
{
	const double time_ns = profile_value(p, "time_ns");

	*out = (struct profile_view){
		.warps = profile_value(p, "warps"),
		.most_warps = profile_value(p, "warps_limit"),
		.threads = profile_value(p, "threads"),
		.uneven = profile_value(p, "uneven"),
		.registers = profile_value(p, "code_registers"),
		.spills = profile_value(p, "code_spills"),
		.stack = profile_value(p, "code_stack"),
		.shared = profile_value(p, "code_shared_bytes"),
		.loop_instructions = profile_value(p, "loop_instructions"),
		.width_bits = profile_value(p, "loop_width_bits"),
		.energy_j = profile_value(p, "energy_j"),
		.low_j = profile_value(p, "energy_low_j"),
		.high_j = profile_value(p, "energy_high_j"),
		.above_idle_j = profile_value(p, "energy_above_idle_j"),
		.watts = profile_value(p, "energy_watts"),
		/* A profile with hot caches has nothing to compare. */
		.hot = profile_value(p, "hot_ns") == time_ns ? NAN
							     : time_ns / profile_value(p, "hot_ns"),
		.half = profile_value(p, "half_ns") / time_ns,
		.bytes_needed = profile_value(p, "dram_bytes") / profile_value(p, "need_bytes"),
		.disturbed = profile_value(p, "disturbed"),
		.kernels = 1};
	if (out->uneven < 1) /* of two counters that do not begin at one moment */
		out->uneven = 1;
	if (!isfinite(out->most_warps)) /* without counters */
		out->most_warps = profile_value(p, "warps_most");
	for (size_t i = 0; i < PROFILE_LEVELS; i++)
		add_level(out, p, i);
	add_listed(&out->units, units, p);
	add_needs(out, p, time_ns);
	add_listed(&out->counts, counts, p);
	add_named(&out->stalls, p, "stall_", "_pct");
	add_named(&out->loop, p, "loop_", "");
	for (size_t i = 0; i < p->n_readings; i++) {
		const struct metric *m = &p->readings[i];

		if (m->call > out->kernels)
			out->kernels = m->call;
		if (m->call != 0)
			continue;
		if (m->reason)
			add_reason(out, m);
		else if (isfinite(m->value) && !has_place(m))
			add_figure(out, m);
	}
}

void profile_add_sentence(const struct profile *p, struct buf *out)
{
	const char *separator = " (";
	struct profile_view v;

	buf_add_str(out, p->sentence ? p->sentence : label_meaning(p->label));
	if (p->sentence || p->label != LABEL_UNKNOWN)
		return;
	profile_view_of(p, &v);
	for (size_t i = 0; i < v.n_levels; i++)
		if (isfinite(v.levels[i].part)) {
			buf_print(out, "%s%s %.0f %%", separator, v.levels[i].name,
				  100 * v.levels[i].part);
			separator = ", ";
		}
	for (size_t i = 0; i < v.units.n; i++)
		if (v.units.list[i].value >= 0.5) {
			buf_print(out, "%s%s %.0f %%", separator, v.units.list[i].name,
				  v.units.list[i].value);
			separator = ", ";
		}
	buf_add_str(out, *separator == ',' ? ")" : "");
}

/* ---- two profiles ---- */

static const double EQUAL = 0.01; /* as the counts of equal launches differ */

/* A figure that explains a time changes by at least half of its factor, and at most by half more,
 * on the logarithmic scale: of several causes one may be most of it. */
static const double PART = 0.5;

/* Least of what is counted: fewer faults, switches and the like differ from launch to launch. */
static const double COUNTED = 100;

/* True for a figure that can be why a launch takes longer: an amount that the launch counted, or
 * spills in its loops. Rates, shares and times change whenever the time does, whatever the reason;
 * how long its code is tells nothing of what is run again and again. */
static bool can_explain(const struct profile_pair *p)
{
	const char *unit = p->of->unit;

	if (strcmp(p->of->probe, "code") == 0)
		return strcmp(p->of->name, "loop_spills") == 0;
	return strcmp(unit, "B") == 0 ||
	       (strcmp(unit, "1") == 0 && fmin(p->of->value, p->than->value) >= COUNTED);
}

/* True for a figure that is no finding: of the problem or the device, or a time. */
static bool is_given(const struct metric *m)
{
	return strcmp(m->probe, PROFILE_PROBLEM) == 0 || strcmp(m->probe, PROFILE_DEVICE) == 0 ||
	       strcmp(m->unit, "ns") == 0;
}

/* Distance between the figure's change and the time's, in parts of the time's. */
static double distance(const struct profile_pair *p, double ratio)
{
	return fabs(log(p->ratio) - log(ratio)) / fabs(log(ratio));
}

static int compare_pairs(const void *a, const void *b)
{
	const struct profile_pair *x = a, *y = b;

	if (x->explains != y->explains)
		return x->explains ? -1 : 1;
	if (x->away > y->away || x->away < y->away)
		return x->away > y->away ? 1 : -1;
	return strcmp(x->of->name, y->of->name);
}

size_t profile_compare(const struct profile *of, const struct profile *than, double ratio,
		       struct profile_pair *out, size_t room, size_t *n_equal)
{
	const bool apart = ratio > 0 && fabs(log(ratio)) > EQUAL;
	size_t n = 0;

	*n_equal = 0;
	for (size_t i = 0; i < of->n_readings && n < room; i++) {
		const struct metric *m = &of->readings[i];
		const struct metric *o = m->call == 0 ? profile_find(than, m->name) : NULL;

		/* A ratio to nothing says nothing; what both do not have is equal. */
		if (!o || !isfinite(m->value) || !isfinite(o->value) || is_given(m))
			continue;
		if (fabs(m->value - o->value) <= EQUAL * fabs(o->value)) {
			(*n_equal)++;
			continue;
		}
		struct profile_pair *p = &out[n++];

		*p = (struct profile_pair){m, o, m->value / o->value, INFINITY, false};
		if (!apart || !(p->ratio > 0) || !isfinite(p->ratio))
			continue;
		p->away = distance(p, ratio);
		p->explains = can_explain(p) && p->away <= PART;
	}
	if (n > 0)
		qsort(out, n, sizeof *out, compare_pairs);
	return n;
}
