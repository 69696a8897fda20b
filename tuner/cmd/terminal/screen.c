#include "tuner/cmd/terminal/screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/units.h"
#include "tuner/cmd/terminal/prose.h"

enum { MIN_COLUMNS = 20, USUAL_COLUMNS = 80, USUAL_ROWS = 24 };
static const int64_t DRAW_EVERY_NS = INT64_C(100000000); /* what eyes can follow */

/* The screen that is open, and whether something stands on it: for handlers of signals. */
static struct screen *open_screen;
static volatile sig_atomic_t drawn, drawn_fd;

void screen_leave(void)
{
	if (!drawn)
		return;
	drawn = 0;
	if (write(drawn_fd, "\n", 1) < 0)
		return; /* the terminal has gone, and the line with it */
}

static void on_suspend(int sig);

/* A handler is for one signal: within it, the signal has its usual effect. */
static void watch_suspend(void)
{
	struct sigaction action = {.sa_handler = on_suspend,
				   .sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_RESTART};

	sigaction(SIGTSTP, &action, NULL);
}

static void on_suspend(int sig)
{
	screen_leave();
	raise(sig); /* returns when the process is continued */
	watch_suspend();
}

void screen_open(struct screen *s, FILE *to)
{
	*s = (struct screen){.to = to};
	s->live = ink_is_terminal(to);
	if (!s->live)
		return;
	s->canvas.utf8 = columns_utf8_wanted();
	s->canvas.color = ink_wanted(to);
	open_screen = s;
	drawn_fd = fileno(to);
	struct sigaction old;

	/* A shell without job control ignores the signal, and so do its children. */
	if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		watch_suspend();
}

void screen_close(struct screen *s)
{
	screen_clear(s);
	canvas_fini(&s->canvas);
	buf_fini(&s->shown);
	if (open_screen == s)
		open_screen = NULL;
}

static struct winsize find_size(const struct screen *s)
{
	struct winsize size = {0};

	if (ioctl(fileno(s->to), TIOCGWINSZ, &size) != 0)
		size = (struct winsize){0};
	if (size.ws_col == 0)
		size.ws_col = USUAL_COLUMNS;
	if (size.ws_row == 0)
		size.ws_row = USUAL_ROWS;
	return size;
}

/* Rows that the lines take by now: a terminal that was made narrower has broken them. */
static size_t rows_shown(const struct screen *s)
{
	size_t columns = find_size(s).ws_col, rows = 0;

	for (size_t i = 0; i < s->n; i++)
		rows += s->width[i] > columns ? (s->width[i] + columns - 1) / columns : 1;
	return rows;
}

static void print_erasing(const struct screen *s, struct buf *out)
{
	size_t rows = drawn ? rows_shown(s) : 0;

	if (rows == 0)
		return;
	buf_add_char(out, '\r');
	if (rows > 1)
		buf_print(out, "\033[%zuA", rows - 1);
	buf_add_str(out, "\033[J");
}

static bool in_foreground(const struct screen *s)
{
	pid_t group = tcgetpgrp(fileno(s->to));

	return group < 0 || group == getpgrp();
}

bool screen_begin(struct screen *s, bool now)
{
	if (!s->live)
		return false;
	int64_t time = clock_now_ns();

	if (!now && time - s->drawn_ns < DRAW_EVERY_NS)
		return false;
	struct winsize size = find_size(s);

	if (size.ws_col < MIN_COLUMNS || !in_foreground(s))
		return false;
	s->drawn_ns = time;
	/* A row is left for the cursor: a screen that is full would scroll. */
	s->canvas.columns = size.ws_col - 1U; /* some terminals break the line in the last one */
	s->canvas.rows = size.ws_row > 1 ? size.ws_row - 1U : 1;
	canvas_clear(&s->canvas);
	return true;
}

/* Writes everything at once, so that no other process's output comes in between. */
static void write_all(const struct screen *s, const struct buf *out)
{
	if (!out->failed && out->len > 0) {
		fwrite(out->data, 1, out->len, s->to);
		fflush(s->to);
	}
}

static void show(struct screen *s)
{
	struct buf out = {0};

	print_erasing(s, &out);
	/* The text shown is kept: it is erased by its own width, and drawn again after a message.
	 */
	buf_clear(&s->shown);
	buf_add_str(&s->shown, buf_str(&s->canvas.text));
	s->n = s->canvas.n;
	memcpy(s->width, s->canvas.width, sizeof s->width);
	buf_add_str(&out, buf_str(&s->shown));
	drawn = s->n > 0;
	write_all(s, &out);
	buf_fini(&out);
}

void screen_draw(struct screen *s)
{
	if (!drawn || strcmp(buf_str(&s->canvas.text), buf_str(&s->shown)) != 0)
		show(s);
}

void screen_clear(struct screen *s)
{
	struct buf out = {0};

	if (!s->live)
		return;
	print_erasing(s, &out);
	drawn = 0;
	write_all(s, &out);
	buf_fini(&out);
}

void screen_print_message(const char *prefix, const char *text)
{
	struct screen *s = drawn ? open_screen : NULL;

	if (s)
		screen_clear(s);
	char *line = str_print("%s%s", prefix, text);

	prose_print(stderr, 2, line ? line : text);
	free(line);
	if (s && in_foreground(s))
		show(s);
}
