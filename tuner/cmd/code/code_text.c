#include "tuner/cmd/code/code_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/code/code_difference.h"
#include "tuner/code/code_file.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/code_opcodes.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/run_digest.h"

enum { MOST_CHANGES = 20 /* lines of a difference */, MOST_OPCODES = 12 /* of a line */ };

/* ---- counts ---- */

static void add_bytes(struct buf *out, const char *what, int64_t bytes)
{
	char text[UNITS_TEXT_SIZE];

	if (bytes >= 0)
		buf_print(out, "; %s of %s", units_print_bytes((double)bytes, text), what);
}

/* "gemm_simt: 60 registers; 0 B of stack; 4 kB of shared memory; 0 spills" */
static void add_resources(const struct code_kernel *k, struct buf *out)
{
	const struct code_counts *c = &k->counts;

	buf_print(out, "%s", k->name);
	if (c->kind == CODE_CPU)
		return;
	buf_print(out, " (compute capability %d.%d): %lld registers", c->capability / 10,
		  c->capability % 10, (long long)c->registers);
	add_bytes(out, "stack", c->stack_bytes);
	add_bytes(out, "shared memory", c->shared_bytes);
	if (c->spills < 0)
		buf_add_str(out, "; spills unknown: its compiler does not mark them");
	else
		buf_print(out, "; %lld spills", (long long)c->spills);
	if (c->spills > 0 && c->known)
		buf_print(out, ", %lld in loops", (long long)c->loop_spills);
}

/* "328 instructions, 44 of them in 1 innermost loop" */
static void add_size(const struct code_counts *c, struct buf *out)
{
	if (!c->known) {
		buf_print(out, "instructions of compute capability %d.%d are not known here",
			  c->capability / 10, c->capability % 10);
		return;
	}
	buf_print(out, "%lld instructions", (long long)c->all.instructions);
	if (c->loops > 0)
		buf_print(out, ", %lld of them in %lld innermost loop%s",
			  (long long)c->loop.instructions, (long long)c->loops,
			  c->loops > 1 ? "s" : "");
	else
		buf_add_str(out, ", no loop");
	if (c->width_bits > 0)
		buf_print(out, ", in vectors of up to %lld bits", (long long)c->width_bits);
	if (c->loop_chained > 0)
		buf_print(out, "; %lld load%s for what %s loaded the time before",
			  (long long)c->loop_chained, c->loop_chained > 1 ? "s wait" : " waits",
			  c->loop_chained > 1 ? "they" : "it");
	if (c->jumps > 0)
		buf_print(out, "; loops of %lld indirect branch%s are not counted",
			  (long long)c->jumps, c->jumps > 1 ? "es" : "");
}

static void write_counts(const struct code_counts *c, struct json_writer *w)
{
	struct code_figure f;

	if (c->capability)
		json_write_int(w, "capability", c->capability);
	json_write_begin(w, "figures", '{');
	for (size_t at = 0; code_counts_next(c, &at, &f);)
		json_write_int(w, f.name, f.value);
	json_write_end(w, '}');
}

/* Adds a row for each class that a kernel has; with `other` its counts beside. */
static void add_classes(struct table *t, const struct code_counts *c,
			const struct code_counts *other)
{
	for (size_t i = 0; i < CODE_CLASS_COUNT; i++) {
		const long long all = c->all.by_class[i], loop = c->loop.by_class[i];
		const long long all_b = other ? other->all.by_class[i] : 0;
		const long long loop_b = other ? other->loop.by_class[i] : 0;

		if (!all && !all_b)
			continue;
		table_add(t, "%s", code_class_name((enum code_class)i));
		if (other) {
			const enum ink ink = all != all_b || loop != loop_b ? INK_STRONG : INK_DIM;

			table_add_inked(t, ink, "%lld", loop);
			table_add_inked(t, ink, "%lld", loop_b);
			table_add_inked(t, ink, "%lld", all);
			table_add_inked(t, ink, "%lld", all_b);
		} else {
			table_add(t, "%lld", loop);
			table_add(t, "%lld", all);
		}
		table_add(t, "%s", code_class_meaning((enum code_class)i));
	}
}

enum asc_status code_print_counts(const struct code_kernel *k, struct json_writer *json,
				  struct asc_err *e)
{
	struct buf line = {0};
	struct table t;

	if (json) {
		write_counts(&k->counts, json);
		return ASC_OK;
	}
	add_resources(k, &line);
	buf_add_str(&line, "\n  ");
	add_size(&k->counts, &line);
	buf_add_char(&line, '\n');
	enum asc_status s = show_text_print(&line, e);

