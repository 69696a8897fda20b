#include "tuner/cmd/terminal/live_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/columns.h"
#include "tuner/base/units.h"
#include "tuner/cmd/terminal/canvas.h"

enum { BAR_CELLS = 20, LEAST_TITLE = 8, GAP = 2, PIECE_SIZE = 128 };

/* ---- arithmetic ---- */

double live_rate(const struct live_facts *f)
{
	return f->elapsed_ns > 0 ? 1e9 * (double)f->fresh / (double)f->elapsed_ns : 0;
}

int64_t live_left_ns(const struct live_facts *f)
{
	const double rate = live_rate(f);
	double trials = -1, time = -1, left; /* -1: not known */

	if (f->planned && f->planned <= f->trials)
		trials = 0;
	else if (f->planned && rate > 0)
		trials = 1e9 * (double)(f->planned - f->trials) / rate;
	if (f->budget_ns > 0)
		time = f->budget_ns > f->elapsed_ns ? (double)(f->budget_ns - f->elapsed_ns) : 0;
	/* Whichever ends first. */
	left = trials < 0 || (time >= 0 && time < trials) ? time : trials;
	return left < 0x1p62 ? (int64_t)left : -1;
}

double live_part_done(const struct live_facts *f)
{
	double trials = f->planned ? (double)f->trials / (double)f->planned : -1;
	double time = f->budget_ns > 0 ? (double)f->elapsed_ns / (double)f->budget_ns : -1;
	double done = trials > time ? trials : time;

	return done < 1 ? done : 1;
}

/* ---- failures ---- */

uint64_t live_failed(const struct live_facts *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < RESULT_STATUS_COUNT; i++)
		if (result_status_failed((enum result_status)i))
			n += f->by_status[i];
	return n;
}

void live_print_failures(const struct live_facts *f, struct buf *out)
{
	const char *separator = "";

	for (size_t i = 0; i < RESULT_STATUS_COUNT; i++) {
		if (!result_status_failed((enum result_status)i) || f->by_status[i] == 0)
			continue;
		buf_print(out, "%s%llu %s", separator, (unsigned long long)f->by_status[i],
			  result_status_name((enum result_status)i));
		separator = ", ";
	}
}

/* ---- the line of progress ---- */

/* Pieces of the line, in order. */
enum piece {
	PIECE_PHASE,
	PIECE_RETAKES,
	PIECE_BAR,
	PIECE_COUNT,
	PIECE_BUDGET,
	PIECE_RATE,
	PIECE_LEFT,
	PIECE_AGE,
	PIECES
};

/* The first goes first when there is not enough room: for the whole title, or, when it is worth
 * more than that, for the beginning of one. */
static const enum piece dropped[] = {PIECE_BUDGET, PIECE_RATE, PIECE_BAR, PIECE_RETAKES,
				     PIECE_PHASE,  PIECE_AGE,  PIECE_LEFT};

static bool is_precious(const struct live_facts *f, enum piece piece)
{
	return piece == PIECE_AGE || piece == PIECE_LEFT || piece == PIECE_RETAKES ||
	       (piece == PIECE_PHASE && f->ending);
}

struct progress {
	char text[PIECES][PIECE_SIZE]; /* "": not there */
};

static void append(char text[PIECE_SIZE], const char *more)
{
	size_t n = strlen(text);

	(void)snprintf(text + n, PIECE_SIZE - n, "%s", more);
}

static void print_bar(const struct live_facts *f, bool utf8, char text[PIECE_SIZE])
{
	double done = f->ending ? f->ending_part : live_part_done(f);

	if (done < 0)
		return;
	append(text, "[");
	for (int i = 0; i < BAR_CELLS; i++)
		if (i < (int)(done * BAR_CELLS))
			append(text, utf8 ? "█" : "#");
		else
			append(text, utf8 ? "░" : ".");
	append(text, "]");
}

const char *live_print_age(int64_t ns, char text[UNITS_TEXT_SIZE])
{
	const int64_t second = INT64_C(1000000000);

	if (ns < second)
		return "<1 s"; /* a fraction would change at every drawing */
	return units_print_duration((double)(ns - ns % second), text);
}

