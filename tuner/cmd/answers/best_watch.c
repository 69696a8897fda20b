#include "tuner/cmd/answers/best_watch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/watch.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/answers/watch_board.h"
#include "tuner/cmd/terminal/screen.h"

static volatile sig_atomic_t stop_asked;

struct watch {
	const struct watch_options *o;
	struct watch_board board;
	struct screen screen;
	uint64_t mark;  /* state of the file at the last reading */
	bool again;     /* the next look reads the file whatever its state */
	char *trouble;  /* reason that there is nothing to read, or NULL */
	char *said;     /* last reason printed */
	sigset_t usual; /* signals that are unblocked while waiting */
};

static void on_stop(int sig)
{
	(void)sig;
	stop_asked = 1;
}

/* Waits with signals unblocked; they are blocked at all other times, so that none is missed. */
static void catch_stop(struct watch *w)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_stop};
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		sigaddset(&held, signals[i]);
		sigaction(signals[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &held, &w->usual);
}

static void wait_a_while(const struct watch *w)
{
	const int64_t second = INT64_C(1000000000);
	struct timespec time = {w->o->every_ns / second, w->o->every_ns % second};

	(void)ppoll(NULL, 0, &time, &w->usual);
}

/* ---- reading ---- */

/* Notes why the file cannot be read, which may be temporary; a lock leaves the known runs as they
 * are. */
static enum asc_status read_news(struct watch *w, struct asc_err *e)
{
	enum asc_status status = watch_board_read(&w->board, w->o->path, w->o->workload, e);

	if (status == ASC_NOMEM || status == ASC_USAGE)
		return status;
	free(w->trouble);
	w->trouble = status ? str_dup(e->text) : NULL;
	/* A file that is gone may come back as another one, with the same numbers of runs. */
	if (status && status != ASC_BUSY)
		watch_board_fini(&w->board);
	w->again = status != ASC_OK;
	return ASC_OK;
}

/* Reads a change twice: another one in the same moment would leave the same state. */
static enum asc_status look(struct watch *w, struct asc_err *e)
{
	uint64_t mark = db_find_mark(w->o->path);
	bool changed = mark != w->mark;

	if (!changed && !w->again)
		return ASC_OK;
	w->mark = mark;
	if (read_news(w, e))
		return e->status;
	w->again |= changed;
	return ASC_OK;
}

/* ---- showing ---- */

static void draw(struct watch *w)
{
	struct canvas *c = &w->screen.canvas;

	if (!screen_begin(&w->screen, true))
		return;
	canvas_begin_line(c);
	canvas_put(c, INK_PLAIN, w->trouble ? w->trouble : w->o->path, c->columns);
	if (!w->trouble && w->board.n_list == 0)
		canvas_put(c, INK_PLAIN, ": no run yet", c->columns);
	watch_board_draw(&w->board, clock_date_ms(), c);
	screen_draw(&w->screen);
}

/* Prints a line unless it equals `said`, the last one of the same subject; takes `line`. */
static void print_changed(struct buf *line, char **said)
{
	char *text = buf_take(line);

	if (!text || (*said && strcmp(*said, text) == 0)) {
		free(text);
		return;
	}
	puts(text);
	free(*said);
	*said = text;
}

static void print_trouble(struct watch *w)
{
	struct buf line = {0};
	struct json_writer j = {&line, false};

	if (!w->trouble) {
		free(w->said);
		w->said = NULL;
		return;
	}
	if (w->o->json) {
		json_write_begin(&j, NULL, '{');
		json_write_string(&j, "type", "waiting");
		json_write_string(&j, "reason", w->trouble);
		json_write_end(&j, '}');
	} else {
		columns_add(&line, w->trouble, SIZE_MAX, true);
	}
	print_changed(&line, &w->said);
}

static void print_runs(struct watch *w)
{
	/* The newest run last, where the eye is when lines scroll. */
	for (size_t i = w->board.n_list; i > 0; i--) {
		struct watch_run *r = &w->board.runs[w->board.list[i - 1]];
		struct buf line = {0};

		if (w->o->json)
			watch_run_write_json(r, &line);
		else
			watch_run_print(r, clock_date_ms(), &line);
		print_changed(&line, &r->said);
	}
}

static void show(struct watch *w)
{
	if (w->screen.live && !w->o->json) {
		draw(w);
		return;
	}
	print_trouble(w);
	print_runs(w);
	fflush(stdout);
}

enum asc_status best_watch(const struct watch_options *o, struct asc_err *e)
{
	struct watch w = {.o = o, .again = true};
	enum asc_status status = ASC_OK;

	screen_open(&w.screen, stdout);
	catch_stop(&w);
	while (!stop_asked && !ferror(stdout)) {
		status = look(&w, e);
		if (status)
			break;
		show(&w);
		wait_a_while(&w);
	}
	screen_leave();
	screen_close(&w.screen);
	watch_board_fini(&w.board);
	free(w.trouble);
	free(w.said);
	return status;
}
