#include "tuner/result/tie.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/names.h"
#include "tuner/result/result.h"

/* Bounds of an interval of ratios that is called a tie: below the first, another may be 5 % faster,
 * which users would want to know; the upper one is wider, since nobody minds that another may be
 * slower. */
static const double TIE_LOW = 0.95, TIE_HIGH = 1.10;

enum { MOST_NOISE_PCT = 1000 }; /* more is not told apart */

/* ---- words ---- */

#define RECORDED_NAME_OF(id, name, recorded) recorded,

static const char *const standing_names[] = {STANDING_LIST(NAME_OF_THREE)};
static const char *const standing_recorded_names[] = {STANDING_LIST(RECORDED_NAME_OF)};

const char *standing_name(enum standing s)
{
	return standing_names[s];
}

const char *standing_recorded_name(enum standing s)
{
	return standing_recorded_names[s];
}

enum standing standing_parse(const char *name)
{
	const size_t n = sizeof standing_recorded_names / sizeof *standing_recorded_names;
	size_t value = STANDING_UNDECIDED; /* "undecided", the only name that is not recorded so */

	(void)name_find(standing_recorded_names, n, name, &value);
	return (enum standing)value;
}

const char *standing_print(enum standing s, bool shown, int64_t rounds,
			   char text[STANDING_TEXT_SIZE])
{
	if (s == STANDING_SLOWER && !shown && rounds > 0)
		snprintf(text, STANDING_TEXT_SIZE, "%s, left after %lld rounds", standing_name(s),
			 (long long)rounds);
	else
		snprintf(text, STANDING_TEXT_SIZE, "%s", standing_name(s));
	return text;
}

bool standing_may_lead(enum standing s, bool chosen)
{
	return chosen || s != STANDING_SLOWER;
}

static const char *const sure_names[] = {SURE_LIST(NAME_OF_THREE)};
static const char *const sure_recorded_names[] = {SURE_LIST(RECORDED_NAME_OF)};

const char *sure_name(enum sure s)
{
	return sure_names[s];
}

const char *sure_recorded_name(enum sure s)
{
	return sure_recorded_names[s];
}

enum sure sure_parse(const char *name)
{
	const size_t n = sizeof sure_names / sizeof *sure_names;
	size_t value = SURE_UNKNOWN;

	if (!name_find(sure_recorded_names, n, name, &value))
		name_find(sure_names, n, name, &value);
	return (enum sure)value;
}

const char *sure_print_noise(const struct sureness *s, char text[SURE_TEXT_SIZE])
{
	*text = '\0';
	if (s->sure == SURE_UNDECIDED && s->noise_pct >= MOST_NOISE_PCT)
		snprintf(text, SURE_TEXT_SIZE, "ratios over ±%d %%", MOST_NOISE_PCT);
	else if (s->sure == SURE_UNDECIDED && s->noise_pct > 0)
		snprintf(text, SURE_TEXT_SIZE, "ratios ±%.*f %%", s->noise_pct < 9.5, s->noise_pct);
	return text;
}

const char *sure_print_short(const struct sureness *s, char text[SURE_TEXT_SIZE])
{
	if (s->sure == SURE_TIE)
		snprintf(text, SURE_TEXT_SIZE, "%s of %zu", sure_name(s->sure), s->ties);
	else
		snprintf(text, SURE_TEXT_SIZE, "%s",
			 s->sure == SURE_UNKNOWN ? "not compared" : sure_name(s->sure));
	return text;
}

const char *sure_print(const struct sureness *s, char text[SURE_TEXT_SIZE])
{
	char noise[SURE_TEXT_SIZE];

	sure_print_short(s, text);
	if (*sure_print_noise(s, noise))
		snprintf(text, SURE_TEXT_SIZE, "%s (%.24s)", sure_name(s->sure), noise);
	return text;
}

/* ---- ratios ---- */

static double divide(int64_t a, int64_t b)
{
	/* A clock that stood still gives 0 ns: as long as it can tell. */
	return (double)a / (double)(b > 0 ? b : 1);
}

