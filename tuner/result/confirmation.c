#include "tuner/result/confirmation.h"

#include <math.h>

#include "tuner/result/tie.h"

struct confirmation_ratio confirmation_find_ratio(const struct confirmation *c)
{
	struct confirmation_ratio out = {.low = INFINITY};
	double ratios[CONFIRMATION_SESSIONS];

	for (size_t k = 0; k < c->n; k++) {
		const struct confirmation_session *s = &c->sessions[k];

		ratios[k] = s->ratio;
		out.low = fmin(out.low, s->interval.low);
		out.high = fmax(out.high, s->interval.high);
	}
	out.ratio = stats_select_median(ratios, c->n);
	return out;
}

bool confirmation_is_tied(double low, double high, double margin)
{
	const struct stats_interval ratio = {true, low, high}, inverse = {true, 1 / high, 1 / low};

	return standing_find(&ratio, true, margin) == STANDING_TIED ||
	       standing_find(&inverse, true, margin) == STANDING_TIED;
}