static void print_pieces(const struct live_facts *f, bool utf8, struct progress *p)
{
	/* The finals make no trials: their rate would fall, their rest would grow. */
	double rate = f->over ? 0 : live_rate(f);
	int64_t left = f->over ? -1 : live_left_ns(f);
	char time[UNITS_TEXT_SIZE];

	*p = (struct progress){0};
	if (f->phase)
		(void)snprintf(p->text[PIECE_PHASE], PIECE_SIZE, "%s", f->phase);
	if (f->retakes > 0)
		(void)snprintf(p->text[PIECE_RETAKES], PIECE_SIZE, "%" PRId64 " disturbed",
			       f->retakes);
	print_bar(f, utf8, p->text[PIECE_BAR]);
	if (!f->ending && f->planned)
		(void)snprintf(p->text[PIECE_COUNT], PIECE_SIZE, "%llu/%llu",
			       (unsigned long long)f->trials, (unsigned long long)f->planned);
	else if (!f->ending)
		(void)snprintf(p->text[PIECE_COUNT], PIECE_SIZE, "%llu trial%s",
			       (unsigned long long)f->trials, f->trials == 1 ? "" : "s");
	if (f->budget)
		(void)snprintf(p->text[PIECE_BUDGET], PIECE_SIZE, "budget %s", f->budget);
	if (rate > 0)
		(void)snprintf(p->text[PIECE_RATE], PIECE_SIZE, "%.3g/s", rate);
	if (left >= 0)
		(void)snprintf(p->text[PIECE_LEFT], PIECE_SIZE, "%s left",
			       live_print_age(left, time));
	if (f->over && f->ending && f->ending_left_ns > 0)
		(void)snprintf(p->text[PIECE_LEFT], PIECE_SIZE, "about %s left",
			       live_print_age(f->ending_left_ns, time));
	else if ((f->over && f->ending) || (left < 0 && !f->over && f->age_ns < 0))
		(void)snprintf(p->text[PIECE_LEFT], PIECE_SIZE, "%s so far",
			       live_print_age(f->elapsed_ns, time));
	if (f->age_ns >= 0)
		(void)snprintf(p->text[PIECE_AGE], PIECE_SIZE, "last result %s ago",
			       live_print_age(f->age_ns, time));
}

/* Columns of the pieces, each with the gap in front. */
static size_t width_of(const struct progress *p)
{
	size_t all = 0;

	for (size_t i = 0; i < PIECES; i++)
		if (*p->text[i])
			all += GAP + columns_count(p->text[i]);
	return all;
}

static void put_progress(const struct live_facts *f, struct canvas *c)
{
	struct progress p;
	size_t title = columns_count(f->title), least = title < LEAST_TITLE ? title : LEAST_TITLE;

	print_pieces(f, c->utf8, &p);
	/* Pieces go, one after the other, until the rest fits beside the title. */
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (width_of(&p) + (is_precious(f, dropped[i]) ? least : title) > c->columns)
			*p.text[dropped[i]] = '\0';
	size_t rest = width_of(&p);

	canvas_put(c, INK_STRONG, f->title, rest + least < c->columns ? c->columns - rest : least);
	for (size_t i = 0; i < PIECES; i++) {
		if (!*p.text[i])
			continue;
		canvas_put(c, INK_PLAIN, "  ", GAP);
		canvas_put(c, i == PIECE_BAR ? INK_GOOD : INK_PLAIN, p.text[i], PIECE_SIZE);
	}
}

/* ---- all of them ---- */

static void put_best(const struct live_facts *f, struct canvas *c)
{
	char text[UNITS_TEXT_SIZE], ratio[48] = "";

	if (!(f->best_ns > 0)) {
		canvas_put(c, INK_PLAIN, f->over ? "  best none" : "  best none yet", c->columns);
		return;
	}
	canvas_put(c, INK_PLAIN, "  best ", c->columns);
	canvas_put(c, INK_GOOD, units_print_duration(f->best_ns, text), c->columns);
	if (f->default_ns > 0)
		(void)snprintf(ratio, sizeof ratio, "  %.2fx the default",
			       f->default_ns / f->best_ns);
	canvas_put(c, INK_PLAIN, ratio, c->columns);
	canvas_put(c, INK_PLAIN, "  ", c->columns);
	canvas_put(c, INK_PLAIN, f->implementation ? f->implementation : "", c->columns);
	canvas_put(c, INK_PLAIN, " ", c->columns);
	canvas_put(c, INK_PLAIN, f->config ? f->config : "", c->columns);
}

static void put_failures(const struct live_facts *f, struct canvas *c)
{
	struct buf text = {0};

	buf_print(&text, "  %llu failed: ", (unsigned long long)live_failed(f));
	live_print_failures(f, &text);
	canvas_put(c, INK_WARN, buf_str(&text), c->columns);
	buf_fini(&text);
}

void live_lines_add_progress(const struct live_facts *f, struct canvas *c)
{
	if (canvas_begin_line(c))
		put_progress(f, c);
}

void live_lines_add(const struct live_facts *f, struct canvas *c)
{
	if (!canvas_begin_line(c))
		return;
	put_progress(f, c);
	if (!f->unmeasured && canvas_begin_line(c))
		put_best(f, c);
	if (live_failed(f) > 0 && canvas_begin_line(c))
		put_failures(f, c);
}
