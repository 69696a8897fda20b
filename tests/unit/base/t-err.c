/* Errors and log lines: cut, cleaned, wrapped.
 * covers: err.c log.c */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/err.h"
#include "tuner/base/log.h"

static void test_set(void)
{
	struct asc_err e;
	tap_int(asc_err_set(&e, ASC_INPUT, "no %s in %d", "dim", 3), ASC_INPUT, "set: status");
	tap_str(e.text, "no dim in 3", "set: text");
	asc_err_set(&e, ASC_IO, "[%s]", e.text);
	tap_str(e.text, "[no dim in 3]", "set: its own text may be an argument");
	asc_err_set(&e, ASC_INPUT, "a\nb\tc\x1b[31m\x7f|\xc2\x9b|\xc3\xa9");
	tap_str(e.text, "a b c [31m |  |\xc3\xa9", "set: control characters become spaces");
}

static void test_cut(void)
{
	struct asc_err e;
	char longer[3000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	asc_err_set(&e, ASC_INPUT, "%s", longer);
	tap_int(strlen(e.text), sizeof e.text - 1, "cut: fills the field");
	tap_str(e.text + sizeof e.text - 5, "x...", "cut: ends in dots");
	longer[sizeof e.text - 1] = '\0';
	asc_err_set(&e, ASC_INPUT, "%s", longer);
	tap_str(e.text, longer, "cut: not when it just fits");
	/* Two bytes per letter, so that one of these two lies across the place of the cut. */
	for (size_t shift = 0; shift < 2; shift++) {
		char letters[2049] = "x";
		for (size_t i = shift; i + 2 < sizeof letters; i += 2) {
			letters[i] = '\xc3';
			letters[i + 1] = '\xa9';
		}
		asc_err_set(&e, ASC_INPUT, "%s", letters);
		size_t dots = strlen(e.text) - 3;
		tap_ok(e.text[dots - 1] == '\xa9', "cut: between two characters, shift %zu", shift);
	}
}

static void test_wrap(void)
{
	struct asc_err e;
	asc_err_set(&e, ASC_FULL, "no room");
	tap_int(asc_err_wrap(&e, "writing %s", "x.db"), ASC_FULL, "wrap: keeps the status");
	tap_str(e.text, "writing x.db: no room", "wrap: subject in front");
	for (int i = 0; i < 200; i++)
		asc_err_wrap(&e, "layer %d", i);
	tap_int(strlen(e.text), sizeof e.text - 1, "wrap: bounded");
	tap_has(e.text, "layer 199: layer 198: ", "wrap: newest subject first");
}

static void test_status(void)
{
	tap_ok(asc_status_is_machine(ASC_FULL) && asc_status_is_machine(ASC_NOMEM),
	       "status: a full disk is the machine's");
	tap_ok(!asc_status_is_machine(ASC_INPUT) && !asc_status_is_machine(ASC_CHILD),
	       "status: bad input is not");
	struct asc_err e;
	tap_int(asc_err_nomem(&e), ASC_NOMEM, "nomem: status");
	tap_str(e.text, "out of memory", "nomem: text");
	tap_str(asc_status_name(ASC_NOTFOUND), "notfound", "name of a status");
	tap_str(asc_status_text(ASC_INTERNAL), "an internal error", "text of the last status");
	tap_ok(asc_status_name((enum asc_status)999) != NULL, "a status out of range has a name");
}

static char last[4096];

static void keep(void *user, enum log_level level, const char *text)
{
	*(int *)user += 1 + (int)level;
	(void)snprintf(last, sizeof last, "%s", text);
}

static void test_log(void)
{
	int heard = 0;
	log_print(LOG_WARN, "nobody listens");
	log_set_sink(keep, &heard);
	log_print(LOG_DEBUG, "line %d\nand", 1);
	tap_int(heard, 1 + LOG_DEBUG, "log: the sink gets user and level");
	tap_str(last, "line 1 and", "log: one line");
	log_set_sink(NULL, NULL);
	log_print(LOG_WARN, "nobody listens any more");
	tap_int(heard, 1 + LOG_DEBUG, "log: silent without a sink");
}

int main(void)
{
	test_set();
	test_cut();
	test_wrap();
	test_status();
	test_log();
	return tap_done();
}
