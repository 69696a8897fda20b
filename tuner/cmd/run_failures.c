#include "tuner/cmd/run_failures.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/cmd/repeat.h"
#include "tuner/loop/loop.h"
#include "tuner/workload/workload.h"

enum { MIN_COLUMNS = 40, INDENT = 11 };

/* 0: what is printed goes to no terminal, and lines have any length. */
static size_t columns(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return 0;
	return size.ws_col >= MIN_COLUMNS ? size.ws_col : 0;
}

static size_t width_of(const char *text, size_t n)
{
	struct buf part = {0};

	buf_add(&part, text, n);
	size_t width = columns_count(buf_str(&part));
	buf_fini(&part);
	return width;
}

/* Bytes of the longest beginning that ends before a blank and has at most `room` columns; all of
 * the first word, where that is longer. */
static size_t fitting(const char *text, size_t room)
{
	size_t n = strcspn(text, " ");

	while (text[n]) {
		size_t next = n + 1 + strcspn(text + n + 1, " ");

		if (width_of(text, next) > room)
			break;
		n = next;
	}
	return n;
}

void run_failures_print_line(const char *name, const char *reason)
{
	size_t width = columns();
	int used = printf("  %-8s ", name);
	size_t room = width > (size_t)used ? width - (size_t)used : 0;

	for (;;) {
		size_t n = width ? fitting(reason, room) : strlen(reason);

		printf("%.*s\n", (int)n, reason);
		reason += n + strspn(reason + n, " ");
		if (!*reason)
			return;
		printf("%*s", INDENT, "");
		room = width - INDENT;
	}
}

/* The command is one line, however long: a terminal that breaks it copies it whole. */
static void print_command(const struct run_options *run, const struct loop_options *o,
			  const struct loop_failure *f)
{
	const struct repeat_trial t = {o->workload->path, o->problem->name, f->implementation,
				       f->config};
	struct buf command = {0};

	repeat_add_trial(&command, run, &t);
	printf("%*srepeat: %s\n", INDENT, "", buf_str(&command));
	buf_fini(&command);
}

void run_failures_print(const struct run_options *run, const struct loop_options *o,
			const struct loop_summary *sum)
{
	for (int i = 0; i < RESULT_STATUS_COUNT; i++) {
		const struct loop_failure *f = &sum->failures[i];
		struct buf line = {0};

		if (!f->reason || !f->config)
			continue;
		buf_print(&line, "%s%s%s: %s", f->implementation, *f->config ? " " : "", f->config,
			  f->reason);
		run_failures_print_line(result_status_name((enum result_status)i), buf_str(&line));
		print_command(run, o, f);
		buf_fini(&line);
	}
}
