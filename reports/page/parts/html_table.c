#include "reports/page/parts/html_table.h"

#include <math.h>
#include <stdio.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_number.h"
#include "tuner/base/buf.h"

/* Makes the box scroll by itself where it is too wide, reachable by keyboard. */
void html_table_begin(struct html_table *t)
{
	t->rows = t->cells = 0;
	buf_print(t->out,
		  "<div class=\"table%s\" id=\"%s\" role=\"group\" tabindex=\"0\""
		  " aria-labelledby=\"%s-c\"><table><caption id=\"%s-c\">",
		  t->data ? " data" : "", t->id, t->id, t->id);
	html_text(t->out, t->caption);
	if (t->order) {
		buf_add_str(t->out, "<span class=\"order\">");
		html_text(t->out, t->order);
		buf_add_str(t->out, "</span>");
	}
	buf_add_str(t->out, "</caption>\n<thead><tr>");
	for (const struct html_column *c = t->columns; c->title; c++) {
		buf_print(t->out, "<th scope=\"col\"%s>", c->number ? " class=\"n\"" : "");
		html_text(t->out, c->title);
		if (c->unit) {
			buf_add_str(t->out, ", ");
			html_text(t->out, c->unit);
		}
		buf_add_str(t->out, "</th>");
	}
	buf_add_str(t->out, "</tr></thead>\n<tbody>\n");
}

bool html_table_row(struct html_table *t)
{
	if (t->rows++ >= HTML_TABLE_ROWS)
		return false;
	if (t->rows > 1)
		buf_add_str(t->out, "</tr>\n");
	/* A body of its own, which the style sheet hides until all rows are asked for. */
	if (t->rows == HTML_TABLE_SHOWN + 1)
		buf_add_str(t->out, "</tbody>\n<tbody class=\"rest\">\n");
	buf_add_str(t->out, "<tr>");
	t->cells = 0;
	return true;
}

static void begin(struct html_table *t)
{
	buf_add_str(t->out, t->cells == 0 ? "<th scope=\"row\"" : "<td");
}

void html_cell_begin(struct html_table *t)
{
	begin(t);
	buf_add_char(t->out, '>');
}

void html_cell_begin_number(struct html_table *t, double sorts_by)
{
	begin(t);
	buf_add_str(t->out, " class=\"n\"");
	/* Value that the script sorts by: the text has a unit, and digits cut. */
	if (!t->data && isfinite(sorts_by))
		buf_print(t->out, " data-v=\"%.9g\"", sorts_by);
	buf_add_char(t->out, '>');
}

void html_cell_end(struct html_table *t)
{
	buf_add_str(t->out, t->cells == 0 ? "</th>" : "</td>");
	t->cells++;
}

void html_cell_text(struct html_table *t, const char *text)
{
	html_cell_begin(t);
	html_text(t->out, text);
	html_cell_end(t);
}

void html_cell_name(struct html_table *t, const char *name, size_t most)
{
	begin(t);
	buf_add_str(t->out, " class=\"w\">");
	html_name(t->out, name, most);
	html_cell_end(t);
}

void html_cell_number(struct html_table *t, double value, int decimals)
{
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, value);
	html_text(t->out, number_print(value, decimals, text));
	html_cell_end(t);
}

void html_cell_time(struct html_table *t, double ns)
{
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, ns);
	buf_add_str(t->out, number_print_time(ns, text));
	html_cell_end(t);
}

void html_cell_count(struct html_table *t, long long count)
{
	html_cell_begin_number(t, (double)count);
	buf_print(t->out, "%lld", count);
	html_cell_end(t);
}

static void write_more(struct html_table *t)
{
	size_t written = t->rows < HTML_TABLE_ROWS ? t->rows : HTML_TABLE_ROWS;

	if (t->rows > HTML_TABLE_SHOWN)
		buf_print(t->out,
			  "<p class=\"more\"><input type=\"checkbox\" id=\"%s-m\"/>"
			  "<label for=\"%s-m\">all %zu rows instead of the first %d</label></p>",
			  t->id, t->id, written, (int)HTML_TABLE_SHOWN);
	if (t->rows == written)
		return;
	buf_print(t->out, "<p class=\"note\">%zu rows more are left out here", t->rows - written);
	if (t->rest) {
		buf_add_str(t->out, ": ");
		html_copy(t->out, t->rest);
		buf_add_str(t->out, " has all");
	}
	buf_add_str(t->out, ".</p>");
}

void html_table_end(struct html_table *t)
{
	if (t->rows > 0)
		buf_add_str(t->out, "</tr>\n");
	buf_add_str(t->out, "</tbody></table>");
	write_more(t);
	buf_add_str(t->out, "</div>\n");
}
