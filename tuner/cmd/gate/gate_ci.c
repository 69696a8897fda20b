#include "tuner/cmd/gate/gate_ci.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/ci_text.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/cmd/gate/gate_text.h"
#include "tuner/device/device.h"
#include "tuner/workload/workload.h"
#include "tuner/workload/workload_read.h"

enum {
	LINES = 60,  /* of a summary */
	AROUND = 13, /* lines around its rows */
	ROWS = 45,
	CODE_COLUMNS = 100,
	PARAGRAPH = 400,  /* characters of one about the base */
	WHY_LENGTH = 300, /* characters of a reason in XML and in a command */
	WORST = 9         /* annotations of kernels */
};

/* True for a kernel of which nothing is known that a check could pass or fail by. */
static bool is_skipped(enum gate_verdict v)
{
	return v == GATE_UNDECIDED || v == GATE_FAILING || v == GATE_GONE;
}

/* Writes a part of a kernel's line, escaped; `most` characters of it. */
static void write_part(const struct gate_kernel *k,
		       void (*write)(const struct gate_kernel *k, struct buf *out), size_t most,
		       const struct escape *escapes, struct buf *out)
{
	struct buf text = {0};

	write(k, &text);
	if (*escape_add(out, buf_str(&text), most, escapes))
		buf_add_str(out, "...");
	out->failed |= text.failed;
	buf_fini(&text);
}

/* ---- Markdown ---- */

static void write_paragraph(const struct gate *g,
			    void (*write)(const struct gate *g, struct buf *out), struct buf *out)
{
	struct buf text = {0};

	write(g, &text);
	if (text.len > 0) {
		ci_write_markdown(buf_str(&text), PARAGRAPH, out);
		buf_add_str(out, "\n\n");
	}
	out->failed |= text.failed;
	buf_fini(&text);
}

static void write_row(const struct gate *g, const struct gate_kernel *k, struct buf *out)
{
	const char *mark = gate_kernel_fails(g, k) ? "**" : "";

	buf_print(out, "| %s%s%s | ", mark, gate_verdict_name(k->verdict), mark);
	write_part(k, gate_write_name, CI_CELL, ci_markdown, out);
	buf_add_str(out, " | ");
	write_part(k, gate_write_change, CI_CELL, ci_markdown, out);
	buf_add_str(out, " | ");
	write_part(k, gate_write_why, CI_CELL, ci_markdown, out);
	buf_add_str(out, " |\n");
}

/* Writes what changed in the code of the worst kernels, as many as `room` lines hold: as a diff,
 * whose lines of the base and the head have colors. */
static void write_codes(const struct gate *g, size_t room, struct buf *out)
{
	static const struct escape fenced[] = {{'`', "'"}, {0, NULL}}; /* nothing ends the block */
	size_t used = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct buf text = {0};
		size_t n = used ? 1 : 4; /* the name; what is around the block */

		if (g->list[i].code.n > 0)
			gate_code_print(&g->list[i], CODE_COLUMNS, &text);
		for (const char *at = buf_str(&text); *at; at++)
			n += *at == '\n';
		if (text.len > 0 && used + n <= room) {
			buf_add_str(out, used ? "" : "```diff\n");
			write_part(&g->list[i], gate_write_name, CI_CELL, fenced, out);
			buf_add_char(out, '\n');
			(void)escape_add(out, buf_str(&text), text.len, fenced);
			used += n;
		}
		out->failed |= text.failed;
		buf_fini(&text);
	}
	buf_add_str(out, used ? "```\n\n" : "");
}

void gate_write_markdown(const struct gate *g, int64_t spent_ns, struct buf *out)
{
	size_t rows = 0;

	buf_add_str(out, "## " GATE_MARK ": ");
	gate_write_counts(g, out);
	buf_add_str(out, "\n\n");
	write_paragraph(g, gate_write_base, out);
	write_paragraph(g, gate_write_left, out);
	for (size_t i = 0; i < g->n; i++) {
		if (g->list[i].verdict == GATE_UNCHANGED)
			continue;
		if (rows == 0)
			buf_add_str(out, "| verdict | kernel | time, head to base | why |\n"
					 "|---|---|--:|---|\n");
		if (rows++ < ROWS)
			write_row(g, &g->list[i], out);
	}
	if (rows > ROWS)
		buf_print(out, "\nand %zu more\n", rows - ROWS);
	if (rows > 0)
		buf_add_char(out, '\n');
	write_codes(g, LINES - AROUND - (rows < ROWS ? rows : ROWS), out);
	write_paragraph(g, gate_write_others, out);
	gate_write_spent(g, spent_ns, out);
	buf_add_char(out, '\n');
}

/* ---- JUnit ---- */