enum asc_status tie_ratio(const int64_t *a, const int64_t *b, size_t n, double *ratio,
			  struct stats_interval *interval, struct asc_err *e)
{
	double *ratios = malloc(n * sizeof *ratios);

	if (!ratios)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		ratios[i] = divide(a[i], b[i]);
	*ratio = stats_median(ratios, n, interval);
	free(ratios);
	return ASC_OK;
}

struct stats_interval tie_interval(const struct stats_summary *t)
{
	const double beyond = t->max - t->min + t->median / (4 * (double)t->n);

	if (t->interval.known)
		return t->interval;
	/* The median of few samples may lie beyond their range: by as much again, and further the
	 * fewer they are. */
	return (struct stats_interval){true, fmax(t->min - beyond, t->min / 4), t->max + beyond};
}

double tie_ratio_of_medians(const struct stats_summary *a, const struct stats_summary *b,
			    struct stats_interval *interval)
{
	const struct stats_interval its = tie_interval(a), other = tie_interval(b);

	*interval = (struct stats_interval){true, its.low / fmax(other.high, 1),
					    its.high / fmax(other.low, 1)};
	return a->median / b->median;
}

enum standing standing_find(const struct stats_interval *ratio, bool whole, double margin)
{
	/* A finalist that left the rounds early was shown slower by the sign test then. */
	if (!whole || ratio->low > 1 + margin)
		return STANDING_SLOWER;
	return ratio->low >= TIE_LOW && ratio->high <= TIE_HIGH ? STANDING_TIED
								: STANDING_UNDECIDED;
}

/* Number of clean samples among the first `rounds`. */
static size_t count_clean(const struct finalist *f, size_t rounds)
{
	size_t clean = 0;

	for (size_t i = 0; i < rounds; i++)
		clean += result_is_clean(f->notes, i);
	return clean;
}

/* True when more than a fifth of the samples of one is marked, and enough of both are clean. */
static bool is_disturbed(const struct finalist *a, const struct finalist *b, size_t rounds)
{
	size_t x = count_clean(a, rounds), y = count_clean(b, rounds);

	return 5 * (x < y ? x : y) < 4 * rounds && x >= TIE_LEAST_CLEAN && y >= TIE_LEAST_CLEAN;
}

/* Writes the ratios of all rounds, or of those in which both samples are clean; returns their
 * number. */
static size_t list_ratios(const struct finalist *a, const struct finalist *b, size_t rounds,
			  bool clean, double *ratios)
{
	size_t n = 0;

	for (size_t i = 0; i < rounds; i++)
		if (!clean || (result_is_clean(a->notes, i) && result_is_clean(b->notes, i)))
			ratios[n++] = divide(a->samples[i], b->samples[i]);
	return n;
}

/* Median ratio round by round, over the rounds by which a finalist leaves, too; `ratios` has room
 * for all rounds. */
static double find_ratio(const struct finalist *a, const struct finalist *b, size_t rounds,
			 double *ratios, struct stats_interval *interval)
{
	size_t n = list_ratios(a, b, rounds, true, ratios);

	if (n < TIE_LEAST_CLEAN)
		n = list_ratios(a, b, rounds, false, ratios);
	return stats_median(ratios, n, interval);
}

/* Samples of each side that are paired with every other at most: more would take a square of memory
 * and hardly narrow the interval. */
enum { MOST_PAIRED = 1000 };

/* Writes at most MOST_PAIRED of the clean samples, evenly spread over them; returns their number.
 */
static size_t list_clean(const struct finalist *f, size_t rounds, int64_t *out)
{
	const size_t clean = count_clean(f, rounds);
	const size_t most = clean < MOST_PAIRED ? clean : MOST_PAIRED;
	size_t seen = 0, n = 0;

	for (size_t i = 0; i < rounds && n < most; i++)
		if (result_is_clean(f->notes, i) && seen++ * most >= n * clean)
			out[n++] = f->samples[i];
	return n;
}

