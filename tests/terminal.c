/* A terminal for tests: runs a program on it, does things when a text appears, and prints what
 * stands on the screen and above it at the end.
 *
 * terminal [-c COLUMNS] [-r ROWS] [-i] [-q MS] [-a TEXT=ACTION]... PROGRAM [ARGUMENT...]
 *
 * The first time that TEXT has been written since the action before it, ACTION is done: `interrupt`
 * and `suspend` are keys, `COLUMNSxROWS` is a new size, `look` is nothing. A program that is
 * suspended is continued. Lines that a narrower screen has no room for are broken, as most
 * terminals do. With -i colors are shown; with -q it is said when nothing was written for longer
 * than MS. Last come texts that were not seen, whether there were colors, and how the program
 * ended. */
#include <ctype.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "tuner/base/units.h"

enum { MAX_LINES = 4000, MAX_CELLS = 512, MAX_ACTIONS = 8, LIMIT_MS = 120000 };

struct line {
	wchar_t cells[MAX_CELLS]; /* 0: the second half of a wide one */
	char ink[MAX_CELLS];      /* number of the last escape sequence `m` */
	size_t n;
};

static struct {
	struct line lines[MAX_LINES];
	size_t row, column, columns, rows;
	size_t last; /* the lowest row that was written to */
	char escape[32];
	size_t n_escape; /* bytes of a sequence that has begun */
	mbstate_t state;
	bool colored, inks; /* inks: are printed */
	char ink;
} screen;

static struct action {
	char text[64], name[64];
} actions[MAX_ACTIONS];
static size_t n_actions, next_action;
static int64_t longest_ns; /* time in which nothing was written */

/* ---- the screen ---- */

static void next_row(void)
{
	if (screen.row + 1 < MAX_LINES)
		screen.row++;
	if (screen.row > screen.last)
		screen.last = screen.row;
}

static void put_cell(wchar_t c)
{
	struct line *l;
	size_t width = wcwidth(c) > 0 ? (size_t)wcwidth(c) : 0;

	if (screen.column + width > screen.columns) {
		next_row();
		screen.column = 0;
	}
	l = &screen.lines[screen.row];
	while (l->n < screen.column + width)
		l->cells[l->n++] = L' ';
	for (size_t i = 0; i < width; i++) {
		l->cells[screen.column + i] = i == 0 ? c : 0;
		l->ink[screen.column + i] = screen.ink;
	}
	screen.column += width;
}

static void erase_to_end(void)
{
	struct line *l = &screen.lines[screen.row];

	if (l->n > screen.column)
		l->n = screen.column;
	for (size_t i = screen.row + 1; i <= screen.last; i++)
		screen.lines[i].n = 0;
	screen.last = screen.row;
}

/* A program can go no higher than the top of the screen. */
static void move_up(size_t n)
{
	size_t top = screen.last + 1 > screen.rows ? screen.last + 1 - screen.rows : 0;

	screen.row = screen.row > top + n ? screen.row - n : top;
}

static void do_escape(char final)
{
	size_t n = screen.n_escape > 1 ? strtoul(screen.escape + 1, NULL, 10) : 0;

	switch (final) {
	case 'A': move_up(n ? n : 1); break;
	case 'J': erase_to_end(); break;
	case 'm':
		screen.colored = true;
		screen.ink = (char)n;
		break;
	default: printf("(escape sequence %s)\n", screen.escape);
	}
	screen.n_escape = 0;
}

/* `escape` has what follows the escape character. */
static void take_escape(char c)
{
	if (screen.n_escape < sizeof screen.escape)
		screen.escape[screen.n_escape - 1] = c;
	screen.escape[screen.n_escape < sizeof screen.escape ? screen.n_escape : 0] = '\0';
	screen.n_escape++;
	if (screen.n_escape > 2 && isalpha((unsigned char)c))
		do_escape(c);
}

static void take_byte(char c)
{
	wchar_t wide;

	if (screen.n_escape > 0) {
		take_escape(c);
	} else if (c == '\033') {
		screen.n_escape = 1;
	} else if (c == '\r') {
		screen.column = 0;
	} else if (c == '\n') {
		next_row();
	} else {
		size_t n = mbrtowc(&wide, &c, 1, &screen.state);

		if (n == 1)
			put_cell(wide);
		else if (n == (size_t)-1)
			printf("(byte %02x)\n", (unsigned char)c);
	}
}

/* The last line is where the cursor is at the end of: that is all that the programs do. */
static void resize(size_t columns, size_t rows)
{
	static struct line old[MAX_LINES];
	size_t n = screen.last + 1;

	memcpy(old, screen.lines, sizeof old);
	memset(screen.lines, 0, sizeof screen.lines);
	screen.columns = columns;
	screen.rows = rows;
	screen.row = screen.last = 0;
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			next_row();
		screen.column = 0;
		for (size_t k = 0; k < old[i].n; k++)
			if (old[i].cells[k])
				put_cell(old[i].cells[k]);
	}
}

/* Inks are numbers in braces where they change, 0 being none. */
static void print_line(const struct line *l)
{
	char ink = 0;

	for (size_t k = 0; k < l->n; k++) {
		if (screen.inks && l->ink[k] != ink)
			printf("{%d}", ink = l->ink[k]);
		if (l->cells[k])
			printf("%lc", (wint_t)l->cells[k]);
	}
	puts(ink ? "{0}" : "");
}

