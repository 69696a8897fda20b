/* Exporters of tables that libraries read themselves, one for each library (readers/reader.h).
 *
 * The formats have no room for a mark of asctune's: what it wrote is known by the evidence beside a
 * file, which has its text. Merging keeps the rows that somebody else added; asctune's earlier ones
 * are replaced, or go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "reports/tables/exporter.h"
#include "reports/tables/reader_set.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"

/* ---- files that are there ---- */

/* True where two texts or files of a reader have the same rows. */
static bool has_same_rows(const struct reader_ops *ops, const struct buf *a, const struct buf *b)
{
	struct reader_table x = {0}, y = {0};
	struct asc_err ignored;
	bool same = ops->read("a", a, &x, &ignored) == ASC_OK &&
		    ops->read("b", b, &y, &ignored) == ASC_OK && x.n == y.n && x.n > 0;

	for (size_t i = 0; i < x.n && same; i++)
		same = reader_table_has(&y, &x.rows[i]);
	reader_table_fini(&x);
	reader_table_fini(&y);
	return same;
}

/* The is_own of struct sink_kind for a reader's files: one has the text of its evidence, a packed
 * one, which is no text, its rows. */
static bool is_own(const void *reader, const char *path, const struct buf *there)
{
	const struct reader_ops *ops = reader;
	struct buf written = {0};
	struct asc_err ignored;
	bool own = evidence_read_table(path, &written, &ignored) == ASC_OK && written.len > 0;

	if (own)
		own = ops->pack ? has_same_rows(ops, &written, there)
				: written.len == there->len &&
					  memcmp(written.data, there->data, there->len) == 0;
	buf_fini(&written);
	return own;
}

/* Adds the rows of a file that is there, but for asctune's own of earlier. */
static enum asc_status keep_rows(const char *path, const struct reader_table *theirs,
				 const struct reader_table *earlier, const struct reader_table *own,
				 struct reader_table *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < theirs->n && status == ASC_OK; i++) {
		const struct reader_row *row = &theirs->rows[i];

		if (reader_table_has(earlier, row))
			continue;
		if (reader_table_find(own, row->key) && !reader_table_has(own, row))
			return asc_err_set(e, ASC_INPUT,
					   "%s has a row %s of somebody else's, with another "
					   "configuration; --force replaces the file",
					   path, row->key ? row->key : "default");
		status = reader_table_add(out, row->key, &row->config, e);
		if (status == ASC_OK)
			out->rows[out->n - 1].ns = row->ns;
	}
	return status;
}

/* Adds own rows that are not there, each before the first of a larger size. */
static enum asc_status add_rows(const struct reader_table *own, struct reader_table *out,
				struct asc_err *e)
{
	for (size_t i = 0; i < own->n; i++) {
		const struct reader_row *row = &own->rows[i];
		size_t at = 0;

		if (reader_table_find(out, row->key))
			continue;
		if (reader_table_add(out, row->key, &row->config, e))
			return e->status;
		out->rows[out->n - 1].ns = row->ns;
		const struct reader_row last = out->rows[out->n - 1];

		while (at < out->n - 1 && out->rows[at].size <= last.size)
			at++;
		memmove(out->rows + at + 1, out->rows + at, (out->n - 1 - at) * sizeof last);
		out->rows[at] = last;
	}
	return ASC_OK;
}

