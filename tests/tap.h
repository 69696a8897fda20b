/* Test Anything Protocol 13 for C tests: tap_ok() per assertion, `return tap_done();` at the end of
 * main. */
#ifndef ASCTUNE_TESTS_TAP_H
#define ASCTUNE_TESTS_TAP_H

#include <stdbool.h>

/* Place of an assertion. Its group, the function around it, is printed before its description. */
struct tap_place {
	const char *file;
	int line;
	const char *group;
};

#define TAP_HERE ((struct tap_place){__FILE__, __LINE__, __func__})

/* Each returns whether the assertion held; a failure prints file, line and what was there. */
#define tap_ok(cond, ...) tap_check((cond), TAP_HERE, #cond, __VA_ARGS__)
#define tap_int(have, want, ...)                                                                   \
	tap_check_int((long long)(have), (long long)(want), TAP_HERE, __VA_ARGS__)
#define tap_str(have, want, ...)       tap_check_str((have), (want), TAP_HERE, __VA_ARGS__)
#define tap_has(text, part, ...)       tap_check_has((text), (part), TAP_HERE, __VA_ARGS__)
#define tap_real(have, want, tol, ...) tap_check_real((have), (want), (tol), TAP_HERE, __VA_ARGS__)

bool tap_check(bool ok, struct tap_place at, const char *text, const char *name, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_check_int(long long have, long long want, struct tap_place at, const char *name, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_check_str(const char *have, const char *want, struct tap_place at, const char *name, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_check_has(const char *text, const char *part, struct tap_place at, const char *name, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_check_real(double have, double want, double tolerance, struct tap_place at,
		    const char *name, ...) __attribute__((format(printf, 5, 6)));
void tap_skip(const char *reason, ...) __attribute__((format(printf, 1, 2))); /* one skipped test */
/* Skips a test with that reason, and returns true, where an emulator runs the program. */
bool tap_skip_emulated(const char *reason);
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
int tap_done(void); /* prints the plan; 0 when everything held */

#endif