/* Ratios of every clean sample to every other; `ratios` has room for MOST_PAIRED squared. */
static double find_clean_ratio(const struct finalist *a, const struct finalist *b, size_t rounds,
			       double *ratios, struct stats_interval *interval)
{
	int64_t its[MOST_PAIRED], other[MOST_PAIRED];
	const size_t n_its = list_clean(a, rounds, its), n_other = list_clean(b, rounds, other);
	const double x = (double)n_its, y = (double)n_other;
	size_t n = 0;

	for (size_t i = 0; i < n_its; i++)
		for (size_t k = 0; k < n_other; k++)
			ratios[n++] = divide(its[i], other[k]);
	double ratio = stats_median(ratios, n, interval);
	/* 1.96: the quantile of the normal distribution that leaves 2.5 % on either side. */
	size_t rank = (size_t)fmax(1, x * y / 2 - 1.96 * sqrt(x * y * (x + y + 1) / 12));

	*interval = (struct stats_interval){true, ratios[rank - 1], ratios[n - rank]};
	return ratio;
}

/* Compares every finalist with `to`, over the rounds of both. */
static void compare(struct finalist *list, size_t n, const struct finalist *to, double margin,
		    double *ratios)
{
	for (size_t i = 0; i < n; i++) {
		struct finalist *f = &list[i];
		size_t rounds = f->rounds < to->rounds ? f->rounds : to->rounds;

		if (f == to || !is_disturbed(f, to, rounds))
			f->ratio = find_ratio(f, to, rounds, ratios, &f->interval);
		else
			f->ratio = find_clean_ratio(f, to, rounds, ratios, &f->interval);
		f->standing =
			f == to ? STANDING_TIED
				: standing_find(&f->interval, f->rounds >= to->rounds, margin);
	}
}

/* ---- choosing ---- */

/* True when `a` is to lead rather than `b`. More rounds come first: the others left as slower. */
static bool leads(const struct finalist *a, const struct finalist *b)
{
	if (a->rounds != b->rounds)
		return a->rounds > b->rounds;
	return a->time.median < b->time.median;
}

/* Metrics of a kernel that say what it occupies, and what of a finalist they are. */
static const struct {
	const char *metric;
	bool of_thread; /* times the threads of a block */
	size_t offset;
} deciding[] = {{"registers", true, offsetof(struct finalist, threads)},
		{"shared_bytes", false, offsetof(struct finalist, memory_bytes)}};

void tie_apply_facts(struct finalist *f, const struct result *r, double block_threads)
{
	for (size_t k = 0; k < sizeof deciding / sizeof *deciding; k++) {
		const size_t i =
			metrics_find(r->metrics, r->n_metrics, RESULT_KERNEL, deciding[k].metric);

		if (i == r->n_metrics)
			continue;
		double value = r->metrics[i].value * (deciding[k].of_thread ? block_threads : 1);
		memcpy((char *)f + deciding[k].offset, &value, sizeof value);
	}
}

/* True when `a` is to be chosen of two that are as good. The best on record comes first, so that
 * answers stay what they are from run to run; then what leaves more of the device to others. */
static bool is_preferred(const struct finalist *a, const struct finalist *b)
{
	if (a->recorded != b->recorded)
		return a->recorded;
	if (a->threads != b->threads)
		return a->threads < b->threads;
	if (a->memory_bytes != b->memory_bytes)
		return a->memory_bytes < b->memory_bytes;
	return strcmp(a->key, b->key) < 0;
}

static struct finalist *choose(struct finalist *list, size_t n, const struct finalist *leader,
			       double margin)
{
	struct finalist *chosen = NULL;

	for (size_t i = 0; i < n; i++) {
		struct finalist *f = &list[i];
		bool as_good = f->standing == STANDING_TIED && f->ratio <= 1 + margin &&
			       f->time.median <= (1 + margin) * leader->time.median;

		if (as_good && (!chosen || is_preferred(f, chosen)))
			chosen = f;
	}
	return chosen; /* the leader at least is tied with itself */
}

/* The finalist that is faster than the leader by more than the margin, in its rounds; the fastest
 * of several. NULL where none is. */
