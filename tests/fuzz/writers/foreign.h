/* Foreign text for writers: names cut out of a fuzz target's input, and what ends the target where
 * a writer did not treat one as text. */
#ifndef ASCTUNE_TESTS_FUZZ_FOREIGN_H
#define ASCTUNE_TESTS_FUZZ_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

#include "tests/markup_check.h"

struct buf;

enum { FOREIGN_NAMES = 64 };

/* The input between its NULs, in order; heap. One name at least. */
struct foreign {
	char *bytes;
	const char *names[FOREIGN_NAMES];
	size_t n;
};

void foreign_init(struct foreign *f, const uint8_t *data, size_t size);
void foreign_fini(struct foreign *f);
const char *foreign_name(const struct foreign *f, size_t i); /* of any i: they come again */

/* Prints what is wrong, and the text from `at` on, and aborts. */
void foreign_fail(const char *writer, const char *wrong, const char *at) __attribute__((noreturn));

/* What the pieces of a checker share: UTF-8 without control characters but newline, and without
 * those that XML 1.0 does not know. The first byte that is not of it, or NULL. */
const char *foreign_bad_character(const char *text);

/* The writers, each with its format's checker. */
typedef void foreign_writer_fn(const struct foreign *f);
foreign_writer_fn foreign_write_verdicts, foreign_write_pictures, foreign_write_database;

/* Checkers: NULL, or where something is wrong and, in *wrong, what; the last one fails itself. */
const char *markdown_check(const char *text, const char **wrong);
const char *c_check(const char *text, const char **wrong);
const char *json_check(const char *text, const char **wrong);
const char *script_check(const char *text, const char *mark, const char **wrong);
void foreign_check_markup(const char *writer, const struct buf *text, enum markup kind);

#endif
