/* Lines for people: broken to a width, aligned, coloured.
 * covers: prose.c ink.c table.c */
#include "tuner/cmd/terminal/prose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/cmd/terminal/table.h"

static char out[4096];
static FILE *file;

static void begin(struct prose *p, const char *columns)
{
	setenv("COLUMNS", columns, 1);
	file = fmemopen(memset(out, 0, sizeof out), sizeof out, "w");
	prose_open(p, file);
}

static const char *end(struct prose *p)
{
	prose_close(p);
	fclose(file);
	return out;
}

static void test_lines(void)
{
	struct prose p;

	begin(&p, "20");
	prose_put(&p, INK_PLAIN, "one two three four five six");
	prose_end(&p, 4);
	tap_str(end(&p), "one two three four\n    five six\n",
		"a paragraph is broken at blanks, with a hanging indent");
	begin(&p, "20");
	prose_put(&p, INK_PLAIN, "  /usr/share/abcdefghijklmnopqrstuvwxyz0123 end");
	prose_end(&p, 2);
	tap_str(end(&p), "  /usr/share/\n  abcdefghijklmnopqr\n  stuvwxyz0123 end\n",
		"a word longer than a line is broken behind a slash, else anywhere");
	begin(&p, "20");
	prose_put(&p, INK_PLAIN, "it takes all of 12.5 us, was 7 one time of 8 at 3.5 %%.");
	prose_end(&p, 0);
	tap_str(end(&p), "it takes all of\n12.5 us, was 7 one\ntime of 8 at 3.5 %.\n",
		"a number and its unit stay together");
	begin(&p, "20");
	p.color = true;
	prose_put(&p, INK_STRONG, "12345678");
	prose_put(&p, INK_PLAIN, " ");
	prose_put(&p, INK_GOOD, "±12345678 x");
	prose_end(&p, 0);
	tap_str(end(&p), "\033[1m12345678\033[0m \033[32m±12345678 x\033[0m\n",
		"escape sequences and bytes of a character have no width");
	begin(&p, "20");
	p.color = true;
	prose_put(&p, INK_PLAIN, "it takes all of ");
	prose_put(&p, INK_GOOD, "12 us");
	prose_end(&p, 0);
	tap_str(end(&p), "it takes all of\n\033[32m12 us\033[0m\n",
		"a number in colour stays with its unit, too");
	begin(&p, "20");
	prose_put(&p, INK_PLAIN, "a\033[31m\tb");
	prose_end(&p, 0);
	tap_str(end(&p), "a?[31m?b\n", "text from outside brings no escape sequences");
	begin(&p, "20");
	prose_put(&p, INK_PLAIN, "aa");
	prose_pad(&p, 6, 1);
	prose_put(&p, INK_PLAIN, "b");
	prose_pad(&p, 2, 1);
	prose_put(&p, INK_PLAIN, "c");
	prose_end(&p, 0);
	tap_str(end(&p), "aa    b c\n", "blanks up to a column, one at least");
}

static void test_command(void)
{
	struct prose p;

	begin(&p, "24");
	prose_put(&p, INK_COMMAND, "asctune best --db 'my long results.db' --all");
	prose_end_command(&p, 2);
	tap_str(end(&p), "asctune best --db \\\n  'my long results.db' \\\n  --all\n",
		"a command goes on behind backslashes, and quotes stay whole");
	begin(&p, "24");
	prose_put(&p, INK_COMMAND, "asctune best 'it'\\''s a long folder/x.json' --db 'a b'");
	prose_end_command(&p, 2);
	tap_str(end(&p), "asctune best \\\n  'it'\\''s a long folder/x.json' \\\n  --db 'a b'\n",
		"quotes with a quote in them, too");
	begin(&p, "24");
	prose_put(&p, INK_COMMAND, "asctune best 'a b\\' --db 'a long folder'");
	prose_end_command(&p, 2);
	tap_str(end(&p), "asctune best 'a b\\' \\\n  --db 'a long folder'\n",
		"a backslash within quotes is a character");
}

