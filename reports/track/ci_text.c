#include "reports/track/ci_text.h"

#include <stdint.h>

#include "tuner/base/buf.h"

enum { NAME_LENGTH = 300 }; /* characters of a name in XML */

/* ---- Markdown ---- */

const struct escape ci_markdown[] = {
	{'|', "\\|"},   {'`', "\\`"},  {'*', "\\*"},  {'_', "\\_"},   {'[', "\\["},   {']', "\\]"},
	{'\\', "\\\\"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'@', "&#64;"}, {'#', "\\#"},
	{'$', "\\$"},   {'~', "\\~"},  {'\n', " "},   {'\r', " "},    {'\t', " "},    {0, NULL}};

void ci_write_markdown(const char *text, size_t most, struct buf *out)
{
	if (*escape_add(out, text, most, ci_markdown))
		buf_add_str(out, "...");
}

/* ---- workflow commands ---- */

const struct escape ci_command[] = {
	{'%', "%25"}, {'\t', " "}, {'\r', "%0D"}, {'\n', "%0A"}, {0, NULL}};

/* A property of a command ends at a comma, and properties at a colon, too:
 * https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts */
static const struct escape property[] = {{'%', "%25"}, {'\t', " "},  {'\r', "%0D"}, {'\n', "%0A"},
					 {':', "%3A"}, {',', "%2C"}, {0, NULL}};

void ci_begin_error(const char *title, const char *file, size_t line, struct buf *out)
{
	buf_add_str(out, "::error ");
	if (file) {
		buf_add_str(out, "file=");
		(void)escape_add(out, file, SIZE_MAX, property);
		if (line)
			buf_print(out, ",line=%zu", line);
		buf_add_char(out, ',');
	}
	buf_add_str(out, "title=");
	(void)escape_add(out, title, SIZE_MAX, property);
	buf_add_str(out, "::");
}

/* ---- JUnit ---- */

const struct escape ci_xml[] = {{'&', "&amp;"},  {'<', "&lt;"},    {'>', "&gt;"},
				{'"', "&quot;"}, {'\'', "&apos;"}, {'\n', "&#10;"},
				{'\r', "&#13;"}, {'\t', "&#9;"},   {0, NULL}};

void ci_begin_junit(const char *suite, const struct ci_counts *counts, struct buf *out)
{
	buf_print(out,
		  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<testsuites><testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" "
		  "skipped=\"%zu\">\n",
		  suite, counts->tests, counts->failures, counts->skipped);
}

void ci_end_junit(struct buf *out)
{
	buf_add_str(out, "</testsuite></testsuites>\n");
}

static void write_name(const char *text, struct buf *out)
{
	if (*escape_add(out, text, NAME_LENGTH, ci_xml))
		buf_add_str(out, "...");
}

void ci_begin_case(const char *device, const char *workload, const char *name, struct buf *out)
{
	buf_add_str(out, "<testcase classname=\"asctune.");
	write_name(device, out);
	if (workload) {
		buf_add_char(out, '.');
		write_name(workload, out);
	}
	buf_add_str(out, "\" name=\"");
	write_name(name, out);
	buf_add_str(out, "\">");
}

void ci_end_case(struct buf *out)
{
	buf_add_str(out, "</testcase>\n");
}

void ci_add_failure(const char *type, const char *message, const char *text, struct buf *out)
{
	buf_print(out, "<failure type=\"%s\" message=\"%s\">%s</failure>", type, message, text);
}

void ci_add_skipped(const char *text, struct buf *out)
{
	buf_print(out, "<skipped>%s</skipped>", text);
}

void ci_add_output(const char *text, struct buf *out)
{
	buf_print(out, "<system-out>%s</system-out>", text);
}
