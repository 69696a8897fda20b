#include "tuner/base/log.h"

#include <stdarg.h>

#include "tuner/base/buf.h"

static struct {
	log_sink_fn *sink;
	void *user;
} target;

void log_set_sink(log_sink_fn *sink, void *user)
{
	target.sink = sink;
	target.user = user;
}

void log_print(enum log_level level, const char *format, ...)
{
	if (!target.sink)
		return;
	char text[2048];
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	target.sink(target.user, level, text);
}
