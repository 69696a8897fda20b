#include "tuner/result/confirmation.h"

#include <math.h>

#include "tuner/base/buf.h"
#include "tuner/base/names.h"
#include "tuner/result/tie.h"

const char *confirmation_verdict_name(enum confirmation_verdict v)
{
	static const char *const names[] = {CONFIRMATION_VERDICT_LIST(NAME_OF)};

	return names[v];
}

/* True where the interval and the ratio of each session lie above 1 + margin; `slower` false: below
 * its inverse. */
static bool is_beyond(const struct confirmation *c, const struct confirmation_ratio *r, bool slower,
		      double margin)
{
	const double limit = slower ? 1 + margin : 1 / (1 + margin);
	bool beyond = slower ? r->low > limit : r->high < limit;

	for (size_t k = 0; k < c->n; k++)
		beyond &= slower ? c->sessions[k].ratio > limit : c->sessions[k].ratio < limit;
	return beyond;
}

enum confirmation_verdict confirmation_judge(const struct confirmation *c,
					     const struct confirmation_ratio *r, double margin,
					     double same)
{
	if (c->failed)
		return CONFIRMATION_BROKEN;
	if (c->n == 0)
		return CONFIRMATION_UNDECIDED;
	if (is_beyond(c, r, true, margin))
		return CONFIRMATION_SLOWER;
	if (is_beyond(c, r, false, margin))
		return CONFIRMATION_FASTER;
	const bool tied = confirmation_is_tied(r->low, r->high, margin) && r->low <= 1 + margin &&
			  r->high >= 1 / (1 + margin) && r->high < same && r->low > 1 / same;
	/* Slower, if not sure to be: more processes would tell. Whether it is faster nobody waits
	 * for.
	 */
	const bool open = isfinite(same) && r->ratio > 1 + margin;

	return tied && !open ? CONFIRMATION_SAME : CONFIRMATION_UNDECIDED;
}

struct confirmation_ratio confirmation_find_ratio(const struct confirmation *c)
{
	struct confirmation_ratio out = {.low = INFINITY};
	double ratios[CONFIRMATION_MOST];

	for (size_t k = 0; k < c->n; k++) {
		const struct confirmation_session *s = &c->sessions[k];

		/* The widest interval: sessions differ by more than the rounds of one. */
		ratios[k] = s->ratio;
		out.low = fmin(out.low, s->interval.low);
		out.high = fmax(out.high, s->interval.high);
	}
	out.ratio = stats_select_median(ratios, c->n);
	return out;
}

/* Mean of the logarithms of the sessions' ratios, and their deviation, which two have at least. */
struct scatter {
	double mean, deviation;
};

static struct scatter find_scatter(const struct confirmation *c)
{
	const double n = (double)c->n;
	struct scatter s = {0, 0};
	double squares = 0;

	for (size_t k = 0; k < c->n; k++)
		s.mean += log(c->sessions[k].ratio) / n;
	for (size_t k = 0; k < c->n; k++)
		squares += pow(log(c->sessions[k].ratio) - s.mean, 2);
	s.deviation = sqrt(squares / (n - 1));
	return s;
}

/* Half of the interval of the mean of `n` > 1 sessions that scatter so. */
static double half_of(double deviation, size_t n)
{
	/* Student's t by degrees of freedom, of any table: for 99 % on both sides up to three
	 * processes, then for 99.5 %, since each further one is another chance to be wrong. */
	static const double t[CONFIRMATION_MOST] = {INFINITY, 63.657, 9.925, 7.453, 5.598,
						    4.773,    4.317,  4.029, 3.833};

	return t[n - 1] * deviation / sqrt((double)n);
}

struct confirmation_ratio confirmation_find_all(const struct confirmation *c)
{
	const struct scatter s = find_scatter(c);
	const double half = c->n > 1 ? half_of(s.deviation, c->n) : INFINITY;
	struct confirmation_ratio out = c->rounds;

	out.low = fmin(out.low, exp(s.mean - half));
	out.high = fmax(out.high, exp(s.mean + half));
	return out;
}

bool confirmation_may_decide(const struct confirmation *c, double margin, double same)
{
	if (c->n < 2)
		return true;
	const struct scatter s = find_scatter(c);
	/* Sessions that are few may look farther apart than they are. */
	const double deviation = s.deviation * (double)(c->n - 1) / (double)c->n;
	const double half = half_of(deviation, CONFIRMATION_MOST);
	const double error = s.deviation / sqrt((double)c->n);
	/* The ratio may turn out as much nearer to 1, or farther off, as its error is. */
	const double moves[] = {-copysign(fmin(error, fabs(s.mean)), s.mean),
				copysign(error, s.mean)};
	bool may = false;

	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
		const struct confirmation_ratio r = {.ratio = c->rounds.ratio * exp(moves[i]),
						     .low = exp(s.mean + moves[i] - half),
						     .high = exp(s.mean + moves[i] + half)};

		may |= confirmation_judge(c, &r, margin, same) != CONFIRMATION_UNDECIDED;
	}
	return may;
}

double confirmation_find_time(const struct confirmation *c, enum confirmation_side side)
{
	double ns[CONFIRMATION_MOST];

	for (size_t k = 0; k < c->n; k++)
		ns[k] = c->sessions[k].time[side].median;
	return stats_select_median(ns, c->n);
}

bool confirmation_is_tied(double low, double high, double margin)
{
	const struct stats_interval ratio = {true, low, high}, inverse = {true, 1 / high, 1 / low};

	return standing_find(&ratio, true, margin) == STANDING_TIED ||
	       standing_find(&inverse, true, margin) == STANDING_TIED;
}

static void print_bound(double ratio, struct buf *out)
{
	const double times = ratio < 1 ? 1 / ratio : ratio;
	const char *word = ratio < 1 ? "faster" : "slower";

	if (times < 1.1) /* "1.0x" would say nothing */
		buf_print(out, "%.1f %% %s", 100 * (times - 1), word);
	else
		buf_print(out, "%.1fx %s", times, word);
}

void confirmation_print_range(const struct confirmation_ratio *r, struct buf *out)
{
	print_bound(r->high, out);
	buf_add_str(out, " and ");
	print_bound(r->low, out);
}
