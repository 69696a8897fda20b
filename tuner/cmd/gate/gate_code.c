#include "tuner/cmd/gate/gate_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/code/code_against.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/cmd/gate/gate.h"

enum {
	MOST_SHOWN = 5, /* kernels */
	OPCODE_LINES = 2,
	SIDE_LINES = 3 /* instructions of each side */
};

/* Listings of nvdisasm take 0.2 s and more each, and one that hangs 5 s: what all of them may take
 * of a gate. */
static const int64_t CODE_NS = INT64_C(20000000000);

/* ---- finding it ---- */

static bool is_told(const struct gate *g, const struct gate_kernel *k)
{
	const struct gate_side *base = &k->sides[GATE_BASE], *head = &k->sides[GATE_HEAD];

	return k->reached && base->code.n > 0 && head->code.n > 0 &&
	       strcmp(base->launch, head->launch) != 0 &&
	       (k->verdict != GATE_SAME || g->options->json);
}

/* True where both kernels' code is that of the other's, on each side. */
static bool is_likewise(const struct gate_kernel *k, const struct gate_kernel *other)
{
	for (size_t t = 0; t < GATE_TREES; t++) {
		const struct code_side *a = &k->sides[t].code, *b = &other->sides[t].code;

		if (a->n != b->n)
			return false;
		for (size_t i = 0; i < a->n; i++)
			if (!*a->kernels[i].runs ||
			    strcmp(a->kernels[i].runs, b->kernels[i].runs) != 0 ||
			    strcmp(a->kernels[i].name, b->kernels[i].name) != 0 ||
			    a->kernels[i].dynamic_bytes != b->kernels[i].dynamic_bytes)
				return false;
	}
	return true;
}

static const struct gate_kernel *find_likewise(const struct gate *g, const struct gate_kernel *k)
{
	for (const struct gate_kernel *other = g->list; other < k; other++)
		if (other->code.n > 0 && is_likewise(k, other))
			return other;
	return NULL;
}

/* Finds what goes with a kernel in another launch: in its place where both launches have as many
 * kernels, else the one of that name; of several of one name the one that is as far behind the
 * first. NULL: there is none. */
static const struct code_kernel *find_partner(const struct code_side *own, size_t at,
					      const struct code_side *other)
{
	const char *name = own->kernels[at].name;
	size_t before = 0;

	if (own->n == other->n)
		return &other->kernels[at];
	for (size_t i = 0; i < at; i++)
		before += strcmp(own->kernels[i].name, name) == 0;
	for (size_t i = 0; i < other->n; i++)
		if (strcmp(other->kernels[i].name, name) == 0 && before-- == 0)
			return &other->kernels[i];
	return NULL;
}

static enum asc_status find(struct gate_kernel *k, struct asc_err *e)
{
	struct code_side *base = &k->sides[GATE_BASE].code, *head = &k->sides[GATE_HEAD].code;
	struct gate_code *out = &k->code;

	out->list = calloc(base->n + head->n, sizeof *out->list);
	if (!out->list)
		return asc_err_nomem(e);
	if (code_side_count(base, e) || code_side_count(head, e))
		return e->status;
	for (size_t i = 0; i < head->n; i++) {
		struct code_against *a = &out->list[out->n++];
		const struct code_kernel *before = find_partner(head, i, base);

		a->sides[GATE_HEAD] = &head->kernels[i];
		if (before && code_against_make(before, &head->kernels[i], a, e))
			return e->status;
	}
	for (size_t i = 0; i < base->n; i++)
		if (!find_partner(base, i, head))
			out->list[out->n++].sides[GATE_BASE] = &base->kernels[i];
	return ASC_OK;
}

/* True for a kernel that both launches have. */
static bool is_pair(const struct code_against *a)
{
	return a->sides[GATE_BASE] && a->sides[GATE_HEAD];
}

/* True where a disassembler was stopped: the next one would be, too. */
static bool is_stopped(const struct gate_code *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].not_compared.status == ASC_TIMEOUT)
			return true;
	return false;
}

enum asc_status gate_code_find(struct gate *g, struct asc_err *e)
{
	const int64_t end = clock_now_ns() + CODE_NS;
	enum asc_status status = ASC_OK;
	bool stopped = false;
	size_t found = 0;

