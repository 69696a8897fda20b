/* Text from outside in HTML: nothing of it is markup, whatever it is.
 * covers: html.c html_table.c */
#include "reports/page/parts/html.h"

#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html_table.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

typedef void write_fn(struct buf *out, const char *text);

static void is(write_fn *write, const char *text, const char *want, const char *name)
{
	struct buf b = {0};

	write(&b, text);
	tap_str(buf_str(&b), want, "%s", name);
	buf_fini(&b);
}

static void test_escapes(void)
{
	is(html_text, "a<b>&\"'", "a&lt;b&gt;&amp;\"'", "text: < > &");
	is(html_text, "</script>", "&lt;/script&gt;", "text: a tag");
	is(html_text, "a\nb\tc", "a\nb\tc", "text: newline and tab stay");
	is(html_text, NULL, "", "text: none");
	is(html_json, "{\"a\":\"</script>&<!--\"}",
	   "{\"a\":\"\\u003c/script\\u003e\\u0026\\u003c!--\"}", "JSON within a script");
}

static void test_characters(void)
{
	is(html_text, "a\x01\r\nb", "a\xEF\xBF\xBD\nb", "controls are seen, returns left out");
	is(html_text, "\xFF", "\xEF\xBF\xBD", "what is no UTF-8 is replaced");
}

static void test_names(void)
{
	struct buf b = {0};
	char longest[4097];

	html_name(&b, "x\" onload='x' <&>\n\t\xFF", 1);
	tap_str(buf_str(&b),
		"<bdi title=\"x&quot; onload=&#39;x&#39; "
		"&lt;&amp;&gt;&#10;&#9;\xEF\xBF\xBD\">x…</bdi>",
		"a tooltip: quotes and ends of lines too");
	buf_clear(&b);

	html_name(&b, "gemm", 4);
	tap_str(buf_str(&b), "<bdi>gemm</bdi>", "a short name is whole");
	buf_clear(&b);
	html_name(&b, "A=1,B=2", 10);
	tap_str(buf_str(&b), "<bdi>A=1,<wbr/>B=2</bdi>", "a line ends between parameters");
	buf_clear(&b);
	html_name(&b, "\xC3\xA4\xC3\xA4\xC3\xA4\"", 2);
	tap_str(buf_str(&b),
		"<bdi title=\"\xC3\xA4\xC3\xA4\xC3\xA4&quot;\">\xC3\xA4\xC3\xA4\xE2\x80\xA6</bdi>",
		"a long one is cut between characters, the whole is its title");
	buf_clear(&b);
	is(html_copy, "-p 'a,b' c-d,e --db a.db",
	   "<code class=\"copy\"><span>-p</span> 'a,<wbr/>b' <span>c-d</span>,<wbr/>e "
	   "<span>--db</span> a.db</code>",
	   "lines end at blanks and commas");
	is(html_copy, "", "<code class=\"copy\"></code>", "nothing");
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	html_name(&b, longest, 60);
	tap_ok(b.len < 600, "4 kB take %zu bytes", b.len);
	buf_clear(&b);
	html_name(&b, "abcdefghijkl", 9);
	tap_str(buf_str(&b), "<bdi title=\"abcdefghijkl\">abcdef…jkl</bdi>",
		"the middle is left out");
	buf_fini(&b);
}

/* A text to be copied is whole in its tooltip where it is cut. */
static void test_copy(void)
{
	struct buf b = {0};
	char longest[1001] = "";

	is(html_copy, "run '<a>'", "<code class=\"copy\">run '&lt;a&gt;'</code>", "a short one");
	memset(longest, 'x', sizeof longest - 1);
	html_copy(&b, longest + 1000 - 400);
	tap_ok(!strstr(buf_str(&b), "title=") && !strstr(buf_str(&b), "…"), "400 are not cut");
	buf_clear(&b);
	html_copy(&b, longest + 1000 - 401);
	tap_ok(strstr(buf_str(&b), "title=") && strstr(buf_str(&b), "…"), "401 are");
	buf_clear(&b);
	memcpy(longest, "begin", 5);
	memcpy(longest + 1000 - 3, "end", 4);
	html_copy(&b, longest);
	const char *shown = strstr(buf_str(&b), "\">"), *cut = strstr(buf_str(&b), "…");

	tap_ok(strstr(buf_str(&b), "<code class=\"copy\" title=\"begin") == buf_str(&b) && shown &&
		       strcspn(strstr(buf_str(&b), "begin"), "\"") == 1000,
	       "1000 characters are in the tooltip");
	tap_ok(shown && strncmp(shown, "\">begin", 7) == 0 && cut - shown == 2 + 267 &&
		       strcmp(buf_str(&b) + b.len - 10, "end</code>") == 0 &&
		       strlen(cut) == 3 + 133 + 7,
	       "400 are shown, of the begin and of the end");
	buf_fini(&b);
}

