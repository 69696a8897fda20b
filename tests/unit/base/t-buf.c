/* Growing strings, and the nearest name.
 * covers: buf.c shell.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"

static void test_add(void)
{
	struct buf b;
	struct asc_err e;
	buf_init(&b);
	tap_str(buf_str(&b), "", "empty: \"\"");
	buf_add_str(&b, "ab");
	buf_add_char(&b, 'c');
	buf_add(&b, "\0d", 2);
	buf_print(&b, "%d-%s", 42, "x");
	tap_int(b.len, 9, "add: length");
	tap_ok(memcmp(b.data, "abc\0d42-x", 10) == 0, "add: bytes, NUL behind");
	tap_int(buf_check(&b, &e), ASC_OK, "add: no failure");
	buf_clear(&b);
	tap_ok(b.len == 0 && b.cap > 0 && !*buf_str(&b), "clear: empty, memory kept");
	for (int i = 0; i < 10000; i++)
		buf_print(&b, "%04d", i);
	tap_int(b.len, 40000, "grow: length");
	tap_ok(memcmp(b.data + 4936, "1234", 4) == 0, "grow: content");
	tap_str(b.data + b.len - 4, "9999", "grow: end");
	buf_fini(&b);
	buf_fini(&b);
}

static void test_drop(void)
{
	struct buf b = {0};
	buf_drop(&b, 0, 3);
	tap_int(b.len, 0, "drop: from nothing");
	buf_add_str(&b, "line\nrest");
	buf_drop(&b, 0, 5);
	tap_str(buf_str(&b), "rest", "drop: the rest moves up");
	buf_drop(&b, 1, 2);
	tap_str(buf_str(&b), "rt", "drop: from the middle");
	buf_drop(&b, 5, 1);
	tap_str(buf_str(&b), "rt", "drop: behind the end");
	buf_drop(&b, 0, 100);
	tap_str(buf_str(&b), "", "drop: more than there is");
	buf_fini(&b);
}

static void test_failure(void)
{
	struct buf b = {0};
	struct asc_err e;
	buf_add_str(&b, "kept");
	buf_add(&b, "x", SIZE_MAX / 2); /* refused before a byte is read */
	buf_add_str(&b, "more");
	tap_str(buf_str(&b), "kept", "failure: later additions do nothing");
	tap_int(buf_check(&b, &e), ASC_NOMEM, "failure: is told");
	tap_ok(buf_take(&b) == NULL, "failure: nothing to take");
	tap_ok(b.data == NULL && !b.failed, "failure: empty after take");
}

static void test_take(void)
{
	struct buf b = {0};
	char *s = buf_take(&b);
	tap_str(s, "", "take: the empty string is on the heap");
	free(s);
	buf_add_str(&b, "mine");
	s = buf_take(&b);
	tap_str(s, "mine", "take: content");
	tap_ok(b.data == NULL && b.len == 0, "take: empty afterwards");
	free(s);
	s = str_print("%s=%d", "k", 7);
	tap_str(s, "k=7", "str_print");
	free(s);
	s = str_dup("copy");
	tap_str(s, "copy", "str_dup");
	free(s);
}

static void check_cut(const char *text, size_t most, const char *want)
{
	struct buf b = {0};
	buf_add_cut(&b, text, most);
	tap_str(buf_str(&b), want, "cut: \"%s\" to %zu bytes", text, most);
	buf_fini(&b);
}

static void test_cut(void)
{
	check_cut("tiles", 5, "tiles");
	check_cut("tiles", 4, "tile...");
	check_cut("a\xc3\xa4", 3, "a\xc3\xa4");
	check_cut("a\xc3\xa4z", 2, "a...");
	check_cut("\xf0\x9f\x98\x80", 3, "...");
	check_cut("", 0, "");
}

static void test_nearest(void)
{
	static const char *const names[] = {"BLOCK_M", "BLOCK_N", "threads", "unroll", "H", NULL};
	static const char *const none[] = {NULL};
	static const char *const cases[] = {"Kernel", "kernel", NULL};
	tap_str(str_nearest("Block_M", names), "BLOCK_M", "nearest: wrong case");
	tap_str(str_nearest("block_n", names), "BLOCK_N", "nearest: wrong case, last letter tells");
	tap_str(str_nearest("h", names), "H", "nearest: one letter, wrong case");
	tap_str(str_nearest("thraeds", names), "threads", "nearest: two letters swapped");
	tap_str(str_nearest("unrol", names), "unroll", "nearest: one letter missing");
	tap_str(str_nearest("unrolll", names), "unroll", "nearest: one letter too many");
	tap_str(str_nearest("kernel", cases), "kernel", "nearest: the exact one wins");
	tap_ok(!str_nearest("S", names), "nearest: one letter, another letter: none");
	tap_ok(!str_nearest("warps", names), "nearest: too far");
	tap_ok(!str_nearest("", names), "nearest: of nothing");
	tap_ok(!str_nearest("x", none), "nearest: among nothing");
	char longer[200];
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	tap_ok(!str_nearest(longer, names), "nearest: of a very long name");
	const char *const long_names[] = {longer, NULL};
	tap_ok(!str_nearest("aaaa", long_names), "nearest: among very long names");
}

static void test_texts(void)
{
	static const char *const list[] = {"a", "bc", NULL};

	tap_ok(str_is_identifier("_a9") && str_is_identifier("int"), "identifiers");
	tap_ok(!str_is_identifier("9a") && !str_is_identifier("a-b") && !str_is_identifier("a b"),
	       "no identifiers");
	tap_ok(!str_is_identifier("") && !str_is_identifier(NULL), "no text is no identifier");
	tap_ok(str_is_in("bc", list) && !str_is_in("b", list) && !str_is_in("", list),
	       "texts in a list");
}

/* Each is before the next. */
static void test_natural(void)
{
	static const char *const list[] = {"",
					   "p",
					   "p0",
					   "p01",
					   "p1",
					   "p2",
					   "p2a",
					   "p2a3",
					   "p2a10",
					   "p10",
					   "p10000000000000000000000",
					   "q",
					   "\xC3\xA9"};
	const size_t n = sizeof list / sizeof *list;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			const int order = str_compare_natural(list[i], list[k]);

			tap_ok(i < k   ? order < 0
			       : i > k ? order > 0
				       : order == 0,
			       "natural order of \"%s\" and \"%s\"", list[i], list[k]);
		}
}

static void test_shell(void)
{
	struct buf out = {0};

	shell_add_word(&out, "a/b-c_1.json");
	shell_add_word(&out, "");
	shell_add_word(&out, "it's $(x)");
	tap_str(buf_str(&out), "a/b-c_1.json'''it'\\''s $(x)'", "words for a shell");
	buf_fini(&out);
}

int main(void)
{
	test_add();
	test_drop();
	test_failure();
	test_take();
	test_cut();
	test_nearest();
	test_texts();
	test_natural();
	test_shell();
	return tap_done();
}
