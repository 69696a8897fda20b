/* Exit status of a gate, and the order of its kernels, by verdicts and ratios.
 * covers: gate_measure.c gate_weights.c */
#include "tests/tap.h"
#include "tuner/cmd/gate/gate.h"

static void check(const char *name, enum gate_verdict v, struct confirmation_ratio ratio,
		  enum exit_status wanted, enum exit_status strict)
{
	struct confirmation found = {.n = ratio.ratio > 0};
	struct gate_kernel list[] = {
		{.verdict = GATE_UNCHANGED},
		{.verdict = v, .found = &found, .ratio = ratio},
	};
	const struct gate g = {.threshold = 0.01, .list = list, .n = 2};

	tap_int(gate_exit_status(&g, false), wanted, "%s", name);
	tap_int(gate_exit_status(&g, true), strict, "%s, --strict", name);
}

static void check_order(void)
{
	struct gate_kernel list[] = {
		{.problem = "least", .verdict = GATE_SLOWER, .ratio = {1.1, 1.09, 1.11}},
		{.problem = "unchanged", .verdict = GATE_UNCHANGED},
		{.problem = "most", .verdict = GATE_SLOWER, .ratio = {1.3, 1.2, 1.4}},
		{.problem = "faster", .verdict = GATE_FASTER, .ratio = {0.9, 0.8, 0.95}},
		{.problem = "also unchanged", .verdict = GATE_UNCHANGED},
		{.problem = "broken", .verdict = GATE_BROKEN},
	};
	static const char *const wanted[] = {"broken", "most",      "least",
					     "faster", "unchanged", "also unchanged"};
	struct gate g = {.list = list, .n = sizeof list / sizeof *list};

	gate_sort(&g);
	for (size_t i = 0; i < g.n; i++)
		tap_str(g.list[i].problem, wanted[i], "the worst first: %s", wanted[i]);
}

int main(void)
{
	const struct gate none = {.threshold = 0.01};
	const struct confirmation_ratio unknown = {0};

	check("slower by more than is let through", GATE_SLOWER,
	      (struct confirmation_ratio){1.02, 1.008, 1.03}, EXIT_NEGATIVE, EXIT_NEGATIVE);
	check("slower by less", GATE_SLOWER, (struct confirmation_ratio){1.008, 1.006, 1.02},
	      EXIT_DONE, EXIT_DONE);
	check("undecided, perhaps slower by more", GATE_UNDECIDED,
	      (struct confirmation_ratio){1.008, 0.99, 1.02}, EXIT_DONE, EXIT_UNDECIDED);
	check("undecided, slower by less if at all", GATE_UNDECIDED,
	      (struct confirmation_ratio){1.001, 0.9, 1.009}, EXIT_DONE, EXIT_DONE);
	check("undecided, not measured", GATE_UNDECIDED, unknown, EXIT_DONE, EXIT_UNDECIDED);
	check("broken", GATE_BROKEN, unknown, EXIT_NEGATIVE, EXIT_NEGATIVE);
	check("faster", GATE_FASTER, (struct confirmation_ratio){0.9, 0.8, 0.95}, EXIT_DONE,
	      EXIT_DONE);
	tap_int(gate_exit_status(&none, false), EXIT_NOTHING, "no kernel");
	check_order();
	return tap_done();
}
