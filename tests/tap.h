/* Test Anything Protocol 13 for C tests: tap_ok() per assertion, `return tap_done();` at the end of
 * main. */
#ifndef ASCTUNE_TESTS_TAP_H
#define ASCTUNE_TESTS_TAP_H

#include <stdbool.h>

/* Each returns whether the assertion held; a failure prints file, line and what was there. */
#define tap_ok(cond, ...) tap_check((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)
#define tap_int(have, want, ...)                                                                   \
	tap_check_int((long long)(have), (long long)(want), __FILE__, __LINE__, __VA_ARGS__)
#define tap_str(have, want, ...) tap_check_str((have), (want), __FILE__, __LINE__, __VA_ARGS__)
#define tap_has(text, part, ...) tap_check_has((text), (part), __FILE__, __LINE__, __VA_ARGS__)
#define tap_real(have, want, tol, ...)                                                             \
	tap_check_real((have), (want), (tol), __FILE__, __LINE__, __VA_ARGS__)

bool tap_check(bool ok, const char *file, int line, const char *text, const char *name, ...)
	__attribute__((format(printf, 5, 6)));
bool tap_check_int(long long have, long long want, const char *file, int line, const char *name,
		   ...) __attribute__((format(printf, 5, 6)));
bool tap_check_str(const char *have, const char *want, const char *file, int line, const char *name,
		   ...) __attribute__((format(printf, 5, 6)));
bool tap_check_has(const char *text, const char *part, const char *file, int line, const char *name,
		   ...) __attribute__((format(printf, 5, 6)));
bool tap_check_real(double have, double want, double tolerance, const char *file, int line,
		    const char *name, ...) __attribute__((format(printf, 6, 7)));
void tap_skip(const char *reason, ...) __attribute__((format(printf, 1, 2))); /* one skipped test */
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
int tap_done(void); /* prints the plan; 0 when everything held */

#endif
