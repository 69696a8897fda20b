#include "tuner/result/reproduction.h"

#include <math.h>
#include <string.h>

#include "tuner/base/names.h"
#include "tuner/result/confirmation.h"
#include "tuner/result/tie.h"

static const char *const names[] = {REPRODUCTION_LIST(NAME_OF)};
static const char *const causes[] = {REPRODUCTION_CAUSE_LIST(NAME_OF)};

const char *reproduction_name(enum reproduction_verdict v)
{
	return names[v];
}

const char *reproduction_cause_name(enum reproduction_cause c)
{
	return causes[c];
}

/* ---- the verdict ---- */

static bool is_apart(double low, double high, double near)
{
	return low > near || high < 1 / near;
}

/* Another time says nothing on a machine that was not steady, unless the recorded artifact had yet
 * another one in the same rounds. */
static enum reproduction_verdict find_verdict(const struct reproduction_claim *r,
					      const struct confirmation *c,
					      const struct reproduction *x)
{
	const bool tells =
		!c->unsteady || (x->beside && is_apart(x->built_low, x->built_high, r->near));

	if (confirmation_is_tied(x->low, x->high, r->margin))
		return REPRODUCTION_HOLDS;
	return tells && is_apart(x->low, x->high, r->near) ? REPRODUCTION_FAILS
							   : REPRODUCTION_UNDECIDED;
}

static enum reproduction_cause find_cause(const struct reproduction_claim *r,
					  const struct confirmation *c,
					  const struct reproduction *x)
{
	const struct confirmation_ratio beside = {x->built_ratio, x->built_low, x->built_high};

	if (x->verdict != REPRODUCTION_FAILS)
		return REPRODUCTION_BY_NONE;
	if (x->same_bytes) /* cannot be the code */
		return REPRODUCTION_BY_MACHINE;
	if (!x->beside)
		return REPRODUCTION_BY_OPEN;
	switch (confirmation_judge(c, &beside, r->margin, INFINITY)) {
	case CONFIRMATION_SLOWER:
	case CONFIRMATION_FASTER: return REPRODUCTION_BY_CODE;
	case CONFIRMATION_SAME: return REPRODUCTION_BY_MACHINE;
	default: return REPRODUCTION_BY_OPEN;
	}
}

struct reproduction reproduction_judge(const struct reproduction_claim *r,
				       const struct confirmation *c)
{
	const char *stored = c->digest[CONFIRMATION_BEFORE], *built = c->digest[CONFIRMATION_AFTER];
	double ratios[CONFIRMATION_MOST];
	struct reproduction out = {.verdict =
					   c->failed ? REPRODUCTION_FAILS : REPRODUCTION_UNDECIDED,
				   .same_bytes = *r->digest && strcmp(r->digest, built) == 0};

	if (c->failed || c->n == 0)
		return out;
	/* The recorded artifact beside the new build shows whether the machine has changed; the
	 * same bytes twice, or an artifact that is not the recorded one, show nothing. */
	out.beside = c->stored[CONFIRMATION_BEFORE] && strcmp(stored, built) != 0 &&
		     (!*r->digest || strcmp(r->digest, stored) == 0);
	/* Today's time against the recorded one, over all sessions: the widest interval, since each
	 * process lies elsewhere in memory. */
	out.low = INFINITY;
	for (size_t k = 0; k < c->n; k++) {
		const struct stats_summary *now = &c->sessions[k].time[CONFIRMATION_AFTER];
		struct stats_interval interval;

		ratios[k] = tie_ratio_of_medians(now, &r->time, &interval);
		out.low = fmin(out.low, interval.low);
		out.high = fmax(out.high, interval.high);
	}
	out.ns = confirmation_find_time(c, CONFIRMATION_AFTER);
	out.ratio = stats_select_median(ratios, c->n);
	if (out.beside) {
		const struct confirmation_ratio beside = confirmation_find_ratio(c);

		out.built_ratio = beside.ratio;
		out.built_low = beside.low;
		out.built_high = beside.high;
	}
	out.verdict = find_verdict(r, c, &out);
	out.cause = find_cause(r, c, &out);
	return out;
}