/* The merge of struct sink_kind for a reader's files. */
static enum asc_status merge(const void *reader, const char *path, const struct buf *there,
			     const struct buf *own_text, struct buf *out, struct asc_err *e)
{
	const struct reader_ops *ops = reader;
	struct reader_table theirs = {0}, own = {0}, earlier = {0}, merged = {0};
	struct buf written = {0}, text = {0};
	struct asc_err unread;
	enum asc_status status = ops->read(path, there, &theirs, e);

	if (status == ASC_OK && theirs.other)
		status = asc_err_set(e, ASC_INPUT,
				     "%s has \"%.60s\", which a merge would lose; --force replaces "
				     "the file",
				     path, theirs.other);
	if (status == ASC_OK)
		status = ops->read("rows", own_text, &own, e);
	if (status == ASC_OK)
		status = evidence_read_table(path, &written, e);
	if (status == ASC_OK && written.len > 0 &&
	    ops->read("evidence", &written, &earlier, &unread) == ASC_NOMEM)
		status = asc_err_nomem(e);
	if (status == ASC_OK && theirs.version && own.version &&
	    strcmp(theirs.version, own.version) != 0 && !is_own(ops, path, there))
		status = asc_err_set(e, ASC_INPUT,
				     "%s is for Triton %.100s, the new rows are for %s; --force "
				     "replaces the file",
				     path, theirs.version, own.version);
	if (status == ASC_OK)
		status = keep_rows(path, &theirs, &earlier, &own, &merged, e);
	if (status == ASC_OK)
		status = add_rows(&own, &merged, e);
	if (status == ASC_OK && theirs.version && own.version &&
	    !(merged.version = str_dup(own.version)))
		status = asc_err_nomem(e);
	if (status == ASC_OK && own.kernel && !(merged.kernel = str_dup(own.kernel)))
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = ops->write(&merged, ops->pack ? &text : out, e);
	if (status == ASC_OK && ops->pack)
		status = ops->pack(&text, there, out, e);
	reader_table_fini(&theirs);
	reader_table_fini(&own);
	reader_table_fini(&earlier);
	reader_table_fini(&merged);
	buf_fini(&written);
	buf_fini(&text);
	return status;
}

/* ---- writing ---- */

/* Replaces a packed file by its text. */
static enum asc_status unpack(const struct reader_file *f, struct buf *file, struct asc_err *e)
{
	struct reader_table rows = {0};
	enum asc_status status = f->ops->read(f->name, file, &rows, e);

	buf_clear(file);
	if (status == ASC_OK)
		status = f->ops->write(&rows, file, e);
	reader_table_fini(&rows);
	return status;
}

/* Adds the evidence of the file that was added last, whose own text is `text`. */
static enum asc_status add_evidence(const struct export_request *r, const char *exporter,
				    const struct reader_file *f, const struct buf *text,
				    struct sink *to, struct asc_err *e)
{
	struct evidence_pin *pins = calloc(f->n + 1, sizeof *pins);
	struct buf placed = {0}, shipped = {0};
	struct evidence_table table = {.reader = f->ops->name,
				       .triton = f->triton,
				       .text = text,
				       .placed = &placed,
				       .shipped = &shipped,
				       .pins = pins,
				       .unproved = r->proof == EXPORT_UNPROVED};
	enum asc_status status = pins ? sink_read_last(to, &placed, e) : asc_err_nomem(e);

	if (status == ASC_OK && f->ops->pack && placed.len > 0)
		status = unpack(f, &placed, e);
	if (status == ASC_OK && f->imported.n > 0)
		status = f->ops->write(&f->imported, &shipped, e);
	for (size_t i = 0; i < f->n && status == ASC_OK; i++)
		if (f->lines[i].pinned || f->lines[i].unproved)
			pins[table.n_pins++] = (struct evidence_pin){
				f->lines[i].key, f->lines[i].why, f->lines[i].unproved};
	if (status == ASC_OK)
		status = evidence_add(r, exporter, f->name, &table, to, e);
	buf_fini(&placed);
	buf_fini(&shipped);
	free(pins);
	return status;
}

/* Says where each kind of file goes, once. */
static void say_places(const struct reader_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		bool said = s->files[i].idle;

		for (size_t k = 0; k < i; k++)
			said = said || (!s->files[k].idle && s->files[k].ops == s->files[i].ops);
		if (!said)
			log_print(LOG_NOTE, "%s: %s", s->files[i].ops->name,
				  s->files[i].ops->place);
	}
}

/* Says that there are answers of which nothing is known, and how to measure them. */
static void say_unproved(const struct reader_set *s, const struct export_request *r,
			 const char *library)
{
	if (r->proof == EXPORT_PROVED && s->n_needs > 0)
		log_print(LOG_NOTE,
			  "%zu answer%s left to %s's own, for want of measurements beside it: "
			  "`asctune run FILE --table %s` makes them%s",
			  s->n_needs, s->n_needs == 1 ? " is" : "s are", library, library,
			  r->table->n_covers > 0
				  ? ""
				  : ", and a table that was proved with --cover is exported with "
				    "it");
}