static void write_case(const struct gate *g, const struct gate_kernel *k, const char *device,
		       struct buf *out)
{
	struct buf name = {0}, rest = {0}, text = {0}, code = {0};

	buf_print(&name, "%s %s", k->problem, k->implementation);
	write_part(k, gate_write_rest, WHY_LENGTH, ci_xml, &rest);
	buf_print(&text, "%s: %s", gate_verdict_name(k->verdict), buf_str(&rest));
	gate_code_print(k, CODE_COLUMNS, &code);
	if (code.len > 0) {
		buf_add_char(&text, '\n');
		(void)escape_add(&text, buf_str(&code), code.len, ci_xml);
	}
	ci_begin_case(device, k->workload, buf_str(&name), out);
	if (gate_kernel_fails(g, k))
		ci_add_failure(gate_verdict_name(k->verdict), buf_str(&rest), buf_str(&text), out);
	else if (is_skipped(k->verdict))
		ci_add_skipped(buf_str(&text), out);
	else if (rest.len > 0)
		ci_add_output(buf_str(&text), out);
	ci_end_case(out);
	out->failed |= name.failed || rest.failed || text.failed || code.failed;
	buf_fini(&code);
	buf_fini(&name);
	buf_fini(&rest);
	buf_fini(&text);
}

void gate_write_junit(const struct gate *g, struct buf *out)
{
	const struct target *t = &g->on->target;
	char *device = track_history_device(t->ops->name, t->info.model, NULL);
	struct ci_counts counts = {.tests = g->n};

	for (size_t i = 0; i < g->n; i++) {
		counts.failures += gate_kernel_fails(g, &g->list[i]);
		counts.skipped += is_skipped(g->list[i].verdict);
	}
	ci_begin_junit(GATE_MARK, &counts, out);
	for (size_t i = 0; i < g->n && device; i++)
		write_case(g, &g->list[i], device, out);
	ci_end_junit(out);
	out->failed |= !device;
	free(device);
}

/* ---- annotations ---- */

struct place {
	char *file;  /* from the root of the checkout; heap; NULL: none */
	size_t line; /* 0: none */
};

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Finds the first line that has `word` as a word, counted from 1; 0: none has. */
static size_t find_word(const char *text, const char *word)
{
	const size_t n = strlen(word);
	size_t line = 1;
	const char *from = text;

	for (const char *at = text; n > 0 && (at = strstr(at, word)); at++) {
		for (; from < at; from++)
			line += *from == '\n';
		if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[n]))
			return line;
	}
	return 0;
}

/* Finds a place in a file; no file where it is none of the checkout. */
static enum asc_status find_in(const struct gate *g, const char *path, const char *word,
			       struct place *out, struct asc_err *e)
{
	enum { FILE_BYTES = 16 << 20 };
	struct buf text = {0};
	struct asc_err why;
	enum asc_status status = ASC_OK;

	out->file = base_checkout_below(g->checkout, path);
	if (!out->file)
		return ASC_OK;
	/* A file that cannot be read has no line: what is wrong with it is the verdict's to say. */
	if (file_read(path, FILE_BYTES, &text, &why) == ASC_OK)
		out->line = find_word(buf_str(&text), word);
	else if (why.status == ASC_NOMEM)
		status = asc_err_nomem(e);
	buf_fini(&text);
	return status;
}

/* Finds the place of a kernel in the head: of the first of its calls. */
static enum asc_status find_place(const struct gate *g, const struct gate_kernel *k,
				  struct place *out, struct asc_err *e)
{
	const struct workload *w = k->sides[GATE_HEAD].workload;
	const struct implementation *i =
		w ? workload_find_implementation(w, k->implementation) : NULL;
	const struct callable *c = i && i->n_calls > 0 ? &i->calls[0] : NULL;
	const char *entry = c ? callable_entry(c, g->on->target.ops->name) : NULL;
	char *path = NULL;
	enum asc_status status = ASC_OK;

	*out = (struct place){NULL, 0};
	if (c && c->source && entry && source_is_file(c->builder, c->source)) {
		path = source_path(w, c->builder, c->source);
		status = path ? find_in(g, path, entry, out, e) : asc_err_nomem(e);
	}
	if (status == ASC_OK && w && !out->file)
		status = find_in(g, w->path, k->implementation, out, e);
	free(path);
	return status;
}

static bool is_same_place(const struct place *a, const struct place *b)
{
	return a->file && b->file && a->line == b->line && strcmp(a->file, b->file) == 0;
}

static void write_annotation(const struct gate_kernel *k, const struct place *p, size_t more,
			     struct buf *out)
{
	ci_begin_error(gate_verdict_name(k->verdict), p->file, p->line, out);
	write_part(k, gate_write_name, WHY_LENGTH, ci_command, out);
	if (more > 0)
		buf_print(out, " and %zu more", more);
	buf_add_str(out, ": ");
	write_part(k, gate_write_rest, WHY_LENGTH, ci_command, out);
	buf_add_char(out, '\n');
}

