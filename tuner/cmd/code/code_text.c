#include "tuner/cmd/code/code_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/code/code_against.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/cubin_code.h"

enum { MOST_OPCODES = 12 /* of a line */ };

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
	if (k->dynamic_bytes > 0)
		add_bytes(out, "dynamic shared memory", k->dynamic_bytes);
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
		code_kernel_write(k, json);
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

/* Lines with + for what only the other one has, - for what only this one has. */
static void add_changes(const struct code_difference *d, struct buf *out)
{
	uint32_t loop = UINT32_MAX;

	buf_print(out, "%zu instructions are in both, %zu only here (-), %zu only there (+):\n",
		  d->same, d->removed, d->added);
	for (size_t i = 0; i < d->n && i < CODE_AGAINST_LINES; i++) {
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
	if (d->n > CODE_AGAINST_LINES)
		buf_print(out, "    and %zu more\n", d->n - CODE_AGAINST_LINES);
}

/* "opcodes: FFMA 64, there 72; LDG 8, there 4; and 3 more" */
static void add_opcodes(const struct code_opcodes *o, struct buf *out)
{
	const size_t n = code_opcodes_differing(o);

	if (o->n > 0 && n == 0)
		buf_add_str(out, "each opcode stands as often in both\n");
	for (size_t i = 0; i < n && i < MOST_OPCODES; i++)
		buf_print(out, "%s %s %lld, there %lld", i ? ";" : "opcodes:", o->list[i].name,
			  (long long)o->list[i].n[0], (long long)o->list[i].n[1]);
	if (n > MOST_OPCODES)
		buf_print(out, "; and %zu more", n - MOST_OPCODES);
	buf_add_str(out, n ? "\n" : "");
}

static enum asc_status print_against(const struct code_against *a, struct asc_err *e)
{
	struct buf lines = {0};
	struct table t;

	for (size_t i = 0; i < CODE_SIDES; i++) {
		buf_add_str(&lines, i ? "against " : "");
		add_resources(a->sides[i], &lines);
		buf_add_str(&lines, "\n  ");
		add_size(&a->sides[i]->counts, &lines);
		buf_add_char(&lines, '\n');
	}
	if (a->same)
		buf_add_str(&lines, "the code is the same\n");
	enum asc_status s = show_text_print(&lines, e);

	if (s || a->same)
		return s;
	table_init(&t, "class|>in loops|>there|>in all|>there|");
	add_classes(&t, &a->sides[0]->counts, &a->sides[1]->counts);
	s = table_print(&t, stdout, e);
	table_fini(&t);
	add_opcodes(&a->opcodes, &lines);
	if (a->not_compared.status)
		buf_print(&lines, "lines are not compared: %s\n", a->not_compared.text);
	else
		add_changes(&a->lines, &lines);
	if (s)
		buf_fini(&lines);
	return s ? s : show_text_print(&lines, e);
}

enum asc_status code_print_against(const struct code_kernel *k, const struct code_kernel *other,
				   struct json_writer *json, struct asc_err *e)
{
	static const char *const sides[CODE_SIDES] = {"here", "there"};
	struct code_against a;
	enum asc_status s = code_against_make(k, other, &a, e);

	if (s == ASC_OK && json) {
		code_kernel_write(k, json);
		json_write_begin(json, "against", '{');
		code_kernel_write(other, json);
		code_against_write(&a, sides, json);
		json_write_end(json, '}');
	} else if (s == ASC_OK) {
		s = print_against(&a, e);
	}
	code_against_fini(&a);
	return s;
}