	if (s || !k->counts.known)
		return s;
	table_init(&t, "class|>in loops|>in all|");
	add_classes(&t, &k->counts, NULL);
	s = table_print(&t, stdout, e);
	table_fini(&t);
	return s;
}

/* ---- the listing ---- */

static void write_lines(const struct code_listing *l, struct json_writer *w)
{
	json_write_string(w, "tool", l->tool);
	json_write_begin(w, "lines", '[');
	for (size_t i = 0; i < l->n; i++) {
		const struct code_line *line = &l->lines[i];

		json_write_begin(w, NULL, '{');
		json_write_int(w, "address", (int64_t)line->address);
		json_write_string(w, "text", line->text);
		json_write_string(w, "class", code_class_name((enum code_class)line->is.class));
		if (line->is.loop)
			json_write_int(w, "loop", line->is.loop);
		if (line->is.spill)
			json_write_bool(w, "spill", true);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

/* Lines of "LOOP ADDRESS INSTRUCTION", the number of an innermost loop in front. */
static void add_lines(const struct code_listing *l, struct buf *out)
{
	const char *function = "";

	for (size_t i = 0; i < l->n; i++) {
		const struct code_line *line = &l->lines[i];

		if (strcmp(line->function, function) != 0)
			buf_print(out, "%s:\n", line->function);
		function = line->function;
		if (line->label)
			buf_print(out, "%s:\n", line->label);
		if (line->is.loop)
			buf_print(out, "%3u", line->is.loop);
		else
			buf_add_str(out, "   ");
		buf_print(out, "  %04llx  %s%s\n", (unsigned long long)line->address, line->text,
			  line->is.spill ? "  (spill)" : "");
	}
}

enum asc_status code_print_listing(const struct code_kernel *k, struct json_writer *json,
				   struct asc_err *e)
{
	struct code_listing l;
	struct buf out = {0};
	enum asc_status s = code_listing_open(k->path, k->entry, &l, e);

	if (s == ASC_OK && json)
		write_lines(&l, json);
	else if (s == ASC_OK) {
		add_lines(&l, &out);
		s = show_text_print(&out, e);
	}
	code_listing_close(&l);
	return s;
}

/* ---- what differs ---- */

/* True where both files run the same, whatever is in them for debuggers. */
static bool is_same(const struct code_kernel *k, const struct code_kernel *other)
{
	const struct code_kernel *of[] = {k, other};
	char digests[2][RUN_DIGEST_SIZE] = {"", "?"};

	for (size_t i = 0; i < 2; i++) {
		struct buf bytes = {0};
		struct asc_err e;

		if (file_read(of[i]->path, CODE_FILE_BYTES, &bytes, &e) == ASC_OK)
			(void)run_digest(bytes.data, bytes.len, digests[i], &e);
		buf_fini(&bytes);
	}
	return strcmp(digests[0], digests[1]) == 0;
}

static void write_changes(const struct code_difference *d, struct json_writer *w)
{
	json_write_int(w, "same", (int64_t)d->same);
	json_write_int(w, "only_here", (int64_t)d->removed);
	json_write_int(w, "only_there", (int64_t)d->added);
	json_write_begin(w, "lines", '[');
	for (size_t i = 0; i < d->n && i < MOST_CHANGES; i++) {
		json_write_begin(w, NULL, '{');
		if (d->list[i].loop)
			json_write_int(w, "loop", d->list[i].loop);
		json_write_string(w, "only", d->list[i].added ? "there" : "here");
		json_write_int(w, "times", (int64_t)d->list[i].n);
		json_write_string(w, "text", d->list[i].shape);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

/* Lines with + for what only the other one has, - for what only this one has. */
static void add_changes(const struct code_difference *d, struct buf *out)
{
	uint32_t loop = UINT32_MAX;

	buf_print(out, "%zu instructions are in both, %zu only here (-), %zu only there (+):\n",
		  d->same, d->removed, d->added);
	for (size_t i = 0; i < d->n && i < MOST_CHANGES; i++) {
		if (d->list[i].loop != loop && d->list[i].loop)
			buf_print(out, "  loop %u\n", d->list[i].loop);
		else if (d->list[i].loop != loop)
			buf_add_str(out, "  in no innermost loop\n");
		loop = d->list[i].loop;
		buf_print(out, "    %c %s", d->list[i].added ? '+' : '-', d->list[i].shape);
		if (d->list[i].n > 1)
			buf_print(out, "  (%zu times)", d->list[i].n);
		buf_add_char(out, '\n');
	}
	if (d->n > MOST_CHANGES)
		buf_print(out, "    and %zu more\n", d->n - MOST_CHANGES);
}

/* Compares line by line; where that cannot be, *why says so. */
static enum asc_status print_difference(const struct code_kernel *k,
					const struct code_kernel *other, struct json_writer *json,
					struct asc_err *e)
{
	struct code_listing a = {0}, b = {0};
	struct code_difference d = {0};
	struct buf out = {0};
	struct asc_err why;
	enum asc_status s = code_listing_open(k->path, k->entry, &a, &why);

	if (s == ASC_OK)
		s = code_listing_open(other->path, other->entry, &b, &why);
	if (s == ASC_OK)
		s = code_difference_make(&a, &b, &d, &why);
	if (s == ASC_NOMEM) {
		s = asc_err_nomem(e);
	} else if (json) {
		if (s)
			json_write_string(json, "not_compared", why.text);
		else
			write_changes(&d, json);
		s = ASC_OK;
	} else {
		if (s)
			buf_print(&out, "lines are not compared: %s\n", why.text);
		else
			add_changes(&d, &out);
		s = show_text_print(&out, e);
	}
	code_difference_fini(&d);
	code_listing_close(&a);
	code_listing_close(&b);
	return s;
}

/* ---- opcodes ---- */

static void write_opcodes(const struct code_opcodes *o, struct json_writer *w)
{
	json_write_begin(w, "opcodes", '{');
	for (size_t i = 0; i < o->n; i++) {
		json_write_begin(w, o->list[i].name, '[');
		for (size_t k = 0; k < CODE_SIDES; k++)
			json_write_int(w, NULL, o->list[i].n[k]);
		json_write_end(w, ']');
	}
	json_write_end(w, '}');
}

/* "opcodes: FFMA 64, there 72; LDG 8, there 4; and 3 more" */
static void add_opcodes(const struct code_opcodes *o, struct buf *out)
{
	size_t n = 0;

	while (n < o->n && o->list[n].n[0] != o->list[n].n[1])
		n++;
	if (n == 0)
		buf_add_str(out, "each opcode stands as often in both\n");
	for (size_t i = 0; i < n && i < MOST_OPCODES; i++)
		buf_print(out, "%s %s %lld, there %lld", i ? ";" : "opcodes:", o->list[i].name,
			  (long long)o->list[i].n[0], (long long)o->list[i].n[1]);
	if (n > MOST_OPCODES)
		buf_print(out, "; and %zu more", n - MOST_OPCODES);
	buf_add_str(out, n ? "\n" : "");
}

/* Counts opcodes of both; what cannot be counted is passed over, since print_difference() says why.
 */
static enum asc_status print_opcodes(const struct code_kernel *k, const struct code_kernel *other,
				     struct json_writer *json, struct asc_err *e)
{
	struct code_opcodes o = {0};
	struct buf out = {0};
	struct asc_err why;
	enum asc_status s = code_opcodes_add(&o, 0, k->path, k->entry, &why);

	if (s == ASC_OK)
		s = code_opcodes_add(&o, 1, other->path, other->entry, &why);
	code_opcodes_sort(&o);
	if (s == ASC_OK && json)
		write_opcodes(&o, json);
	else if (s == ASC_OK)
		add_opcodes(&o, &out);
	code_opcodes_fini(&o);
	if (s == ASC_NOMEM) {
		buf_fini(&out);
		return asc_err_nomem(e);
	}
	return show_text_print(&out, e);
}

enum asc_status code_print_against(const struct code_kernel *k, const struct code_kernel *other,
				   struct json_writer *json, struct asc_err *e)
{
	const bool same = is_same(k, other);
	struct buf lines = {0};
	struct table t;

	if (json) {
		write_counts(&k->counts, json);
		json_write_begin(json, "against", '{');
		write_counts(&other->counts, json);
		json_write_bool(json, "same_code", same);
		enum asc_status s = print_opcodes(k, other, json, e);

		if (s == ASC_OK && !same)
			s = print_difference(k, other, json, e);
		json_write_end(json, '}');
		return s;
	}
	add_resources(k, &lines);
	buf_add_str(&lines, "\n  ");
	add_size(&k->counts, &lines);
	buf_add_str(&lines, "\nagainst ");
	add_resources(other, &lines);
	buf_add_str(&lines, "\n  ");
	add_size(&other->counts, &lines);
	buf_add_char(&lines, '\n');
	if (same)
		buf_add_str(&lines, "the code is the same\n");
	enum asc_status s = show_text_print(&lines, e);

	if (s || same)
		return s;
	table_init(&t, "class|>in loops|>there|>in all|>there|");
	add_classes(&t, &k->counts, &other->counts);
	s = table_print(&t, stdout, e);
	table_fini(&t);
	s = s ? s : print_opcodes(k, other, NULL, e);
	return s ? s : print_difference(k, other, NULL, e);
}
