#include "tuner/tune/search/patience.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/base/value.h"
#include "tuner/tune/search/encoding.h"

/* FEWEST: results before which nothing is expected. MOST_LOWEST: lowest scores that are kept.
 * FEWEST_TAIL: lowest scores that a tail has beside the best. */
enum { FEWEST = 50, MOST_LOWEST = 4096, FEWEST_TAIL = 5 };

static const double TAIL = 0.1;    /* part of the results that are its tail */
static const double NOISE = 0.005; /* a lower time by less is no gain, but measuring's scatter */
static const double LN_2 = 0.6931471805599453;

bool patience_is_wanted(const struct patience_wanted *w)
{
	return w->part > 0 || w->trials > 0;
}

bool patience_parse(const char *text, struct patience_wanted *out)
{
	const size_t n = strlen(text);
	struct value v;

	*out = (struct patience_wanted){0};
	if (n < 2 || text[n - 1] != '%')
		return units_parse_count(text, &out->trials);
	if (!value_parse(text, n - 1, &v))
		return false;
	out->part = value_as_real(v) / 100;
	return out->part > 0 && out->part < 1;
}

void patience_print(const struct patience_wanted *w, struct buf *out)
{
	if (w->part > 0)
		buf_print(out, "%g%%", 100 * w->part);
	else
		buf_print(out, "%llu", (unsigned long long)w->trials);
}

void patience_fini(struct patience *p)
{
	free(p->best);
	free(p->lowest);
	*p = (struct patience){.wanted = p->wanted};
}

static void keep_lowest(struct patience *p, float log)
{
	size_t at = p->n_lowest < MOST_LOWEST ? p->n_lowest++ : MOST_LOWEST;

	for (; at > 0 && p->lowest[at - 1] > log; at--)
		if (at < MOST_LOWEST)
			p->lowest[at] = p->lowest[at - 1];
	if (at < MOST_LOWEST)
		p->lowest[at] = log;
}

enum asc_status patience_add(struct patience *p, double score, struct asc_err *e)
{
	const bool passed = score > 0 && !isinf(score);
	const float before = p->n > 0 ? p->best[p->n - 1] : INFINITY;
	const float log = passed ? (float)encoding_log2(score) : INFINITY;

	if (!patience_is_wanted(&p->wanted))
		return ASC_OK;
	if (!array_room(&p->best, p->n, &p->room, sizeof *p->best) ||
	    !array_room(&p->lowest, p->n_lowest, &p->lowest_room, sizeof *p->lowest))
		return asc_err_nomem(e);
	p->best[p->n++] = log < before ? log : before;
	if (!passed)
		return ASC_OK;
	p->passed++;
	p->passed_at = p->n;
	keep_lowest(p, log);
	/* Gains add up from the last one that counted, so that many small ones are one. */
	if (p->gained_at == 0 || log < p->since_best - (float)encoding_log2(1 + NOISE)) {
		p->since_best = log;
		p->gained_at = p->n;
	}
	return ASC_OK;
}

/* Mean of the tail above the best score, in logarithms: of times whose tail is exponential, what
 * the best of e times as many draws is expected to gain. */
static double find_tail(const struct patience *p)
{
	const size_t part = (size_t)(TAIL * (double)p->passed);
	const size_t wanted = part > FEWEST_TAIL ? part : FEWEST_TAIL;
	const size_t n = wanted < p->n_lowest ? wanted : p->n_lowest - 1;
	double sum = 0;

	for (size_t i = 1; i <= n; i++)
		sum += p->lowest[i] - p->lowest[0];
	return sum / (double)n;
}

/* Logarithm of the expected gain. */
static double expect_log(const struct patience *p, double ratio)
{
	/* Without a result that passed in the first quarter, two doublings ago, nothing says what
	 * doublings gain. */
	if (p->n < FEWEST || p->n_lowest <= FEWEST_TAIL || isinf(p->best[p->n / 4]))
		return INFINITY;
	const double doublings = ratio > 1 ? encoding_log2(ratio) : 0;
	const double each = (p->best[p->n / 4] - p->best[p->n - 1]) / 2;
	const double tail = find_tail(p) * LN_2;

	return doublings * (each > tail ? each : tail);
}

double patience_expect(const struct patience *p, double ratio)
{
	const double log = expect_log(p, ratio);

	return isinf(log) ? INFINITY : 1 - exp2(-log);
}

/* True when the wanted part of the next results is not expected to pass, by the number of failures
 * since the last pass. */
static bool is_failing(const struct patience *p)
{
	const double failed = (double)(p->n - p->passed_at);

	return failed >= FEWEST && failed * p->wanted.part >= 1;
}

static bool is_over(const struct patience *p, double ratio, double told)
{
	const struct patience_wanted *w = &p->wanted;

	if (w->trials > 0)
		return p->n - p->gained_at >= w->trials;
	if (w->part == 0)
		return false;
	const double log = expect_log(p, ratio);

	return isinf(log) ? is_failing(p) : fmax(log, told) < -encoding_log2(1 - w->part);
}

bool patience_check(struct patience *p, double ratio, double told)
{
	if (p->over)
		return true;
	/* Once over it stays so: results that still come in must not begin the search again. */
	p->over = is_over(p, ratio, told);
	if (p->over)
		p->expected = patience_expect(p, ratio);
	if (p->over && p->wanted.part > 0)
		p->expected = fmax(p->expected, 1 - exp2(-told));
	return p->over;
}