/* Kernels are sorted: of those that fail the worst of a place comes before its others. */
enum asc_status gate_write_annotations(const struct gate *g, struct buf *out, struct asc_err *e)
{
	struct place *places = calloc(g->n + 1, sizeof *places);
	const struct gate_kernel **failing = calloc(g->n + 1, sizeof(struct gate_kernel *));
	enum asc_status status = places && failing ? ASC_OK : asc_err_nomem(e);
	size_t n = 0, left = WORST;

	for (size_t i = 0; status == ASC_OK && i < g->n; i++)
		if (gate_kernel_fails(g, &g->list[i])) {
			failing[n] = &g->list[i];
			status = find_place(g, failing[n], &places[n], e);
			n++;
		}
	if (status == ASC_OK && n > 0) {
		ci_begin_error(GATE_MARK, NULL, 0, out);
		gate_write_counts(g, out);
		buf_add_char(out, '\n');
	}
	for (size_t i = 0; status == ASC_OK && i < n && left > 0; i++) {
		size_t before = 0, more = 0;

		for (size_t k = 0; k < i; k++)
			before += is_same_place(&places[i], &places[k]);
		for (size_t k = i + 1; k < n; k++)
			more += is_same_place(&places[i], &places[k]);
		if (before > 0)
			continue;
		write_annotation(failing[i], &places[i], more, out);
		left--;
	}
	for (size_t i = 0; i < n; i++)
		free(places[i].file);
	free(places);
	free(failing);
	return status ? status : buf_check(out, e);
}

/* ---- code quality ---- */

/* Name of an issue that is the same in each report of that kernel on that device. */
static enum asc_status print_fingerprint(const struct gate_kernel *k, const char *device,
					 char out[HASH_TEXT_SIZE], struct asc_err *e)
{
	const char *const parts[] = {device, gate_verdict_name(k->verdict), k->workload, k->problem,
				     k->implementation};
	struct hash h;

	hash_init(&h);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		hash_add_str(&h, parts[i]);
	return hash_end(&h, out, e);
}

static void write_issue(const struct gate *g, const struct gate_kernel *k, const struct place *p,
			const char *fingerprint, struct json_writer *w)
{
	static const struct escape plain[] = {{0, NULL}};
	struct buf name = {0}, text = {0};

	buf_print(&name, GATE_MARK ": %s", gate_verdict_name(k->verdict));
	write_part(k, gate_write_name, WHY_LENGTH, plain, &text);
	buf_print(&text, " is %s: ", gate_verdict_name(k->verdict));
	write_part(k, gate_write_rest, WHY_LENGTH, plain, &text);
	json_write_begin(w, NULL, '{');
	json_write_string(w, "check_name", buf_str(&name));
	json_write_string(w, "description", buf_str(&text));
	json_write_string(w, "fingerprint", fingerprint);
	json_write_string(w, "severity",
			  k->verdict == GATE_BROKEN ? "critical"
			  : gate_kernel_fails(g, k) ? "major"
						    : "minor");
	json_write_begin(w, "location", '{');
	/* A path and a line are required. */
	json_write_string(w, "path",
			  p->file ? p->file : path_name(k->sides[GATE_HEAD].workload->path));
	json_write_begin(w, "lines", '{');
	json_write_int(w, "begin", p->line > 0 ? (int64_t)p->line : 1);
	json_write_end(w, '}');
	json_write_end(w, '}');
	json_write_end(w, '}');
	w->out->failed |= name.failed || text.failed;
	buf_fini(&name);
	buf_fini(&text);
}

enum asc_status gate_write_quality(const struct gate *g, struct buf *out, struct asc_err *e)
{
	const struct target *t = &g->on->target;
	struct json_writer w = {out, false};
	char *device = track_history_device(t->ops->name, t->info.model, NULL);
	enum asc_status status = device ? ASC_OK : asc_err_nomem(e);

	json_write_begin(&w, NULL, '[');
	for (size_t i = 0; status == ASC_OK && i < g->n; i++) {
		const struct gate_kernel *k = &g->list[i];
		char fingerprint[HASH_TEXT_SIZE];
		struct place p;

		if (k->verdict != GATE_BROKEN && k->verdict != GATE_SLOWER)
			continue;
		status = find_place(g, k, &p, e);
		if (status == ASC_OK)
			status = print_fingerprint(k, device, fingerprint, e);
		if (status == ASC_OK)
			write_issue(g, k, &p, fingerprint, &w);
		free(p.file);
	}
	json_write_end(&w, ']');
	buf_add_char(out, '\n');
	free(device);
	return status ? status : buf_check(out, e);
}
