/* Errors: a failure in one sentence that a user can act on.
 *
 * The caller owns a struct asc_err (no initialisation needed: it is written only on failure) and
 * passes it last to every fallible function. asc_err_set() states the failure where it happens and
 * names the offending value; asc_err_wrap() puts a subject in front where the context is known.
 * Both return the status, so `return asc_err_set(e, ...)` reads well. */
#ifndef ASCTUNE_BASE_ERR_H
#define ASCTUNE_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* code, name, text */
#define ASC_STATUS_LIST(X)                                                                         \
	X(OK, "ok", "no error")                                                                    \
	X(NOMEM, "nomem", "out of memory")                                                         \
	X(INPUT, "input", "bad input")                                                             \
	X(USAGE, "usage", "bad usage")                                                             \
	X(NOTFOUND, "notfound", "not found")                                                       \
	X(IO, "io", "input/output failed")                                                         \
	X(FULL, "full", "no space left")                                                           \
	X(BUSY, "busy", "in use by another process")                                               \
	X(NEWER, "newer", "written by a newer version")                                            \
	X(LIMIT, "limit", "a limit was exceeded")                                                  \
	X(TIMEOUT, "timeout", "a time limit was exceeded")                                         \
	X(CHILD, "child", "a child process failed")                                                \
	X(ABSENT, "absent", "not available on this machine")                                       \
	X(PROTOCOL, "protocol", "a message was not understood")                                    \
	X(INTERRUPTED, "interrupted", "interrupted")                                               \
	X(INTERNAL, "internal", "an internal error")

enum asc_status {
#define X(code, name, text) ASC_##code,
	ASC_STATUS_LIST(X)
#undef X
};

/* True for a failure of the machine (memory, disk, files), which everything behind it would meet,
 * too. */
bool asc_status_is_machine(enum asc_status status);

struct asc_err {
	enum asc_status status;
	char text[1024]; /* one sentence, no final full stop, no newline; cut with "..." when longer
			  */
};

enum asc_status asc_err_set(struct asc_err *e, enum asc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts the formatted text and ": " before the text already in `e`; returns e->status. */
enum asc_status asc_err_wrap(struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets ASC_NOMEM with its standard text. */
enum asc_status asc_err_nomem(struct asc_err *e);

/* clang's analyser sees one file at a time: it has to be told that these return what was set, else
 * it follows paths on which a failure goes on as a success. */
#ifdef __clang_analyzer__
static inline enum asc_status asc_err_returns(enum asc_status returned, enum asc_status set)
{
	(void)returned;
	return set;
}
#define asc_err_set(e, status, ...) asc_err_returns(asc_err_set(e, status, __VA_ARGS__), status)
#define asc_err_nomem(e)            asc_err_returns(asc_err_nomem(e), ASC_NOMEM)
#endif

/* Prints one line for a message: control characters become spaces, and text that does not fit is
 * cut with "...". */
void str_print_line(char *text, size_t size, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

const char *asc_status_name(enum asc_status status);
const char *asc_status_text(enum asc_status status);

#endif