	for (size_t i = 0; status == ASC_OK && !*g->stop && i < g->n; i++) {
		struct gate_kernel *k = &g->list[i];

		if (!is_told(g, k))
			continue;
		k->code.as = find_likewise(g, k);
		if (k->code.as)
			continue;
		if (found == MOST_SHOWN && !g->options->json) {
			g->code_more++;
		} else if (stopped || clock_now_ns() >= end) {
			g->code_late++;
		} else {
			status = find(k, e);
			stopped = is_stopped(&k->code);
			found++;
		}
	}
	return status;
}

void gate_code_fini(struct gate_code *c)
{
	for (size_t i = 0; i < c->n; i++)
		code_against_fini(&c->list[i]);
	free(c->list);
	*c = (struct gate_code){.n = 0};
}

/* ---- for people ---- */

/* Text of items that is folded: a line goes on with ", ". */
struct fold {
	struct buf *out;
	size_t columns, at; /* of a line; of the line that has begun */
	size_t lines;       /* that have begun */
};

/* True where an item, and `rest` columns behind it, fit the line that has begun. */
static bool has_room(const struct fold *f, const char *item, size_t rest)
{
	return f->at + 2 + columns_count(item) + rest <= f->columns;
}

static void fold_add(struct fold *f, const char *item)
{
	if (f->at > 0 && has_room(f, item, 1)) {
		buf_add_str(f->out, ", ");
		f->at += 2;
	} else {
		buf_add_str(f->out, f->at > 0 ? ",\n" : "");
		f->at = 0;
		f->lines++;
	}
	buf_add_str(f->out, item);
	f->at += columns_count(item);
}

static void fold_end(struct fold *f)
{
	if (f->at > 0)
		buf_add_char(f->out, '\n');
	f->at = 0;
}

/* A figure of both sides, if it is known and differs. */
static void add_figure(struct fold *f, const char *name, int64_t base, int64_t head, bool bytes)
{
	char from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE], *item;

	if (base < 0 || head < 0 || base == head)
		return;
	if (bytes)
		item = str_print("%s %s -> %s", name, units_print_bytes((double)base, from),
				 units_print_bytes((double)head, to));
	else
		item = str_print("%s %lld -> %lld", name, (long long)base, (long long)head);
	if (item)
		fold_add(f, item);
	f->out->failed |= !item;
	free(item);
}

static void add_figures(const struct code_against *a, size_t columns, struct buf *out)
{
	const struct code_kernel *base = a->sides[GATE_BASE], *head = a->sides[GATE_HEAD];
	const struct code_counts *b = &base->counts, *h = &head->counts;
	const bool counted = !base->why.status && !head->why.status;
	const bool known = counted && b->known && h->known;
	struct fold f = {.out = out, .columns = columns};

	if (counted && b->kind == CODE_GPU) {
		add_figure(&f, "registers", b->registers, h->registers, false);
		add_figure(&f, "spills", b->spills, h->spills, false);
		add_figure(&f, "stack", b->stack_bytes, h->stack_bytes, true);
		add_figure(&f, "shared memory", b->shared_bytes + base->dynamic_bytes,
			   h->shared_bytes + head->dynamic_bytes, true);
	}
	if (known) {
		add_figure(&f, "instructions", b->all.instructions, h->all.instructions, false);
		add_figure(&f, "in loops", b->loop.instructions, h->loop.instructions, false);
		add_figure(&f, "bits of vectors", b->width_bits, h->width_bits, false);
	}
	/* Instructions of a GPU have one length. */
	if (!known || b->kind == CODE_CPU)
		add_figure(&f, "code", b->bytes, h->bytes, true);
	fold_end(&f);
}

static void add_opcodes(const struct code_opcodes *o, size_t columns, struct buf *out)
{
	enum { MORE_COLUMNS = 14 }; /* of ", and 123 more" */
	const size_t n = code_opcodes_differing(o);
	struct fold f = {.out = out, .columns = columns};

	for (size_t i = 0; i < n; i++) {
		char item[CODE_OPCODE_SIZE + 64];

		(void)snprintf(item, sizeof item, "%s %lld -> %lld", o->list[i].name,
			       (long long)o->list[i].n[0], (long long)o->list[i].n[1]);
		if (f.lines == OPCODE_LINES && !has_room(&f, item, i + 1 < n ? MORE_COLUMNS : 0)) {
			(void)snprintf(item, sizeof item, "and %zu more", n - i);
			fold_add(&f, item);
			break;
		}
		fold_add(&f, item);
	}
	fold_end(&f);
}

