#include "tests/tap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests, failures;

/* A name on one line; '#' would begin a directive. */
static void print_text(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

static void print_text(const char *format, va_list args)
{
	char text[512];
	(void)vsnprintf(text, sizeof text, format, args);
	for (char *c = text; *c; c++)
		putchar(*c == '\n' ? ' ' : *c == '#' ? '.' : *c);
	putchar('\n');
	/* A crash later on must not swallow the line, nor a fork print it twice. */
	(void)fflush(stdout);
}

static bool report(bool ok, struct tap_place at, const char *name, va_list args)
	__attribute__((format(printf, 3, 0)));

static bool report(bool ok, struct tap_place at, const char *name, va_list args)
{
	tests++;
	failures += !ok;
	printf("%s %d - ", ok ? "ok" : "not ok", tests);
	if (strcmp(at.group, "main") != 0)
		printf("%s: ", at.group);
	print_text(name, args);
	return ok;
}

/* One line of a failure's explanation: `label: text`, later lines of the text indented. */
static void explain(const char *label, const char *text)
{
	(void)fprintf(stderr, "#   %s: ", label);
	for (; text && *text; text++) {
		(void)fputc(*text, stderr);
		if (*text == '\n')
			(void)fputs("#     ", stderr);
	}
	(void)fputs(text ? "\n" : "(null)\n", stderr);
}

static void explain_place(struct tap_place at)
{
	(void)fprintf(stderr, "# test %d failed at %s:%d\n", tests, at.file, at.line);
}

bool tap_check(bool ok, struct tap_place at, const char *text, const char *name, ...)
{
	va_list args;
	va_start(args, name);
	report(ok, at, name, args);
	va_end(args);
	if (!ok) {
		explain_place(at);
		explain("false", text);
	}
	return ok;
}

bool tap_check_int(long long have, long long want, struct tap_place at, const char *name, ...)
{
	va_list args;
	va_start(args, name);
	bool ok = report(have == want, at, name, args);
	va_end(args);
	if (!ok) {
		explain_place(at);
		(void)fprintf(stderr, "#   have: %lld\n#   want: %lld\n", have, want);
	}
	return ok;
}

bool tap_check_str(const char *have, const char *want, struct tap_place at, const char *name, ...)
{
	va_list args;
	va_start(args, name);
	bool same = have && want ? strcmp(have, want) == 0 : have == want;
	bool ok = report(same, at, name, args);
	va_end(args);
	if (!ok) {
		explain_place(at);
		explain("have", have);
		explain("want", want);
	}
	return ok;
}

bool tap_check_has(const char *text, const char *part, struct tap_place at, const char *name, ...)
{
	va_list args;
	va_start(args, name);
	bool ok = report(text && strstr(text, part), at, name, args);
	va_end(args);
	if (!ok) {
		explain_place(at);
		explain("have", text);
		explain("want inside", part);
	}
	return ok;
}

bool tap_check_real(double have, double want, double tolerance, struct tap_place at,
		    const char *name, ...)
{
	va_list args;
	va_start(args, name);
	bool ok = report(have == want || fabs(have - want) <= tolerance, at, name, args);
	va_end(args);
	if (!ok) {
		explain_place(at);
		(void)fprintf(stderr, "#   have: %.17g\n#   want: %.17g within %g\n", have, want,
			      tolerance);
	}
	return ok;
}

void tap_skip(const char *reason, ...)
{
	va_list args;
	va_start(args, reason);
	tests++;
	printf("ok %d # SKIP ", tests);
	print_text(reason, args);
	va_end(args);
}

bool tap_skip_emulated(const char *reason)
{
	const char *emulated = getenv("ASCTUNE_EMULATED");

	if (!emulated || !*emulated)
		return false;
	tap_skip("an emulator: %s", reason);
	return true;
}

void tap_note(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	printf("# ");
	print_text(format, args);
	va_end(args);
}

int tap_done(void)
{
	printf("1..%d\n", tests);
	(void)fflush(stdout);
	return tests == 0 || failures > 0;
}