static void write_rows(struct html_table *t, size_t n)
{
	html_table_begin(t);
	for (size_t i = 0; i < n; i++) {
		if (!html_table_row(t))
			continue;
		html_cell_name(t, "<b>", 10);
		html_cell_number(t, -1.5, 2);
	}
	html_table_end(t);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

static void test_table(size_t rows, size_t written, const char *more)
{
	static const struct html_column columns[] = {
		{"name", NULL, false}, {"time", "ms", true}, {NULL, NULL, false}};
	struct buf b = {0};
	struct html_table t = {
		.out = &b, .id = "t", .caption = "a & b", .columns = columns, .rest = "there"};

	write_rows(&t, rows);
	char *wrong = markup_check(buf_str(&b), b.len, MARKUP_PAGE);

	tap_ok(!wrong, "%zu rows: %s", rows, wrong ? wrong : "well-formed");
	tap_int(count(buf_str(&b), "<th scope=\"row\""), written, "%zu are in the file", written);
	tap_int(count(buf_str(&b), "class=\"rest\""), rows > HTML_TABLE_SHOWN,
		"beyond 50 they are in a body of their own");
	tap_has(buf_str(&b), more, "%zu rows: %s", rows, more);
	free(wrong);
	buf_fini(&b);
}

/* ---- the checker that pages are held to ---- */

static const struct fault {
	const char *markup, *wrong;
} faults[] = {{"<p>a & b</p>", "a bare &"},
	      {"<p>&nbsp;</p>", "a bare &"},
	      {"<p>&#0;</p>", "a reference to no character"},
	      {"<p>]]></p>", "]]> in text"},
	      {"<p>\x01</p>", "no character"},
	      {"<p><b>a</b></p>", "an element that is not ours"},
	      {"<p onclick=\"a\">b</p>", "an attribute that is not ours"},
	      {"<p id=a>b</p>", "an attribute without a quoted value"},
	      {"<p id=\"a<\">b</p>", "an attribute that does not end"},
	      {"<p id=\"a\" id=\"b\">c</p>", "an attribute twice"},
	      {"<p><a>b</p></a>", "the end of another element"},
	      {"<p>a", "never ended"},
	      {"<p>a</p", "the end of another element"},
	      {"<p id=\"a\">b</p><p id=\"a\">c</p>", "an id twice"},
	      {"<a href=\"#a\">b</a>", "no element has the id"},
	      {"<a href=\"//a\">b</a>", "a link that leaves the page"},
	      {"<style>@import 'a'</style>", "something from outside"},
	      {"<script>1</script><script>2</script><script>3</script>", "one script too many"},
	      {NULL, NULL}};

static void test_faults(void)
{
	for (const struct fault *f = faults; f->markup; f++) {
		char *wrong = markup_check(f->markup, strlen(f->markup), MARKUP_PAGE);
		tap_has(wrong, f->wrong, "%s", f->markup);
		free(wrong);
	}
	char *second = markup_check("<a/><b/>", 8, MARKUP_XML);
	tap_has(second, "no root, or a second one", "XML of two roots");
	free(second);
}

int main(void)
{
	test_faults();
	test_escapes();
	test_characters();
	test_names();
	test_copy();
	test_table(0, 0, "<caption id=\"t-c\">a &amp; b</caption>");
	test_table(1, 1,
		   "<td class=\"n\" data-v=\"-1.5\">\xE2\x88\x92"
		   "1.50</td>");
	test_table(50, 50, "<th scope=\"col\" class=\"n\">time, ms</th>");
	test_table(51, 51, "all 51 rows instead of the first 50");
	test_table(700, 500,
		   "200 rows more are left out here: <code class=\"copy\">there</code> has all.");
	return tap_done();
}
