/* Exit status of a gate, by verdicts and ratios.
 * covers: gate_measure.c */
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
	return tap_done();
}