static void test_config(void)
{
	struct prose p;

	begin(&p, "60");
	p.color = true;
	prose_put_config(&p, "A=1,B=2,C=x", "A=1,B=3");
	prose_end(&p, 0);
	tap_str(end(&p), "A=1 B=\033[1m2\033[0m C=\033[1mx\033[0m\n",
		"values that the other configuration lacks are strong");
}

static const char *print_table(const char *columns, const char *name)
{
	struct asc_err e;
	struct table t;

	setenv("COLUMNS", columns, 1);
	file = fmemopen(memset(out, 0, sizeof out), sizeof out, "w");
	table_init(&t, "NAME|>N|WHAT");
	table_add(&t, "%s", name);
	table_add(&t, "%d", 12);
	table_add(&t, "some words that are many");
	table_note(&t, "a note below");
	tap_ok(table_print(&t, file, &e) == ASC_OK, "a table is printed in %s columns", columns);
	table_fini(&t);
	fclose(file);
	return out;
}

static void test_table(void)
{
	tap_str(print_table("80", "gemm/square-1024"),
		"NAME               N  WHAT\n"
		"gemm/square-1024  12  some words that are many\n"
		"  a note below\n",
		"a table that fits has a line a row");
	tap_str(print_table("40", "gemm/square-1024"),
		"NAME               N  WHAT\n"
		"gemm/square-1024  12  some words that\n"
		"                      are many\n"
		"  a note below\n",
		"the last cell is broken first");
	tap_str(print_table("24", "gemm/square-1024"),
		"NAME\n"
		"   N  WHAT\n"
		"gemm/square-1024\n"
		"  12  some words that\n"
		"      are many\n"
		"  a note below\n",
		"then the first cell has a line of its own");
	tap_str(print_table("20", "gemm/square-1024x1024"),
		"NAME\n"
		"      gemm/\n"
		"      square-1024x10\n"
		"      24\n"
		"N     12\n"
		"WHAT  some words\n"
		"      that are many\n"
		"  a note below\n",
		"at last each cell has one");
}

static void test_unused(void)
{
	struct asc_err e;
	struct table t;

	setenv("COLUMNS", "80", 1);
	file = fmemopen(memset(out, 0, sizeof out), sizeof out, "w");
	table_init(&t, "NAME|>N|>M|WHAT");
	for (int i = 0; i < 2; i++) {
		table_add(&t, "%c", 'a' + i);
		table_add(&t, "%s", "");
		table_add(&t, "%s", i ? "" : "7");
		table_add(&t, "%s", "");
	}
	tap_ok(table_print(&t, file, &e) == ASC_OK, "a table with empty columns is printed");
	table_fini(&t);
	fclose(file);
	tap_str(out, "NAME  M  WHAT\na     7\nb\n", "a column without text is left out");
}

/* Says a message, which is printed whole without memory. */
static enum asc_status say(struct asc_err *e)
{
	static const char text[] = "a message about a file\n";

	file = fmemopen(memset(out, 0, sizeof out), sizeof out, "w");
	prose_say(file, 2, "a %s about a file", "message");
	fclose(file);
	if (strcmp(out, text) != 0)
		return asc_err_set(e, ASC_IO, "\"%s\" was printed", out);
	return nomem_has_failed() ? asc_err_nomem(e) : ASC_OK;
}

/* Puts a paragraph, which is lost without memory. */
static enum asc_status put(struct asc_err *e)
{
	struct prose p;

	file = fmemopen(memset(out, 0, sizeof out), sizeof out, "w");
	prose_open(&p, file);
	prose_put(&p, INK_PLAIN, "one");
	const enum asc_status status = buf_check(&p.text, e);

	prose_end(&p, 0);
	prose_close(&p);
	fclose(file);
	return status;
}

static void test_without_memory(void)
{
	setenv("COLUMNS", "80", 1);
	nomem_exhaust("a message", say);
	tap_ok(!prose_was_lost(), "nothing of messages was lost");
	nomem_exhaust("a paragraph", put);
	tap_ok(prose_was_lost(), "a paragraph was");
}

int main(void)
{
	unsetenv("NO_COLOR");
	test_lines();
	test_command();
	test_config();
	test_table();
	test_unused();
	test_without_memory();
	return tap_done();
}
