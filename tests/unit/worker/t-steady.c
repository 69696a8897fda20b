/* Marks of samples from readings that are written down here.
 * covers: launch.c */
#include "tuner/worker/launch.h"

#include "tests/tap.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/worker/policy.h"

static int64_t note(struct steady *s, int64_t mhz, int64_t interrupts, int64_t throttles)
{
	const struct device_state before = {.mhz = 3000, .interrupts = 10, .throttles = 5};
	const struct device_state after = {
		.mhz = mhz, .interrupts = interrupts, .throttles = throttles};

	return steady_note(s, &policy_default, &before, &after, 1000000);
}

static void test_pauses(void)
{
	struct steady s = {0};
	struct policy r = policy_default;

	tap_int(steady_pause(&s, &r, RESULT_MARK_LOAD | RESULT_MARK_CLOCK), 0,
		"only heat is waited for");
	tap_int(steady_pause(&s, &r, RESULT_MARK_HOT), 50000000, "50 ms");
	tap_int(steady_pause(&s, &r, RESULT_MARK_HOT), 75000000, "then half as long again");
	tap_int(steady_pause(&s, &r, 0), 0, "cool");
	tap_int(steady_pause(&s, &r, RESULT_MARK_HOT), 50000000, "from the start");
	for (int i = 0; i < 20; i++)
		(void)steady_pause(&s, &r, RESULT_MARK_HOT);
	tap_int(steady_pause(&s, &r, RESULT_MARK_HOT), 1000000000, "a second at most");
	for (int i = 0; i < 20; i++)
		(void)steady_pause(&s, &r, RESULT_MARK_HOT);
	tap_int(steady_pause(&s, &r, RESULT_MARK_HOT), 0, "all is used up");
	tap_int(s.paused_ns, POLICY_PAUSE_ALL_NS, "to the last");
	s = (struct steady){0};
	r.limit_ns = 100000000;
	tap_int(steady_pause(&s, &r, RESULT_MARK_HOT), 25000000,
		"never near the time limit of a launch");
}

int main(void)
{
	test_pauses();
	struct steady s = {0}, blind = {0};

	tap_int(note(&s, 3000, 10, 5), 3000 << RESULT_MHZ_SHIFT,
		"a steady machine: only its clock");
	tap_int(note(&s, 3000, 11, 5) & RESULT_MARKS, RESULT_MARK_LOAD, "another process ran");
	tap_int(note(&s, 3000, 10, 6) & RESULT_MARKS, RESULT_MARK_CLOCK | RESULT_MARK_HOT,
		"the clock was lowered to keep cool");
	tap_int(note(&s, 2701, 10, 5) & RESULT_MARKS, 0, "more than nine tenths of the highest");
	tap_int(note(&s, 2699, 10, 5) & RESULT_MARKS, RESULT_MARK_CLOCK, "less");
	tap_int(note(&s, 2699, 12, 5) & RESULT_MARKS, RESULT_MARK_CLOCK | RESULT_MARK_LOAD, "both");
	const struct device_state before = {.waited_ns = 500};
	struct device_state after = {.waited_ns = 10500};
	tap_int(steady_note(&blind, &policy_default, &before, &after, 1000000), 0,
		"a wait of 1 %%");
	after.waited_ns = 10501;
	tap_int(steady_note(&blind, &policy_default, &before, &after, 1000000), RESULT_MARK_LOAD,
		"a longer one");
	tap_int(note(&blind, 0, 10, 5), 0, "no clock to be read: nothing is known of it");
	const struct device_state capped = {.mhz = 1700, .power_capped = true};
	s.highest_mhz = 1980;
	const int64_t low = steady_note(&s, &policy_default, &capped, &capped, 1000000);
	tap_int(low & RESULT_MARKS, 0, "a clock that the limit of power keeps low is no mark");
	tap_ok(low & RESULT_POWER_CAPPED && result_note_mhz(low) == 1700, "but it is noted");
	return tap_done();
}
