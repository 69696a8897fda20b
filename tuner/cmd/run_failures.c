#include "tuner/cmd/run_failures.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/loop/loop.h"

enum { DEFAULT_COLUMNS = 100, MIN_COLUMNS = 40, INDENT = 2 };

static size_t columns(void)
{
	struct winsize size = {0};
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= MIN_COLUMNS;

	return known ? size.ws_col : DEFAULT_COLUMNS;
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xC0) != 0x80;
}

/* Bytes of the longest beginning with at most `max` characters. */
static size_t beginning(const char *text, size_t max)
{
	size_t n = 0;

	for (size_t characters = 0; text[n]; n++) {
		characters += begins_character(text[n]);
		if (characters > max)
			break;
	}
	return n;
}

void run_failures_print_line(const char *name, const char *reason)
{
	size_t width = columns();
	int used = printf("%*s%-8s ", INDENT, "", name);
	size_t room = width - (used > 0 ? (size_t)used : 0);
	bool fits = !reason[beginning(reason, room)];

	printf("%.*s%s\n", (int)beginning(reason, fits ? room : room - 3), reason,
	       fits ? "" : "...");
}

void run_failures_print(const struct loop_summary *sum)
{
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (sum->reasons[i])
			run_failures_print_line(result_status_name((enum result_status)i),
						sum->reasons[i]);
}