static struct finalist *find_faster(struct finalist *list, size_t n, const struct finalist *leader,
				    double margin)
{
	struct finalist *faster = NULL;

	for (size_t i = 0; i < n; i++)
		if (list[i].rounds >= leader->rounds && list[i].interval.high < 1 / (1 + margin) &&
		    (!faster || list[i].ratio < faster->ratio))
			faster = &list[i];
	return faster;
}

/* The order: the leader is found by medians alone; all are compared with it; while one is faster in
 * its rounds, that one leads (on a busy machine a median may be of other moments); of those that
 * are as good one is chosen; and all are compared again where that is another one, since their
 * ratios are those to the answer. */
enum asc_status tie_find(struct finalist *list, size_t n, double margin, struct asc_err *e)
{
	struct finalist *leader = list;
	size_t rounds = 0;

	for (size_t i = 0; i < n; i++)
		rounds = list[i].rounds > rounds ? list[i].rounds : rounds;
	int64_t *sorted = malloc((rounds + 1) * sizeof *sorted);
	const size_t paired = rounds < MOST_PAIRED ? rounds : MOST_PAIRED;
	/* Room for the ratios of all rounds, and of every paired sample to every other. */
	double *ratios = malloc((rounds + paired * paired + 1) * sizeof *ratios);

	if (!sorted || !ratios) {
		free(sorted);
		free(ratios);
		return asc_err_nomem(e);
	}
	for (size_t i = 0; i < n; i++) {
		struct finalist *f = &list[i];
		const bool all = count_clean(f, f->rounds) < TIE_LEAST_CLEAN;
		size_t count =
			result_copy_clean(f->samples, all ? NULL : f->notes, f->rounds, sorted);

		stats_summarize(sorted, count, &f->time);
		f->chosen = false;
		leader = leads(f, leader) ? f : leader;
	}
	compare(list, n, leader, margin, ratios);
	for (size_t turn = 1; turn < n; turn++) { /* each leads once at most */
		struct finalist *faster = find_faster(list, n, leader, margin);

		if (!faster)
			break;
		leader = faster;
		compare(list, n, leader, margin, ratios);
	}
	struct finalist *chosen = choose(list, n, leader, margin);

	chosen->chosen = true;
	if (chosen != leader)
		compare(list, n, chosen, margin, ratios);
	/* A finalist that left the rounds because of another one was not compared with the chosen
	 * one for long enough to be shown slower: its interval says nothing. */
	for (size_t i = 0; i < n; i++)
		if (list[i].standing == STANDING_SLOWER && list[i].interval.low <= 1)
			list[i].interval = (struct stats_interval){false, NAN, NAN};
	free(sorted);
	free(ratios);
	return ASC_OK;
}

/* ---- how sure ---- */

enum asc_status sure_find(const struct finalist *list, size_t n, const struct finalist *chosen,
			  double margin, struct sureness *out, struct asc_err *e)
{
	double *widths = malloc((n + 1) * sizeof *widths);
	struct stats_interval unused;
	size_t others = 0;
	bool undecided = false, beaten = false;

	if (!widths)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		const struct finalist *f = &list[i];

		if (f == chosen || f->standing == STANDING_SLOWER)
			continue;
		widths[others++] = /* half, in percent */
			50 * (f->interval.high - f->interval.low);
		undecided |= f->standing == STANDING_UNDECIDED && f->interval.low < TIE_LOW;
		/* Nobody wants an answer that its own default beats. */
		beaten |= f->is_default && f->implementation == chosen->implementation &&
			  f->interval.high < 1 / (1 + margin);
	}
	out->sure = n < 2        ? SURE_UNKNOWN
		    : beaten     ? SURE_UNUSABLE
		    : undecided  ? SURE_UNDECIDED
		    : others > 0 ? SURE_TIE
				 : SURE_CLEAR;
	out->ties = others + 1;
	out->noise_pct = others ? stats_median(widths, others, &unused) : 0;
	free(widths);
	return ASC_OK;
}
