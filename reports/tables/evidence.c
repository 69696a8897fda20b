#include "reports/tables/evidence.h"

#include "reports/tables/best_json.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

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
	json_write_string(w, "source_digest", row->result.source_digest);
	write_rival(w, row);
	if (row->best_key)
		json_write_string(w, "in_place_of", row->best_key);
	if (best_json_write_members(w, &row->result, e))
		return e->status;
	json_write_end(w, '}');
	return ASC_OK;
}

static enum asc_status write_rule(struct json_writer *w, const struct dispatch *t,
				  const struct rule *rule, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = rule->row; i != SIZE_MAX && status == ASC_OK;
	     i = dispatch_next_row(t, rule, i))
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

static enum asc_status write_all(struct json_writer *w, const struct export_request *r,
				 const char *exporter, const char *name, struct asc_err *e)
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
		if (write_rule(w, t, &t->rules[i], e))
			return e->status;
	json_write_end(w, ']');
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
			     struct sink *to, struct asc_err *e)
{
	struct buf text = {0}, file = {0};
	struct json_writer w = {&text, false};
	enum asc_status status = write_all(&w, r, exporter, name, e);

	buf_print(&file, "%s" EVIDENCE_ENDS, name);
	if (status == ASC_OK)
		status = buf_check(&file, e);
	if (status == ASC_OK)
		status = sink_add(to, &kind, buf_str(&file), &text, e);
	buf_fini(&text);
	buf_fini(&file);
	return status;
}