/* Refuses another version of a library than the one whose files are known. A library that is asked
 * says its own. */
static enum asc_status check_version(const struct exporter_ops *self,
				     const struct export_request *r, struct asc_err *e)
{
	const struct reader_ops *ops = self->kind.user;
	const char *version = exporter_find_setting(r, "version");

	if (version && ops->version && !ops->asks && strcmp(version, ops->version) != 0)
		return asc_err_set(e, ASC_INPUT,
				   "the table is for %s %s and no other version, asked for %.60s",
				   self->name, ops->version, version);
	return ASC_OK;
}

static enum asc_status export_tables(const struct exporter_ops *self,
				     const struct export_request *r, struct sink *to,
				     struct asc_err *e)
{
	struct reader_set s = {0};
	struct buf text = {0}, packed = {0};
	size_t written = 0;
	enum asc_status status = check_version(self, r, e);

	if (status == ASC_OK)
		status = reader_set_make(&s, r, self->name, e);
	for (size_t i = 0; i < s.n; i++)
		written += !s.files[i].idle;
	if (status == ASC_OK)
		status = exporter_say_left_out(r, s.n, e);
	if (status == ASC_OK && written == 0)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "nothing to export: no result is shown faster than what %s "
				     "takes without a table; --explain has the reasons",
				     self->name);
	for (size_t i = 0; i < s.n && status == ASC_OK; i++) {
		const struct reader_file *f = &s.files[i];

		buf_clear(&text);
		buf_clear(&packed);
		if (f->idle)
			continue;
		status = reader_file_write(f, &text, e);
		if (status == ASC_OK && f->ops->pack)
			status = f->ops->pack(&text, NULL, &packed, e);
		if (status == ASC_OK)
			status = sink_add(to, &self->kind, f->name, f->ops->pack ? &packed : &text,
					  e);
		if (status == ASC_OK)
			status = add_evidence(r, self->name, f, &text, to, e);
	}
	if (status == ASC_OK)
		say_unproved(&s, r, self->name);
	if (status == ASC_OK)
		say_places(&s);
	buf_fini(&text);
	buf_fini(&packed);
	reader_set_fini(&s);
	return status;
}

/* ---- explaining ---- */

/* Appends what an imported file of the same name takes for a row, if it is another configuration.
 */
static void explain_imported(const struct reader_file *f, const struct reader_line *l,
			     struct buf *out)
{
	const size_t found = l->key ? f->ops->find(&f->imported, l->key) : READER_OWN;
	const struct reader_row *row = !l->key               ? reader_table_find(&f->imported, NULL)
				       : found != READER_OWN ? &f->imported.rows[found]
							     : NULL;

	struct reader_config theirs = row ? row->config : (struct reader_config){0};
	struct asc_err why;

	reader_align_options(&theirs, &l->config);
	if (!row || reader_same_config(&theirs, &l->config))
		return;
	buf_print(out, "    imported, row %s: ", row->key ? row->key : "default");
	reader_print_config(&row->config, out);
	if (f->ops->asks && f->ops->check(&f->problem, &row->config, &why))
		buf_print(out, ": of no use: %s", why.text);
	buf_add_char(out, '\n');
}

/* True for a result that no file has, and that the user has asked for. */
static bool is_left_out(const struct dispatch_row *row)
{
	/* A slower one that is not said of is a row that holds the default. */
	return row->left_out && (row->said || (!row->slower && !row->not_asked));
}

