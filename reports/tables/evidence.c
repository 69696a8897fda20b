#include "reports/tables/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "reports/tables/best_json.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

static const struct sink_kind kind = {.begins = "{\"format\":\"" EVIDENCE_FORMAT "\"",
				      .aside = true};

static void write_sizes(struct json_writer *w, const struct rule *rule)
{
	json_write_begin(w, "sizes", '{');
	for (size_t i = 0; i < rule->n_sizes; i++) {
		json_write_begin(w, rule->sizes[i].name, '[');
		json_write_int(w, NULL, rule->sizes[i].low);
		json_write_int(w, NULL, rule->sizes[i].high);
		json_write_end(w, ']');
	}
	json_write_end(w, '}');
}

/* Types by which a reader names its file, and the sizes that are truth values. */
static void write_types(struct json_writer *w, const struct dispatch_row *row)
{
	json_write_begin(w, "types", '{');
	for (size_t i = 0; i < row->n_types; i++)
		json_write_string(w, row->types[i].name, row->types[i].type);
	json_write_end(w, '}');
	json_write_begin(w, "truths", '[');
	for (size_t i = 0; i < row->n_sizes; i++)
		if (row->truth[i])
			json_write_string(w, NULL, row->sizes[i].name);
	json_write_end(w, ']');
}

/* Writes the kernel's place in its library; null where that is not recorded. */
static enum asc_status write_origin(struct json_writer *w, const struct dispatch_row *row,
				    struct asc_err *e)
{
	const char *text = row->result.export_json ? row->result.export_json : "{}";
	struct json_doc *doc = NULL;

	if (json_open_text("export", text, strlen(text), &doc, e))
		return e->status;
	const struct json_node *origin = json_find(json_root(doc), WORKLOAD_ORIGIN_KEY);

	if (origin)
		json_write_node(w, "origin", origin);
	else
		json_write_string(w, "origin", NULL);
	json_close(doc);
	return ASC_OK;
}

/* The library's default in the same rounds; null where it was not measured. */
static void write_rival(struct json_writer *w, const struct dispatch_row *row)
{
	if (!row->rival) {
		json_write_string(w, "library_default", NULL);
		return;
	}
	json_write_begin(w, "library_default", '{');
	json_write_string(w, "implementation", row->rival);
	json_write_real(w, "median_ns", row->rival_ns);
	json_write_real(w, "ratio", row->rival_ns / row->result.median_ns);
	json_write_end(w, '}');
}

static enum asc_status write_row(struct json_writer *w, const struct dispatch_row *row,
				 const struct rule *rule, struct asc_err *e)
{
	buf_add_char(w->out, '\n');
	json_write_begin(w, NULL, '{');
	json_write_string(w, "exported_operator", row->op);
	write_sizes(w, rule);
	json_write_bool(w, "simulated", row->simulated);
	json_write_bool(w, "foreign_kernel", row->foreign);
	if (row->file) {
		write_types(w, row);
		if (write_origin(w, row, e))
			return e->status;
	}
	json_write_string(w, "source_digest", row->result.source_digest);
	write_rival(w, row);
	if (row->best_key)
		json_write_string(w, "in_place_of", row->best_key);
	if (best_json_write_members(w, &row->result, e))
		return e->status;
	json_write_end(w, '}');
	return ASC_OK;
}

/* Writes the rows of a rule; `file`: those of one file of a reader, NULL: all. */
static enum asc_status write_rule(struct json_writer *w, const struct dispatch *t,
				  const struct rule *rule, const char *file, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = rule->row; i != SIZE_MAX && status == ASC_OK;
	     i = dispatch_next_row(t, rule, i))
		if (!file || str_is_same(t->rows[i].file, file))
			status = write_row(w, &t->rows[i], rule, e);
	return status;
}