static void print_screen(void)
{
	for (size_t i = 0; i <= screen.last; i++) {
		struct line *l = &screen.lines[i];

		while (l->n > 0 && l->cells[l->n - 1] == L' ')
			l->n--;
		if (i == screen.last && l->n == 0)
			return;
		print_line(l);
	}
	puts("(the last line is not ended)");
}

/* ---- the program ---- */

/* As a shell does: in a process group of its own, so that it can be suspended. */
static int supervise(char **argv)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
		execvp(argv[0], argv);
		_exit(127);
	}
	signal(SIGTTOU, SIG_IGN);
	for (;;) {
		if (waitpid(child, &status, WUNTRACED) < 0)
			return 126;
		if (!WIFSTOPPED(status))
			break;
		dprintf(1, "[suspended]\n");
		kill(child, SIGCONT);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void act(int terminal, const char *name)
{
	struct winsize size = {0};
	unsigned columns, rows;

	if (strcmp(name, "interrupt") == 0 || strcmp(name, "suspend") == 0) {
		if (write(terminal, *name == 'i' ? "\003" : "\032", 1) != 1)
			perror("terminal");
	} else if (sscanf(name, "%ux%u", &columns, &rows) == 2) {
		size.ws_col = (unsigned short)columns;
		size.ws_row = (unsigned short)rows;
		resize(columns, rows);
		ioctl(terminal, TIOCSWINSZ, &size);
	}
}

/* `seen`: what was written since the last action. */
static void look_for_action(int terminal, char *seen, size_t *n)
{
	seen[*n] = '\0';
	if (next_action == n_actions || !strstr(seen, actions[next_action].text))
		return;
	act(terminal, actions[next_action++].name);
	*n = 0;
}

static void watch(int terminal)
{
	static char seen[1 << 20];
	struct pollfd p = {.fd = terminal, .events = POLLIN};
	char bytes[4096];
	size_t n = 0;
	ssize_t got;

	int64_t last_ns = clock_now_ns();

	while (poll(&p, 1, LIMIT_MS) > 0 && (got = read(terminal, bytes, sizeof bytes)) > 0) {
		const int64_t now_ns = clock_now_ns();

		if (now_ns - last_ns > longest_ns)
			longest_ns = now_ns - last_ns;
		last_ns = now_ns;
		for (ssize_t i = 0; i < got; i++)
			take_byte(bytes[i]);
		if (n + (size_t)got >= sizeof seen)
			n = 0;
		memcpy(seen + n, bytes, (size_t)got);
		n += (size_t)got;
		look_for_action(terminal, seen, &n);
	}
}

static int open_terminal(char *name, size_t size)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct winsize w = {.ws_col = (unsigned short)screen.columns,
			    .ws_row = (unsigned short)screen.rows};

	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) ||
	    ptsname_r(terminal, name, size) || ioctl(terminal, TIOCSWINSZ, &w))
		return -1;
	return terminal;
}

static pid_t start(const char *name, char **argv)
{
	pid_t child = fork();

	if (child)
		return child;
	setsid();
	int side = open(name, O_RDWR);
	if (side < 0)
		_exit(126);
	ioctl(side, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(side, fd);
	if (side > 2)
		close(side);
	_exit(supervise(argv));
}

static void add_action(const char *text)
{
	const char *sign = strrchr(text, '=');
	struct action *a = &actions[n_actions];

	if (!sign || n_actions == MAX_ACTIONS || strlen(text) >= sizeof a->text)
		exit(2);
	memcpy(a->text, text, (size_t)(sign - text));
	memcpy(a->name, sign + 1, strlen(sign));
	n_actions++;
}

int main(int argc, char **argv)
{
	char name[128];
	int64_t most_ns = INT64_MAX;
	int option, status = 0;

	setlocale(LC_CTYPE, "C.UTF-8");
	screen.columns = 80;
	screen.rows = 24;
	while ((option = getopt(argc, argv, "+c:r:a:q:i")) != -1)
		switch (option) {
		case 'c': screen.columns = strtoul(optarg, NULL, 10); break;
		case 'r': screen.rows = strtoul(optarg, NULL, 10); break;
		case 'a': add_action(optarg); break;
		case 'q': most_ns = strtoll(optarg, NULL, 10) * 1000000; break;
		case 'i': screen.inks = true; break;
		default: return 2;
		}
	int terminal = open_terminal(name, sizeof name);
	if (terminal < 0 || optind == argc) {
		perror("terminal");
		return 2;
	}
	pid_t child = start(name, argv + optind);
	watch(terminal);
	close(terminal);
	waitpid(child, &status, 0);
	print_screen();
	for (size_t i = next_action; i < n_actions; i++)
		printf("(not seen: %s)\n", actions[i].text);
	if (longest_ns > most_ns)
		printf("(nothing was written for %lld ms)\n", (long long)(longest_ns / 1000000));
	if (screen.colored)
		puts("(colored)");
	printf("(ended with %d)\n", WEXITSTATUS(status));
	return 0;
}