/* The lines of a difference that are shown: the first of each side, equal ones of several loops as
 * one, without those that stand elsewhere on the other side. */
struct shown {
	struct {
		const struct code_change *line;
		size_t n; /* so many of it */
	} list[CODE_SIDES * SIDE_LINES];
	size_t n, of[CODE_SIDES];
	bool cut; /* there are others */
};

/* Finds how many more of an instruction, in loops or in none, one side has; 0 if the other one has
 * more, or an earlier change is of the same instruction. */
static size_t find_more(const struct code_difference *d, const struct code_change *c)
{
	size_t n[CODE_SIDES] = {0};

	for (const struct code_change *k = d->list; k < d->list + d->n; k++) {
		if (!k->loop != !c->loop || strcmp(k->shape, c->shape) != 0)
			continue;
		if (k < c && k->added == c->added)
			return 0;
		n[k->added] += k->n;
	}
	return n[c->added] > n[!c->added] ? n[c->added] - n[!c->added] : 0;
}

static void show(const struct code_difference *d, struct shown *out)
{
	const size_t most = sizeof out->list / sizeof *out->list;

	*out = (struct shown){.n = 0};
	for (const struct code_change *c = d->list; c < d->list + d->n; c++) {
		const size_t more = out->n < most || !out->cut ? find_more(d, c) : 0;

		if (more == 0)
			continue;
		if (out->of[c->added] == SIDE_LINES) {
			out->cut = true;
			continue;
		}
		out->list[out->n].line = c;
		out->list[out->n++].n = more;
		out->of[c->added]++;
	}
}

static void add_lines(const struct code_difference *d, size_t columns, struct buf *out)
{
	struct shown shown;

	show(d, &shown);
	for (size_t i = 0; i < shown.n; i++) {
		const struct code_change *c = shown.list[i].line;
		const size_t n = shown.list[i].n;
		struct buf line = {0};

		buf_print(&line, "%c %s", c->added ? '+' : '-', c->shape);
		if (n > 1)
			buf_print(&line, "  (%zu times%s)", n, c->loop ? ", in loops" : "");
		else if (c->loop)
			buf_add_str(&line, "  (in a loop)");
		out->failed |= line.failed;
		buf_add_cut(out, buf_str(&line), columns - 3);
		buf_add_char(out, '\n');
		buf_fini(&line);
	}
	if (shown.n == 0 && d->n > 0)
		buf_add_str(out, "the same instructions in another order\n");
	if (shown.cut)
		buf_print(out, "in all %zu only in the base (-), %zu only in the head (+)\n",
			  d->removed, d->added);
}

/* Adds to an empty text. */
static void add_kernel(const struct code_against *a, size_t columns, struct buf *out)
{
	add_figures(a, columns, out);
	add_opcodes(&a->opcodes, columns, out);
	if (!a->not_compared.status)
		add_lines(&a->lines, columns, out);
	if (out->len == 0 && !a->not_compared.status)
		buf_add_str(out,
			    "instructions are equal but for registers, addresses, constants\n");
}

/* Adds a kernel that one of the launches does not have. */
static void add_alone(const struct code_against *a, size_t columns, struct buf *out)
{
	const struct code_kernel *head = a->sides[GATE_HEAD],
				 *k = head ? head : a->sides[GATE_BASE];
	const struct code_counts *c = &k->counts;
	char bytes[UNITS_TEXT_SIZE];
	struct buf line = {0};

	buf_print(&line, "%c kernel %s", head ? '+' : '-', k->name);
	if (!k->why.status && c->known)
		buf_print(&line, ", %lld instructions", (long long)c->all.instructions);
	else if (c->bytes > 0)
		buf_print(&line, ", %s of code", units_print_bytes((double)c->bytes, bytes));
	if (!k->why.status && c->kind == CODE_GPU && c->registers >= 0)
		buf_print(&line, ", %lld registers", (long long)c->registers);
	buf_add_cut(out, buf_str(&line), columns - 3);
	buf_add_char(out, '\n');
	out->failed |= line.failed;
	buf_fini(&line);
}

