#include "tuner/cmd/run_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/base/units.h"
#include "tuner/cmd/run_facts.h"
#include "tuner/device/device.h"
#include "tuner/loop/loop.h"
#include "tuner/model/workload.h"

enum { BAR_CELLS = 20, MIN_WIDTH = 40 };
static const int64_t DRAW_EVERY_NS = INT64_C(100000000);

void run_show_init(struct run_show *s, bool json)
{
	const char *term = getenv("TERM");
	struct winsize size = {0};

	*s = (struct run_show){.json = json};
	s->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	s->width = 80;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		s->width = size.ws_col;
	s->terminal = s->terminal && s->width >= MIN_WIDTH; /* a bar has no room there */
}

void run_show_begin(struct run_show *s, const struct loop_options *o)
{
	s->options = o;
	s->drawn_ns = 0;
	snprintf(s->title, sizeof s->title, "%s/%s", o->workload->name, o->problem->name);
}

void run_show_clear(struct run_show *s)
{
	if (s->terminal && s->drawn_ns)
		fputs("\r\033[K", stderr);
	s->drawn_ns = 0;
}

/* "200 trials or 60 s": what the budget allows, in words. */
static void print_budget(const struct loop_options *o, const struct loop_summary *sum, char *text,
			 size_t size)
{
	char time[UNITS_TEXT_SIZE] = "";
	unsigned long long planned = (unsigned long long)sum->planned;

	if (o->budget.ns)
		units_print_duration((double)o->budget.ns, time);
	if (o->budget.trials && (double)planned < sum->valid)
		snprintf(text, size, "%llu trials%s%s", planned, *time ? " or " : "", time);
	else
		snprintf(text, size, "all of them%s%s", *time ? ", at most " : "", time);
}

static void show_start(struct run_show *s, const struct loop_summary *sum)
{
	char budget[128];

	if (s->json) {
		run_facts_begin_json(s->options, sum);
		return;
	}
	print_budget(s->options, sum, budget, sizeof budget);
	fprintf(stderr, "%s: %.0f configurations (%.0f combinations), %s, %s search, seed %llu\n",
		s->title, sum->valid, sum->cartesian, budget, sum->strategy,
		(unsigned long long)s->options->seed);
}

/* Part of the budget that is used: trials or time, whichever is further. */
static double fraction_done(const struct loop_options *o, const struct loop_summary *sum)
{
	double trials = sum->planned ? (double)sum->trials / (double)sum->planned : 1;
	double time = o->budget.ns ? (double)sum->wall_ns / (double)o->budget.ns : 0;
	double done = trials > time ? trials : time;

	return done < 1 ? done : 1;
}

static void draw(struct run_show *s, const struct loop_summary *sum)
{
	double done = fraction_done(s->options, sum);
	int filled = (int)(done * BAR_CELLS);
	char bar[BAR_CELLS + 1], line[512], best[UNITS_TEXT_SIZE] = "none yet",
					    eta[UNITS_TEXT_SIZE] = "?";
	unsigned long long failed =
		sum->trials - sum->by_status[RESULT_OK] - sum->by_status[RESULT_SLOW];

	memset(bar, '.', sizeof bar);
	memset(bar, '#', (size_t)filled);
	bar[BAR_CELLS] = '\0';
	if (sum->best.found)
		units_print_duration(sum->best.time.median, best);
	if (done > 0)
		units_print_duration((double)sum->wall_ns * (1 - done) / done, eta);
	snprintf(line, sizeof line, "%s [%s] %llu/%llu  best %s  %llu failed  %s left", s->title,
		 bar, (unsigned long long)sum->trials, (unsigned long long)sum->planned, best,
		 failed, eta);
	fprintf(stderr, "\r%.*s\033[K", s->width - 1, line);
	fflush(stderr);
}

void run_show_progress(void *user, const struct loop_summary *so_far, const struct loop_event *last)
{
	struct run_show *s = user;
	int64_t now = clock_now_ns();

	if (!last)
		show_start(s, so_far);
	else if (s->json)
		run_facts_trial_json(last);
	if (!s->terminal || s->json || (last && now - s->drawn_ns < DRAW_EVERY_NS))
		return;
	s->drawn_ns = now;
	draw(s, so_far);
}

void run_show_end(struct run_show *s, const struct loop_summary *sum)
{
	run_show_clear(s);
	if (s->json)
		run_facts_end_json(s->options, sum);
	else
		run_facts_end_text(s->title, s->options, sum);
}
