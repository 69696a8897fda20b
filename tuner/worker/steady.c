#include "tuner/worker/steady.h"

#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/worker/policy.h"

int64_t steady_note(struct steady *s, const struct policy *r, const struct device_state *before,
		    const struct device_state *after, int64_t ns)
{
	double waited = (double)(after->waited_ns - before->waited_ns);
	int64_t marks = 0;

	if (after->mhz > s->highest_mhz)
		s->highest_mhz = after->mhz;
	if (after->interrupts > before->interrupts || waited > r->noise.wait * (double)ns)
		marks |= RESULT_MARK_LOAD;
	if (after->throttles > before->throttles)
		marks |= RESULT_MARK_CLOCK | RESULT_MARK_HOT;
	if (after->mhz > 0 && !after->power_capped &&
	    (double)after->mhz < r->noise.clock * (double)s->highest_mhz)
		marks |= RESULT_MARK_CLOCK;
	if (after->power_capped)
		marks |= RESULT_POWER_CAPPED;
	return marks | (after->mhz & RESULT_MHZ_MASK) << RESULT_MHZ_SHIFT;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Pause after a sample, never so long that the coordinator takes the silence for a launch that
 * hangs. */
int64_t steady_pause(struct steady *s, const struct policy *r, int64_t note)
{
	const int64_t most = least(r->noise.pause_most_ns, r->limit_ns / 4);

	if (!(note & RESULT_MARK_HOT)) {
		s->pause_ns = 0;
		return 0;
	}
	s->pause_ns = s->pause_ns > 0 ? s->pause_ns + s->pause_ns / 2 : r->noise.pause_ns;
	s->pause_ns = least(s->pause_ns, most);
	const int64_t pause = least(s->pause_ns, POLICY_PAUSE_ALL_NS - s->paused_ns);

	s->paused_ns += pause > 0 ? pause : 0;
	return pause > 0 ? pause : 0;
}
