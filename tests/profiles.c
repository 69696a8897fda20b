#include "tests/profiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

/* 8192 rows of 8192 elements of two bytes, read and written once: 2^28 bytes. */
const struct profile_figure profile_softmax[] = {{"time_ns", "ns", 70000},
						 {"hot_ns", "ns", 68000},
						 {"half_ns", "ns", 77000},
						 {"need_bytes", "B", 268435456},
						 {"dram_bytes", "B", 268500000},
						 {"dram_rate", "B/s", 3.82e12},
						 {"peak_dram", "B/s", 4.06e12},
						 {"l2_bytes", "B", 271000000},
						 {"l2_rate", "B/s", 3.86e12},
						 {"peak_l2", "B/s", 7.42e12},
						 {"l2_hit_pct", "%", 1.2},
						 {"l1_bytes", "B", 268435456},
						 {"l1_rate", "B/s", 3.82e12},
						 {"peak_l1", "B/s", 2.25e13},
						 {"l1_hit_pct", "%", 0},
						 {"issue_pct", "%", 22.1},
						 {"fma_pct", "%", 9.4},
						 {"tensor_pct", "%", 0},
						 {"xu_pct", "%", 14},
						 {"warps", "1", 48},
						 {"warps_limit", "1", 64},
						 {"uneven", "1", 1.02},
						 {"issue_warps", "1", 11},
						 {"stall_long_scoreboard", "1", 7.1},
						 {"stall_long_scoreboard_pct", "%", 64.5},
						 {"stall_wait_pct", "%", 8.2},
						 {"stall_barrier_pct", "%", 7.3},
						 {"stall_lg_throttle_pct", "%", 1.8},
						 {"stall_no_instruction_pct", "%", 1.8},
						 {"stall_not_selected_pct", "%", 0.9},
						 {"stall_selected_pct", "%", 9.1},
						 {"code_registers", "1", 40},
						 {"code_spills", "1", 0},
						 {"loop_instructions", "1", 96},
						 {"loop_f32", "1", 48},
						 {"loop_special", "1", 16},
						 {"loop_global", "1", 8},
						 {"loop_integer", "1", 24},
						 {"energy_j", "J", 0.118},
						 {"energy_low_j", "J", 0.117},
						 {"energy_high_j", "J", 0.119},
						 {"energy_above_idle_j", "J", 0.083},
						 {"energy_watts", "W", 459},
						 {NULL, NULL, 0}};

void profile_add(struct profile *p, const char *probe, const char *name, const char *unit,
		 double value, int call, const char *reason)
{
	struct metric *list = realloc(p->readings, (p->n_readings + 1) * sizeof *list);

	if (!list)
		abort();
	p->readings = list;
	struct metric *m = &list[p->n_readings++];

	*m = (struct metric){.value = value, .call = call};
	(void)snprintf(m->probe, sizeof m->probe, "%s", probe);
	(void)snprintf(m->name, sizeof m->name, "%s", name);
	(void)snprintf(m->unit, sizeof m->unit, "%s", unit);
	m->reason = reason ? str_dup(reason) : NULL;
}

/* Figures that no probe counts have words in its place. */
static const char *probe_of(const char *name, const char *probe)
{
	static const struct {
		const char *begin, *probe;
	} others[] = {{"time_ns", "launch"}, {"hot_ns", "launch"}, {"cold_ns", "launch"},
		      {"half_ns", "launch"}, {"need_", "problem"}, {"peak_", "device"},
		      {"code_", "code"},     {"loop_", "code"},    {"threads", "kernel"},
		      {"energy_", "energy"}};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(name, others[i].begin, strlen(others[i].begin)) == 0)
			return others[i].probe;
	return probe;
}

void profile_fill(struct profile *p, const char *probe, const struct profile_figure *list)
{
	for (; list->name; list++)
		profile_add(p, probe_of(list->name, probe), list->name, list->unit, list->value, 0,
			    NULL);
}

void profile_make_softmax(struct profile *p)
{
	*p = (struct profile){.label = LABEL_MEMORY,
			      .basis = LABEL_BASIS_COUNTERS,
			      .sentence = str_dup("94 % of the 4.06 TB/s that this GPU moves"),
			      .left = 1.0632,
			      .set = "default",
			      .cache = "flushed",
			      .clock_mhz = 1980,
			      .passes = 7,
			      .launches = 21,
			      .spent_ns = 170000000};
	profile_fill(p, "cupti", profile_softmax);
}