static void write_left_out(struct json_writer *w, const struct dispatch_row *row)
{
	buf_add_char(w->out, '\n');
	json_write_begin(w, NULL, '{');
	json_write_string(w, "workload", row->result.workload);
	json_write_string(w, "problem", row->result.problem);
	json_write_string(w, "implementation", row->result.implementation);
	json_write_string(w, "reason", row->left_out);
	json_write_end(w, '}');
}

static void write_pins(struct json_writer *w, const char *name, const struct evidence_table *table,
		       bool unproved)
{
	json_write_begin(w, name, '[');
	for (size_t i = 0; i < table->n_pins; i++) {
		if (table->pins[i].unproved != unproved)
			continue;
		buf_add_char(w->out, '\n');
		json_write_begin(w, NULL, '{');
		json_write_string(w, "row", table->pins[i].row);
		json_write_string(w, "reason", table->pins[i].reason);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static void write_table(struct json_writer *w, const struct evidence_table *table)
{
	json_write_string(w, "reader", table->reader);
	json_write_string(w, "triton", table->triton);
	json_write_string(w, "table", buf_str(table->text));
	json_write_string(w, "merged",
			  table->placed->len > 0 &&
					  strcmp(buf_str(table->placed), buf_str(table->text)) != 0
				  ? buf_str(table->placed)
				  : NULL);
	json_write_string(w, "shipped", table->shipped->len > 0 ? buf_str(table->shipped) : NULL);
	json_write_bool(w, "proved", !table->unproved);
	write_pins(w, "pinned", table, false);
	write_pins(w, "unproved", table, true);
}

static enum asc_status write_all(struct json_writer *w, const struct export_request *r,
				 const char *exporter, const char *name,
				 const struct evidence_table *table, struct asc_err *e)
{
	const struct dispatch *t = r->table;

	json_write_begin(w, NULL, '{');
	json_write_string(w, "format", EVIDENCE_FORMAT);
	json_write_int(w, "version", EVIDENCE_VERSION);
	json_write_string(w, "exporter", exporter);
	json_write_string(w, "file", name);
	json_write_string(w, "database", r->database);
	json_write_begin(w, "rows", '[');
	for (size_t i = 0; i < t->n_rules; i++)
		if (write_rule(w, t, &t->rules[i], table ? name : NULL, e))
			return e->status;
	json_write_end(w, ']');
	if (table)
		write_table(w, table);
	json_write_begin(w, "left_out", '[');
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->rows[i].said)
			write_left_out(w, &t->rows[i]);
	json_write_end(w, ']');
	json_write_end(w, '}');
	buf_add_char(w->out, '\n');
	return buf_check(w->out, e);
}

enum asc_status evidence_add(const struct export_request *r, const char *exporter, const char *name,
			     const struct evidence_table *table, struct sink *to, struct asc_err *e)
{
	struct buf text = {0}, file = {0};
	struct json_writer w = {&text, false};
	enum asc_status status = write_all(&w, r, exporter, name, table, e);

	buf_print(&file, "%s" EVIDENCE_ENDS, name);
	if (status == ASC_OK)
		status = buf_check(&file, e);
	if (status == ASC_OK)
		status = sink_add(to, &kind, buf_str(&file), &text, e);
	buf_fini(&text);
	buf_fini(&file);
	return status;
}

enum asc_status evidence_read_table(const char *path, struct buf *out, struct asc_err *e)
{
	char *beside = str_print("%s" EVIDENCE_ENDS, path);
	struct json_doc *doc = NULL;
	struct asc_err unread;
	const char *text;

	if (!beside)
		return asc_err_nomem(e);
	enum asc_status status = ASC_OK;

	/* Evidence that is not there, or not asctune's, says nothing of the file. */
	if (file_exists(beside) && json_open_file(beside, &doc, &unread))
		status = unread.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	if (doc && json_get_string(json_find(json_root(doc), "table"), &text, &unread) == ASC_OK)
		buf_add_str(out, text);
	json_close(doc);
	free(beside);
	return status ? status : buf_check(out, e);
}
