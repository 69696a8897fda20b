#include "tuner/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef asc_err_set
#undef asc_err_nomem

void str_print_line(char *text, size_t size, const char *format, va_list args)
{
	static const char dots[] = "...";
	int n = vsnprintf(text, size, format, args);
	if (n < 0)
		text[0] = '\0';
	if (n >= 0 && (size_t)n >= size && size > sizeof dots) {
		size_t end = size - sizeof dots;
		/* Cuts between characters of UTF-8, whose later bytes are 10xxxxxx. */
		while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
			end--;
		memcpy(text + end, dots, sizeof dots);
	}
	/* Texts are of files and compilers: terminals would obey control characters of ASCII, and
	 * of Latin-1 as UTF-8 writes them (C2 80 to C2 9F). */
	for (unsigned char *c = (unsigned char *)text; *c; c++) {
		if (*c < ' ' || *c == 0x7f)
			*c = ' ';
		else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c[0] = c[1] = ' ';
	}
}

bool asc_status_is_machine(enum asc_status status)
{
	return status == ASC_NOMEM || status == ASC_FULL || status == ASC_IO;
}

enum asc_status asc_err_set(struct asc_err *e, enum asc_status status, const char *format, ...)
{
	/* Makes the sentence beside e->text, into which the arguments may point. */
	char text[sizeof e->text];
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	memcpy(e->text, text, sizeof text);
	e->status = status;
	return status;
}

enum asc_status asc_err_wrap(struct asc_err *e, const char *format, ...)
{
	char subject[sizeof e->text];
	va_list args;
	va_start(args, format);
	str_print_line(subject, sizeof subject, format, args);
	va_end(args);
	return asc_err_set(e, e->status, "%s: %s", subject, e->text);
}

enum asc_status asc_err_nomem(struct asc_err *e)
{
	return asc_err_set(e, ASC_NOMEM, "%s", asc_status_text(ASC_NOMEM));
}

static const struct {
	const char *name;
	const char *text;
} statuses[] = {
#define X(code, name, text) [ASC_##code] = {name, text},
	ASC_STATUS_LIST(X)
#undef X
};

static size_t status_index(enum asc_status status)
{
	return (size_t)status < sizeof statuses / sizeof *statuses ? (size_t)status : ASC_IO;
}

const char *asc_status_name(enum asc_status status)
{
	return statuses[status_index(status)].name;
}

const char *asc_status_text(enum asc_status status)
{
	return statuses[status_index(status)].text;
}
