/* What is written to a terminal, byte by byte.
 * covers: screen.c canvas.c */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/cmd/terminal/screen.h"

static int master;
static FILE *side;

static bool open_terminal(void)
{
	struct termios mode;
	int fd = -1;

	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
		fd = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (fd < 0 || tcgetattr(fd, &mode))
		return false;
	mode.c_oflag &= ~(tcflag_t)OPOST; /* newlines as they are */
	tcsetattr(fd, TCSANOW, &mode);
	side = fdopen(fd, "w");
	return side != NULL;
}

static void resize(unsigned short columns, unsigned short rows)
{
	struct winsize size = {.ws_col = columns, .ws_row = rows};

	ioctl(master, TIOCSWINSZ, &size);
}

/* What has been written since, escape characters as E. It takes its time: a byte that is written
 * now ends it. */
static const char *written(void)
{
	static char text[4096];
	size_t n = 0;

	if (write(fileno(side), "\001", 1) != 1)
		return "nothing can be written";
	while (n + 1 < sizeof text && read(master, text + n, 1) == 1 && text[n] != '\001')
		n++;
	text[n] = '\0';
	for (char *c = text; *c; c++)
		if (*c == '\033')
			*c = 'E';
	return text;
}

static void fill(struct screen *s, const char *first, const char *second)
{
	tap_ok(screen_begin(s, true), "the screen can be drawn on");
	canvas_begin_line(&s->canvas);
	canvas_put(&s->canvas, INK_PLAIN, first, s->canvas.columns);
	if (canvas_begin_line(&s->canvas))
		canvas_put(&s->canvas, INK_PLAIN, second, s->canvas.columns);
}

static void test_drawing(struct screen *s)
{
	fill(s, "one", "two");
	screen_draw(s);
	tap_str(written(), "one\ntwo", "the cursor stays at the end of the last line");
	tap_ok(!screen_begin(s, false), "not so soon again");
	fill(s, "one", "two");
	screen_draw(s);
	tap_str(written(), "", "nothing is written when nothing has changed");
	fill(s, "one", "three");
	screen_draw(s);
	tap_str(written(), "\rE[1AE[Jone\nthree", "the lines are drawn in place");
	screen_leave();
	tap_str(written(), "\n", "left behind with the line ended");
	screen_leave();
	tap_str(written(), "", "once");
	fill(s, "one", "four");
	screen_draw(s);
	tap_str(written(), "one\nfour", "then drawn below");
	screen_clear(s);
	tap_str(written(), "\rE[1AE[J", "and taken away");
}

static void test_sizes(struct screen *s)
{
	resize(40, 10);
	fill(s, "a line of more columns than the narrower one", "two");
	screen_draw(s);
	tap_has(written(), "a line of more columns than the narr", "cut to 39 columns");
	tap_int(s->width[0], 39, "exactly");
	resize(20, 10);
	fill(s, "one", "two");
	screen_draw(s);
	tap_str(written(), "\rE[2AE[Jone\ntwo", "a line that was broken is erased as two");
	resize(20, 2);
	fill(s, "one", "two");
	screen_draw(s);
	tap_str(written(), "\rE[1AE[Jone", "one line on two rows");
	resize(19, 2);
	tap_ok(!screen_begin(s, true), "nothing on less than 20 columns");
	resize(80, 24);
	screen_clear(s);
	written();
}

static void test_message(struct screen *s)
{
	int old = dup(STDERR_FILENO);

	fill(s, "one", "two");
	screen_draw(s);
	written();
	dup2(fileno(side), STDERR_FILENO);
	screen_print_message("note: ", "something");
	dup2(old, STDERR_FILENO);
	close(old);
	tap_str(written(), "\rE[1AE[Jnote: something\none\ntwo", "a message scrolls above");
}

static void test_choice(void)
{
	struct screen s;

	setenv("NO_COLOR", "1", 1);
	screen_open(&s, side);
	tap_ok(s.live && !s.canvas.color, "NO_COLOR");
	screen_close(&s);
	setenv("TERM", "dumb", 1);
	screen_open(&s, side);
	tap_ok(!s.live && !screen_begin(&s, true), "a dumb terminal");
	screen_close(&s);
	unsetenv("TERM");
	screen_open(&s, side);
	tap_ok(!s.live, "no terminal is named");
	screen_close(&s);
	setenv("TERM", "xterm", 1);
	FILE *file = tmpfile();
	screen_open(&s, file);
	tap_ok(!s.live, "a file");
	screen_close(&s);
	fclose(file);
	tap_str(written(), "", "writes nothing");
}

int main(void)
{
	struct screen s;

	if (!open_terminal()) {
		tap_skip("no pseudo-terminal: %s", strerror(errno));
		return tap_done();
	}
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("NO_COLOR");
	resize(80, 24);
	screen_open(&s, side);
	tap_ok(s.live && s.canvas.color && s.canvas.utf8, "a terminal");
	test_drawing(&s);
	test_sizes(&s);
	test_message(&s);
	screen_close(&s);
	written();
	test_choice();
	fclose(side);
	return tap_done();
}