static void explain_file(const struct reader_file *f, struct buf *out)
{
	size_t pinned = 0;

	for (size_t i = 0; i < f->n; i++)
		pinned += f->lines[i].pinned;
	buf_print(out, "%s: %s, %zu row%s, %zu as %s%s\n", f->name, f->ops->name, f->n,
		  f->n == 1 ? "" : "s", pinned,
		  f->imported.n > 0 ? "imported" : "the library's default",
		  f->idle ? ": not written" : "");
	for (size_t i = 0; i < f->n; i++) {
		const struct reader_line *l = &f->lines[i];

		buf_print(out, "  %s: ", l->key ? l->key : "default");
		reader_print_config(&l->config, out);
		buf_print(out, ": %s%s\n",
			  l->pinned     ? "pinned: "
			  : l->unproved ? "unproved: "
					: "",
			  l->why);
		explain_imported(f, l, out);
	}
}

static enum asc_status explain_tables(const struct exporter_ops *self,
				      const struct export_request *r, struct buf *out,
				      struct asc_err *e)
{
	struct reader_set s = {0};
	enum asc_status status = check_version(self, r, e);

	if (status == ASC_OK)
		status = reader_set_make(&s, r, self->name, e);
	for (size_t i = 0; i < s.n && status == ASC_OK; i++)
		explain_file(&s.files[i], out);
	for (size_t i = 0; i < r->table->n_rows && status == ASC_OK; i++) {
		const struct dispatch_row *row = &r->table->rows[i];

		if (is_left_out(row))
			buf_print(out, "left out: %s/%s: %s on %s: %s\n", row->result.workload,
				  row->result.problem, row->result.implementation,
				  row->result.device_model ? row->result.device_model
							   : "an unknown device",
				  row->left_out);
	}
	reader_set_fini(&s);
	return status ? status : buf_check(out, e);
}

/* ---- the exporters ---- */

static const char of_triton[] =
	"version of Triton that the table is for (default: that of the newest result)";
static const char of_device[] = "model of the GPU that was measured on (default: any)";

static const struct export_option options[] = {{"triton", of_triton}, {"device", of_device}, {0}};

static const struct export_option ninetoothed_options[] = {
	{"triton", of_triton},
	{"device", of_device},
	{"version", "version of NineToothed that reads the table (default: 0.26.0, the only one)"},
	{0}};

static const struct export_option triton_options[] = {
	{"triton", of_triton},
	{"device", "GPU that the files are for (default: that of the newest result)"},
	{"main", "FILE.py of the program, for kernels of the module __main__"},
	{0}};

static const struct export_option flaggems_options[] = {
	{"triton", of_triton},
	{"device", of_device},
	{"version", "version of FlagGems that reads the table (default: 5.0.2, which is known)"},
	{0}};

/* Members that the exporters have in common. A library's files have one format, that of `reader`.
 */
#define EXPORTS(reader)                                                                            \
	.needs = EXPORT_DISPATCH, .simulated = true,                                               \
	.kind = {.is_own = is_own, .merge = merge, .user = &(reader)}, .write = export_tables,     \
	.explain = explain_tables

const struct exporter_ops vllm_exporter = {
	.name = "vllm",
	.summary = "tables of vLLM's Triton kernels: MoE layers and products of block fp8",
	.options = options,
	EXPORTS(vllm_moe_reader),
};

const struct exporter_ops sglang_exporter = {
	.name = "sglang",
	.summary = "the same tables for SGLang, in a folder for each version of Triton",
	.options = options,
	EXPORTS(sglang_moe_reader),
};

const struct exporter_ops fla_exporter = {
	.name = "fla",
	.summary = "a table for each kernel of flash-linear-attention, in a folder for each GPU",
	.options = options,
	EXPORTS(fla_reader),
};

const struct exporter_ops ninetoothed_exporter = {
	.name = "ninetoothed",
	.summary = "a CSV for each kernel that NineToothed 0.26.0 builds ahead of time",
	.options = ninetoothed_options,
	EXPORTS(ninetoothed_reader),
};

const struct exporter_ops triton_exporter = {
	.name = "triton",
	.summary = "Triton's own cache of autotuners' results, named by the user's own Triton",
	.options = triton_options,
	EXPORTS(triton_reader),
};

const struct exporter_ops flaggems_exporter = {
	.name = "flaggems",
	.summary = "rows of FlagGems' cache of configurations, named by the user's own FlagGems",
	.options = flaggems_options,
	EXPORTS(flaggems_reader),
};
