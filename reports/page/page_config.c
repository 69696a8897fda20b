#include "reports/page/page_config.h"

#include <string.h>

#include "reports/page/html.h"
#include "reports/runs/run_table.h"
#include "tuner/base/buf.h"

enum { NAME = 40, VALUE = 30 }; /* characters */

bool page_setting_next(const char **key, struct page_setting *out)
{
	const size_t len = strcspn(*key, ","), name = strcspn(*key, "=,");

	if (!**key)
		return false;
	*out = (struct page_setting){.name = *key,
				     .name_len = name,
				     .value = *key + name + (name < len),
				     .value_len = len - name - (name < len)};
	*key += len + ((*key)[len] == ',');
	return true;
}

bool page_setting_find(const char *key, const char *name, size_t name_len, struct page_setting *out)
{
	while (page_setting_next(&key, out))
		if (out->name_len == name_len && memcmp(out->name, name, name_len) == 0)
			return true;
	return false;
}

bool page_setting_is(const struct page_setting *s, const char *value)
{
	return strncmp(s->value, value, s->value_len) == 0 && !value[s->value_len];
}

void page_setting_write(const char *text, size_t len, size_t most, struct buf *out)
{
	struct buf part = {0};

	buf_add(&part, text, len);
	html_name(out, buf_str(&part), most);
	out->failed |= part.failed;
	buf_fini(&part);
}

/* ---- chips ---- */

static bool same_value(const struct page_setting *a, const struct page_setting *b)
{
	return a->value_len == b->value_len && memcmp(a->value, b->value, a->value_len) == 0;
}

/* Writes a chip; `was` NULL: nothing to compare with, or as before. */
static void write_chip(const struct page_setting *was, const struct page_setting *is, bool changed,
		       struct buf *out)
{
	buf_print(out, "<span class=\"chip%s\">", changed ? " ch" : "");
	page_setting_write(is->name, is->name_len, NAME, out);
	buf_add_char(out, ' ');
	if (changed && was) {
		buf_add_str(out, "<small>");
		page_setting_write(was->value, was->value_len, VALUE, out);
		buf_add_str(out, " →</small> ");
	} else if (changed) {
		buf_add_str(out, "<small>new</small> ");
	}
	buf_add_str(out, "<strong>");
	page_setting_write(is->value, is->value_len, VALUE, out);
	buf_add_str(out, "</strong></span> ");
}

/* Writes the chip of a setting if it is among those wanted: changed ones, or the others. */
static void write_setting(const char *before, const struct page_setting *is, bool wanted,
			  struct buf *out)
{
	struct page_setting was;
	const bool known = before && page_setting_find(before, is->name, is->name_len, &was);
	const bool changed = before && !(known && same_value(&was, is));

	if (changed == wanted)
		write_chip(known ? &was : NULL, is, changed, out);
}

static void write_settings(const char *before, const char *key,
			   const struct run_implementation *order, bool wanted, struct buf *out)
{
	struct page_setting is;

	for (size_t i = 0; order && i < order->n_parameters; i++) {
		const char *name = order->parameters[i].name;

		if (page_setting_find(key, name, strlen(name), &is))
			write_setting(before, &is, wanted, out);
	}
	while (!order && page_setting_next(&key, &is))
		write_setting(before, &is, wanted, out);
}

void page_chips_write(const char *before, const char *key, const struct run_implementation *order,
		      struct buf *out)
{
	struct page_setting gone, is;

	buf_add_str(out, "<p class=\"chips\">");
	write_settings(before, key, order, true, out);
	for (const char *at = before; at && page_setting_next(&at, &gone);)
		if (!page_setting_find(key, gone.name, gone.name_len, &is)) {
			buf_add_str(out, "<span class=\"chip ch\">");
			page_setting_write(gone.name, gone.name_len, NAME, out);
			buf_add_str(out, " <small>");
			page_setting_write(gone.value, gone.value_len, VALUE, out);
			buf_add_str(out, " → none</small></span> ");
		}
	write_settings(before, key, order, false, out);
	buf_add_str(out, "</p>\n");
}
