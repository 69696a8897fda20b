#include "reports/page/parts/page_config.h"

#include <inttypes.h>
#include <string.h>

#include "db/history.h"
#include "reports/page/parts/html.h"
#include "reports/results/run_table.h"
#include "tuner/base/buf.h"

enum { NAME = 40, VALUE = 30, WHY = 300 }; /* characters of parameters, values and reasons */

bool page_setting_is(const struct setting *s, const char *value)
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

/* Writes a chip; `was` NULL: nothing to compare with, or as before. */
static void write_chip(const struct setting *was, const struct setting *is, bool changed,
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
static void write_setting(const char *before, const struct setting *is, bool wanted,
			  struct buf *out)
{
	struct setting was;
	const bool known = before && setting_find(before, is->name, is->name_len, &was);
	const bool changed = before && !(known && setting_same_value(&was, is));

	if (changed == wanted)
		write_chip(known ? &was : NULL, is, changed, out);
}

static void write_settings(const char *before, const char *key,
			   const struct run_implementation *order, bool wanted, struct buf *out)
{
	struct setting is;

	for (size_t i = 0; order && i < order->n_parameters; i++) {
		const char *name = order->parameters[i].name;

		if (setting_find(key, name, strlen(name), &is))
			write_setting(before, &is, wanted, out);
	}
	while (!order && setting_next(&key, &is))
		write_setting(before, &is, wanted, out);
}

void page_chips_write(const char *before, const char *key, const struct run_implementation *order,
		      struct buf *out)
{
	struct setting gone, is;

	/* Changed parameters come first, then those that are gone: the rest is as it was. */
	buf_add_str(out, "<p class=\"chips\">");
	write_settings(before, key, order, true, out);
	for (const char *at = before; at && setting_next(&at, &gone);)
		if (!setting_find(key, gone.name, gone.name_len, &is)) {
			buf_add_str(out, "<span class=\"chip ch\">");
			page_setting_write(gone.name, gone.name_len, NAME, out);
			buf_add_str(out, " <small>");
			page_setting_write(gone.value, gone.value_len, VALUE, out);
			buf_add_str(out, " → none</small></span> ");
		}
	write_settings(before, key, order, false, out);
	buf_add_str(out, "</p>\n");
}

enum asc_status page_failure_write(void *user, const struct db_failure *f, struct asc_err *e)
{
	struct buf *out = user;

	(void)e;
	buf_print(out, " %" PRId64 " %s", f->configurations, f->status);
	if (f->reason) {
		buf_add_str(out, " (<code>");
		html_name(out, f->reason, WHY);
		buf_add_str(out, "</code>)");
	}
	buf_add_char(out, '.');
	return ASC_OK;
}
