#include "tuner/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"

#undef asc_err_set
#undef asc_err_nomem

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