/* Adds the numbers of kernels of both launches where they differ, and those that one of them has.
 */
static void add_launches(const struct gate_code *c, size_t columns, struct buf *out)
{
	size_t n[GATE_TREES] = {0};

	for (size_t i = 0; i < c->n; i++)
		for (size_t t = 0; t < GATE_TREES; t++)
			n[t] += c->list[i].sides[t] != NULL;
	if (n[GATE_BASE] == n[GATE_HEAD])
		return;
	buf_print(out, "kernels of its launch %zu -> %zu\n", n[GATE_BASE], n[GATE_HEAD]);
	for (size_t i = 0; i < c->n; i++)
		if (!is_pair(&c->list[i]))
			add_alone(&c->list[i], columns, out);
}

void gate_code_print(const struct gate_kernel *k, size_t columns, struct buf *out)
{
	const struct gate_kernel *as = k->code.as;
	size_t same = 0;

	if (as)
		buf_print(out, "code as %s/%s %s\n", as->workload, as->problem, as->implementation);
	for (size_t i = 0; i < k->code.n; i++)
		same += k->code.list[i].same;
	if (k->code.n > 0 && same == k->code.n)
		buf_add_str(out, "the code is the same: its launch is another\n");
	add_launches(&k->code, columns, out);
	for (size_t i = 0; i < k->code.n; i++) {
		const struct code_against *a = &k->code.list[i];
		struct buf lines = {0};

		if (is_pair(a) && !a->same)
			add_kernel(a, columns, &lines);
		if (lines.len > 0 && k->code.n > 1)
			buf_print(out, "%s:\n", a->sides[GATE_HEAD]->name);
		buf_add(out, buf_str(&lines), lines.len);
		out->failed |= lines.failed;
		buf_fini(&lines);
	}
}

const struct code_against *gate_code_find_cut(const struct gate_kernel *k)
{
	struct shown shown;

	for (size_t i = 0; i < k->code.n; i++) {
		show(&k->code.list[i].lines, &shown);
		if (shown.cut && !k->code.list[i].same)
			return &k->code.list[i];
	}
	return NULL;
}

void gate_code_print_missing(const struct gate *g, struct buf *out)
{
	const struct asc_err *why = NULL;

	for (size_t i = 0; i < g->n && !why; i++)
		for (size_t k = 0; k < g->list[i].code.n && !why; k++) {
			const struct code_against *a = &g->list[i].code.list[k];

			/* A library's function has no file: nothing would tell more of it. */
			if (a->not_compared.status && a->sides[GATE_HEAD]->path)
				why = &a->not_compared;
		}
	if (why)
		buf_print(out, "instructions are not compared: %s\n", why->text);
	if (g->code_late > 0)
		buf_print(out, "the code of %zu more was not looked at, for time\n", g->code_late);
	if (g->code_more > 0)
		buf_print(out, "--json has what changed in the code of %zu more\n", g->code_more);
}

/* ---- JSON ---- */

void gate_code_write(const struct gate_kernel *k, struct json_writer *w)
{
	static const char *const sides[CODE_SIDES] = {[GATE_BASE] = "base", [GATE_HEAD] = "head"};
	const struct gate_code *c = k->code.as ? &k->code.as->code : &k->code;

	if (c->n == 0)
		return;
	json_write_begin(w, "code", '[');
	for (size_t i = 0; i < c->n; i++) {
		const struct code_against *a = &c->list[i];

		json_write_begin(w, NULL, '{');
		json_write_string(w, "kernel",
				  a->sides[a->sides[GATE_HEAD] ? GATE_HEAD : GATE_BASE]->name);
		for (size_t t = GATE_TREES; t-- > 0;) {
			if (!a->sides[t])
				continue;
			json_write_begin(w, sides[t], '{');
			if (a->sides[t]->path)
				json_write_string(w, "file", a->sides[t]->path);
			code_kernel_write(a->sides[t], w);
			json_write_end(w, '}');
		}
		if (is_pair(a))
			code_against_write(a, sides, w);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}
