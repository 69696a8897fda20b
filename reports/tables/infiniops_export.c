/* The exporter `infiniops`: a file of rules, sizes -> implementation_index, which libasctune reads,
 * since the library reads no such file itself. */
#include <inttypes.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "reports/tables/exporter.h"
#include "reports/tables/infiniops_rules.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"

#define FILE_NAME "implementation_index.json"

/* ---- one rule ---- */

/* The library's name of a type, as torch has it: the first of the other names. */
static const char *type_name(const char *type)
{
	for (const struct dtype_alias *a = dtype_aliases; a->other; a++)
		if (strcmp(a->name, type) == 0)
			return a->other;
	return type;
}

static void write_types(struct json_writer *w, const struct dispatch_row *row)
{
	if (row->n_types == 0 || dispatch_is_uniform(row)) {
		json_write_string(w, "dtype",
				  row->n_types > 0 ? type_name(row->types[0].type) : "*");
		return;
	}
	json_write_begin(w, "dtype", '{');
	for (size_t i = 0; i < row->n_types; i++)
		json_write_string(w, row->types[i].name, type_name(row->types[i].type));
	json_write_end(w, '}');
}

static void write_match(struct json_writer *w, const struct dispatch_rule *rule)
{
	json_write_begin(w, "match", '{');
	for (size_t i = 0; i < rule->n_sizes; i++) {
		const struct dispatch_size *s = &rule->sizes[i];

		if (s->low == s->high) {
			json_write_int(w, s->name, s->low);
			continue;
		}
		json_write_begin(w, s->name, '[');
		json_write_int(w, NULL, s->low);
		json_write_int(w, NULL, s->high);
		json_write_end(w, ']');
	}
	json_write_end(w, '}');
}

/* True for a parameter that Triton takes beside the kernel's own. */
static bool is_option(const char *name)
{
	return strcmp(name, "num_warps") == 0 || strcmp(name, "num_stages") == 0;
}

/* Writes the configuration of a Triton kernel as the operator's `config` takes it; an operator in
 * another language takes none. */
static enum asc_status write_config(struct json_writer *w, const struct dispatch_row *row,
				    struct asc_err *e)
{
	const char *text = row->result.config_json;
	struct json_doc *doc = NULL;

	if (!text || !strstr(text, "\"num_warps\""))
		return ASC_OK;
	if (json_open_text("config", text, strlen(text), &doc, e))
		return e->status;
	json_write_begin(w, "config", '{');
	for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
		if (is_option(json_key(n)))
			json_write_node(w, json_key(n), n);
	json_write_begin(w, "constexprs", '{');
	for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
		if (!is_option(json_key(n)))
			json_write_node(w, json_key(n), n);
	json_write_end(w, '}');
	json_write_end(w, '}');
	json_close(doc);
	return ASC_OK;
}

/* Warns of a configuration that no answer of libasctune has room for; `bytes`: with its key. */
static void warn_of_length(const struct best_row *r, size_t bytes)
{
	if (bytes > INFINIOPS_CONFIG_BYTES + sizeof ",\"config\":" - 1)
		log_print(LOG_WARN,
			  "%s/%s: %s on %s: libasctune leaves this rule out: its configuration is "
			  "longer than %d bytes",
			  r->workload, r->problem, r->implementation, r->device_model,
			  INFINIOPS_CONFIG_BYTES);
}

/* Writes a rule; one of several rows, which have times of their own, has none. */
static enum asc_status write_rule(struct json_writer *w, const struct dispatch *t,
				  const struct dispatch_rule *rule, struct asc_err *e)
{
	const struct dispatch_row *row = &t->rows[rule->row];
	const struct best_row *r = &row->result;

	buf_add_char(w->out, '\n');
	json_write_begin(w, NULL, '{');
	json_write_string(w, "op", row->op);
	json_write_string(w, "device", infiniops_device(r->device_kind));
	json_write_string(w, "device_name", r->device_model);
	write_types(w, row);
	write_match(w, rule);
	json_write_int(w, "implementation_index", r->implementation_index);
	const size_t before = w->out->len;

	if (write_config(w, row, e))
		return asc_err_wrap(e, "trial %" PRId64, r->trial_id);
	warn_of_length(r, w->out->len - before);
	if (rule->n_rows < 2)
		json_write_real(w, "time_us", r->median_ns / 1000);
	if (row->rival_index >= 0)
		json_write_int(w, "default_index", row->rival_index);
	if (row->rival_ns > 0 && rule->n_rows < 2)
		json_write_real(w, "default_time_us", row->rival_ns / 1000);
	json_write_int(w, INFINIOPS_OWN_KEY, r->trial_id);
	json_write_end(w, '}');
	return ASC_OK;
}

/* ---- the file ---- */

static enum asc_status write_table(const struct dispatch *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "format", INFINIOPS_FORMAT);
	json_write_int(&w, "version", INFINIOPS_VERSION);
	json_write_string(&w, "written_by", "asctune");
	json_write_begin(&w, "rules", '[');
	for (size_t i = 0; i < t->n_rules; i++)
		if (write_rule(&w, t, &t->rules[i], e))
			return e->status;
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
	return buf_check(out, e);
}

static enum asc_status export_rules(const struct exporter_ops *self, const struct export_request *r,
				    struct sink *to, struct asc_err *e)
{
	struct dispatch_terms terms = r->terms;
	struct buf text = {0};

	terms.library = "infiniops";
	terms.indices = true;
	enum asc_status status = exporter_add_rules(r, &terms, e);
	if (status == ASC_OK)
		status = write_table(r->table, &text, e);
	if (status == ASC_OK)
		status = sink_add(to, &self->kind, FILE_NAME, &text, e);
	if (status == ASC_OK)
		status = evidence_add(r, self->name, FILE_NAME, to, e);
	buf_fini(&text);
	return status;
}

const struct exporter_ops infiniops_exporter = {
	.name = "infiniops",
	.summary = FILE_NAME ": rules, sizes to implementation_index, for libasctune",
	.needs = EXPORT_DISPATCH,
	.simulated = true,
	.kind = {.begins = "{\"format\":\"" INFINIOPS_FORMAT
			   "\",\"version\":1,\"written_by\":\"asctune\"",
		 .merge = infiniops_merge},
	.write = export_rules,
};
