#include "tuner/cmd/list_models.h"

#include <stdio.h>

#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/cmd/table.h"
#include "tuner/model/limits.h"
#include "tuner/model/occupancy.h"

static void print_size(int64_t bytes, struct buf *out)
{
	if (bytes % 1024)
		buf_print(out, "%lld B", (long long)bytes);
	else
		buf_print(out, "%lld KiB", (long long)(bytes / 1024));
}

/* "Ascend NPU: ub 192 KiB, l1 512 KiB, ..." */
static void print_summary(const struct limits *l, struct buf *out)
{
	const char *before = ": ";

	buf_add_str(out, l->kind);
	for (size_t i = 0; i < l->n_spaces; i++) {
		const struct memory_space *s = &l->spaces[i];

		if (!s->bytes)
			continue;
		buf_print(out, "%s%s ", before, s->name);
		print_size(s->bytes, out);
		if (s->unit_bytes > 1)
			buf_print(out, " in %lld blocks", (long long)s->max_units);
		before = ", ";
	}
	if (l->sm)
		buf_print(out, " of the %d KiB of an SM, %d threads, %d blocks, %d registers",
			  l->sm->shared_bytes / 1024, l->sm->threads, l->sm->blocks,
			  OCCUPANCY_REGISTERS);
}

static void write_space(struct json_writer *w, const struct memory_space *s)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "name", s->name);
	json_write_int(w, "bytes", s->bytes);
	json_write_int(w, "unit_bytes", s->unit_bytes);
	json_write_int(w, "align", s->align);
	json_write_int(w, "max_units", s->max_units);
	json_write_end(w, '}');
}

/* `key` is absent where there is no limit. */
static void write_axes(struct json_writer *w, const char *key, const int64_t axes[3])
{
	if (!axes[0])
		return;
	json_write_begin(w, key, '[');
	for (int i = 0; i < 3; i++)
		json_write_int(w, NULL, axes[i]);
	json_write_end(w, ']');
}

static void write_facts(struct json_writer *w, const struct facts *f)
{
	json_write_begin(w, "facts", '{');
	for (int i = 0; i < FACT_COUNT; i++)
		if (f->known[i])
			json_write_int(w, facts_name((enum fact)i), f->value[i]);
	json_write_end(w, '}');
}

static void write_model(const struct limits *l, const char *summary)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "name", l->name);
	json_write_bool(&w, "usable", false);
	json_write_string(&w, "summary", summary);
	json_write_string(&w, "reason", "a model to plan for with asctune space --device");
	json_write_string(&w, "device", l->device);
	json_write_begin(&w, "memory", '[');
	for (size_t i = 0; i < l->n_spaces; i++)
		write_space(&w, &l->spaces[i]);
	json_write_end(&w, ']');
	write_axes(&w, "grid", l->grid);
	write_axes(&w, "block", l->block);
	write_facts(&w, &l->facts);
	json_write_end(&w, '}');
	puts(buf_str(&line));
	buf_fini(&line);
}

void list_models(bool json, struct table *rows)
{
	struct limits l;

	for (size_t i = 0; limits_at(i, &l); i++) {
		struct buf summary = {0};

		print_summary(&l, &summary);
		if (json) {
			write_model(&l, buf_str(&summary));
		} else {
			table_add(rows, "%s", l.name);
			table_add(rows, "plan");
			table_add(rows, "%s", buf_str(&summary));
		}
		buf_fini(&summary);
	}
}
