#include "tuner/cmd/gate/gate_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/repeat.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/cmd/code/code_against.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/git/git_tree.h"
#include "tuner/result/setting.h"
#include "tuner/workload/workload.h"

enum {
	NAME_COLUMN = 11,  /* behind the longest verdict */
	LONGEST_NAME = 40, /* of those that decide where what follows begins */
	LINE = 80,
	LEAST_REASON = 24, /* columns of a reason, however long the name is */
	ID_SHOWN = 12
};

size_t gate_count(const struct gate *g, enum gate_verdict v)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->list[i].verdict == v;
	return n;
}

static size_t count_accepted(const struct gate *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->list[i].accepted != NULL;
	return n;
}

/* ---- text ---- */

void gate_write_base(const struct gate *g, struct buf *out)
{
	const struct git_base *b = &g->checkout->base;
	const struct git_changes *c = &g->checkout->changes;

	buf_print(out, "base %.*s, %s%s (%s)", ID_SHOWN, b->id, b->merged ? "where HEAD left " : "",
		  b->name, b->by);
	if (!b->ancestor)
		buf_add_str(out, ", which HEAD does not come from: changes of both count");
	if (c->n > 0)
		buf_print(out, "; measured as it is: %s%s %s not committed", c->first,
			  c->n > 1 ? " and others" : "", c->n > 1 ? "are" : "is");
	if (c->unmerged > 0)
		buf_print(out, ", %zu with conflicts", c->unmerged);
}

void gate_write_left(const struct gate *g, struct buf *out)
{
	struct buf left = {0};

	git_tree_print_left(g->checkout->tree, &left);
	if (left.len > 0)
		buf_print(out, "not in the base: %s", buf_str(&left));
	out->failed |= left.failed;
	buf_fini(&left);
}

void gate_print_base(const struct gate *g)
{
	struct prose p;
	struct buf base = {0}, left = {0};

	gate_write_base(g, &base);
	gate_write_left(g, &left);
	prose_open(&p, stdout);
	prose_put(&p, INK_PLAIN, "%s", buf_str(&base));
	prose_end(&p, 2);
	if (left.len > 0) {
		prose_put(&p, INK_PLAIN, "%s", buf_str(&left));
		prose_end(&p, 2);
	}
	prose_close(&p);
	fflush(stdout);
	buf_fini(&base);
	buf_fini(&left);
}

void gate_print_saved(const char *path)
{
	struct asc_err e;
	char *here = path_absolute(".", &e);
	const size_t n = here ? strlen(here) : 0;

	prose_say(stdout, 2, "saved: %s",
		  n > 1 && strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path);
	free(here);
	fflush(stdout);
}

static size_t name_length(const struct gate_kernel *k)
{
	return strlen(k->workload) + strlen(k->problem) + strlen(k->implementation) + 2;
}

void gate_write_name(const struct gate_kernel *k, struct buf *out)
{
	buf_print(out, "%s/%s %s", k->workload, k->problem, k->implementation);
}

void gate_write_change(const struct gate_kernel *k, struct buf *out)
{
	char change[UNITS_TEXT_SIZE];

	if (k->found && k->found->n > 0)
		buf_print(out, "%s %%", units_print_signed(100 * (k->ratio.ratio - 1), 1, change));
	if (k->found && k->found->n > 0 && !k->retuned)
		buf_print(out, " (%.1f to %.1f)", 100 * (k->ratio.low - 1),
			  100 * (k->ratio.high - 1));
	if (k->retuned) /* the figure first: the line may be cut */
		buf_print(out, "%s%s %% with %s", k->found && k->found->n > 0 ? "; " : "",
			  units_print_signed(100 * (k->retuned->ratio.ratio - 1), 1, change),
			  k->retuned->changed);
}

void gate_write_why(const struct gate_kernel *k, struct buf *out)
{
	const char *reason = *k->sides[GATE_HEAD].reason ? k->sides[GATE_HEAD].reason
							 : k->sides[GATE_BASE].reason;
	const size_t before = out->len;

	buf_add_str(out, reason);
	if (k->accepted)
		buf_print(out, "%saccepted: %s", out->len > before ? " " : "", k->accepted_reason);
	if (*k->note)
		buf_print(out, "%s(%s)", out->len > before ? " " : "", k->note);
}

void gate_write_rest(const struct gate_kernel *k, struct buf *out)
{
	struct buf why = {0};
	const size_t before = out->len;

	gate_write_change(k, out);
	gate_write_why(k, &why);
	if (why.len > 0 && out->len > before)
		buf_add_str(out, k->retuned && *buf_str(&why) != '(' ? "; " : " ");
	buf_add_str(out, buf_str(&why));
	out->failed |= why.failed;
	buf_fini(&why);
}

/* Puts lines, indented by `indent`. */
static void put_lines(const struct buf *lines, enum ink ink, size_t indent, struct prose *p)
{
	size_t n;

	for (const char *at = buf_str(lines); *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		prose_pad(p, indent, 0);
		prose_put(p, ink, "%.*s", (int)n, at);
		prose_end(p, indent + 2);
	}
}

/* Prints what the lines of code leave open, once for all kernels, and the command that tells more.
 */
static void put_code_notes(const struct gate *g, struct prose *p)
{
	const struct code_against *cut = NULL;
	struct buf text = {0};

	gate_code_print_missing(g, &text);
	put_lines(&text, INK_PLAIN, 0, p);
	for (size_t i = 0; i < g->n && !cut; i++)
		cut = gate_code_find_cut(&g->list[i]);
	if (cut) {
		buf_clear(&text);
		shell_add_program(&text);
		shell_add_argument(&text, "code");
		shell_add_argument(&text, cut->sides[GATE_BASE]->path);
		shell_add_option(&text, "--against", cut->sides[GATE_HEAD]->path);
		prose_put(p, INK_PLAIN, "more: ");
		prose_put(p, INK_COMMAND, "%s", buf_str(&text));
		prose_end_command(p, 2);
	}
	buf_fini(&text);
}

/* One line; what does not fit it is in the JSON. Below it what the change did to the code. */
static void put_kernel(const struct gate_kernel *k, size_t names, struct prose *p)
{
	const size_t name = name_length(k), begin = NAME_COLUMN + (name > names ? name : names) + 2;
	struct buf text = {0}, rest = {0}, cut = {0};

	prose_put(p, k->verdict <= GATE_SLOWER && !k->accepted ? INK_BAD : INK_STRONG, "%s",
		  gate_verdict_name(k->verdict));
	prose_pad(p, NAME_COLUMN, 1);
	gate_write_name(k, &text);
	prose_put(p, INK_PLAIN, "%s", buf_str(&text));
	gate_write_rest(k, &rest);
	if (rest.len > 0) {
		buf_add_cut(&cut, buf_str(&rest),
			    begin + LEAST_REASON < LINE ? LINE - 3 - begin : LEAST_REASON);
		prose_pad(p, begin, 2);
		prose_put(p, INK_PLAIN, "%s", buf_str(&cut));
	}
	prose_end(p, NAME_COLUMN);
	buf_clear(&rest);
	gate_code_print(k, LINE - NAME_COLUMN, &rest);
	put_lines(&rest, INK_DIM, NAME_COLUMN, p);
	buf_fini(&cut);
	buf_fini(&rest);
	buf_fini(&text);
}

/* Writes why there is no kernel: what chooses some of them, else the device. */
static void write_none(const struct gate *g, struct buf *out)
{
	const bool problem = g->options->problems.n > 0, impl = g->options->implementation != NULL;

	if (problem || impl)
		buf_print(out, "no kernel is chosen by %s%s%s", problem ? "--problem" : "",
			  problem && impl ? " and " : "", impl ? "--impl" : "");
	else
		buf_print(out, "no kernel is for %s", g->on->target.ops->name);
}

void gate_write_counts(const struct gate *g, struct buf *out)
{
	const char *between = "";

	if (g->n == 0)
		write_none(g, out);
	for (int v = 0; v <= GATE_CHANGED; v++)
		if (gate_count(g, (enum gate_verdict)v) > 0) {
			buf_print(out, "%s%zu %s", between, gate_count(g, (enum gate_verdict)v),
				  gate_verdict_name((enum gate_verdict)v));
			if (v == GATE_SLOWER && count_accepted(g) > 0)
				buf_print(out, " (%zu accepted)", count_accepted(g));
			between = ", ";
		}
}

void gate_write_spent(const struct gate *g, int64_t spent_ns, struct buf *out)
{
	char time[UNITS_TEXT_SIZE];

	buf_print(out, "%zu built, %zu measured, ", g->builds, g->measured);
	if (g->searched > 0)
		buf_print(out, "%zu searched, ", g->searched);
	buf_add_str(out, units_print_duration((double)spent_ns, time));
}

void gate_write_others(const struct gate *g, struct buf *out)
{
	if (*g->others && gate_count(g, GATE_UNDECIDED) > 0)
		buf_add_str(out, g->others);
}

static void put_totals(const struct gate *g, int64_t spent_ns, struct prose *p)
{
	struct buf text = {0};

	gate_write_counts(g, &text);
	buf_add_str(&text, "; ");
	gate_write_spent(g, spent_ns, &text);
	prose_put(p, INK_PLAIN, "%s", buf_str(&text));
	prose_end(p, 2);
	buf_clear(&text);
	gate_write_others(g, &text);
	if (text.len > 0) {
		prose_put(p, INK_WARN, "%s", buf_str(&text));
		prose_end(p, 2);
	}
	buf_fini(&text);
}

/* True for a kernel that is news with --watch: one that is unchanged again, too. */
static bool is_printed(const struct gate_kernel *k)
{
	return k->before == GATE_WAS_OTHER ||
	       (k->before != GATE_KEPT && k->verdict != GATE_UNCHANGED);
}

/* Prints the command that records what a search has found. */
static void put_record(const struct gate *g, const struct gate_kernel *k, struct prose *p)
{
	struct buf command = {0};

	repeat_add_run(&command, &(struct repeat_run){.file = k->sides[GATE_HEAD].workload->path,
						      .device = g->options->device,
						      .problem = k->problem,
						      .implementation = k->implementation,
						      .config = k->retuned->config,
						      .db = g->options->db});
	prose_put(p, INK_PLAIN, "to record %s: ", k->retuned->changed);
	prose_put(p, INK_COMMAND, "%s", buf_str(&command));
	prose_end_command(p, 2);
	buf_fini(&command);
}

void gate_print(const struct gate *g, int64_t spent_ns)
{
	struct prose p;
	size_t names = 0;

	for (size_t i = 0; i < g->n; i++) {
		const size_t n = name_length(&g->list[i]);

		if (is_printed(&g->list[i]) && n <= LONGEST_NAME && n > names)
			names = n;
	}
	prose_open(&p, stdout);
	for (size_t i = 0; i < g->n; i++)
		if (is_printed(&g->list[i]))
			put_kernel(&g->list[i], names, &p);
	put_code_notes(g, &p);
	put_totals(g, spent_ns, &p);
	for (size_t i = 0; i < g->n; i++)
		if (g->list[i].retuned && g->list[i].before != GATE_KEPT)
			put_record(g, &g->list[i], &p);
	prose_close(&p);
}

/* ---- JSON ---- */

static enum asc_status write_kernel(const struct gate_kernel *k, struct asc_err *e)
{
	const struct gate_side *base = &k->sides[GATE_BASE], *head = &k->sides[GATE_HEAD];
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "gate_kernel");
	json_write_string(&w, "workload", k->workload);
	json_write_string(&w, "problem", k->problem);
	json_write_string(&w, "implementation", k->implementation);
	json_write_string(&w, "verdict", gate_verdict_name(k->verdict));
	json_write_bool(&w, "recorded", k->recorded);
	json_write_bool(&w, "equal", k->equal);
	if (k->weight > 0)
		json_write_real(&w, "weight", k->weight);
	if (base->config)
		json_write_string(&w, "base_config", base->config);
	if (head->config)
		json_write_string(&w, "head_config", head->config);
	if (*base->reason)
		json_write_string(&w, "base_reason", base->reason);
	if (*head->reason)
		json_write_string(&w, "head_reason", head->reason);
	if (*k->note)
		json_write_string(&w, "note", k->note);
	if (k->accepted) {
		json_write_string(&w, "accepted", k->accepted_reason);
		json_write_string(&w, "accepted_by", k->accepted->by);
	}
	if (k->found && k->found->n > 0) {
		json_write_real(&w, "ratio", k->ratio.ratio);
		json_write_real(&w, "low", k->ratio.low);
		json_write_real(&w, "high", k->ratio.high);
		json_write_begin(&w, "processes", '[');
		for (size_t i = 0; i < k->found->n; i++)
			json_write_real(&w, NULL, k->found->sessions[i].ratio);
		json_write_end(&w, ']');
	}
	if (k->retuned) {
		json_write_begin(&w, "retuned", '{');
		setting_write_config(k->retuned->config, &w);
		json_write_string(&w, "verdict", gate_verdict_name(k->retuned->verdict));
		json_write_real(&w, "ratio", k->retuned->ratio.ratio);
		json_write_real(&w, "low", k->retuned->ratio.low);
		json_write_real(&w, "high", k->retuned->ratio.high);
		json_write_end(&w, '}');
	}
	gate_code_write(k, &w);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

enum asc_status gate_print_json(const struct gate *g, int64_t spent_ns, struct asc_err *e)
{
	const struct base_checkout *c = g->checkout;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	for (size_t i = 0; i < g->n; i++)
		if (write_kernel(&g->list[i], e))
			return e->status;
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "gate");
	json_write_string(&w, "base", c->base.id);
	json_write_string(&w, "head", c->base.head);
	json_write_string(&w, "named", c->base.name);
	json_write_string(&w, "by", c->base.by);
	json_write_bool(&w, "ancestor", c->base.ancestor);
	json_write_int(&w, "not_committed", (int64_t)c->changes.n);
	for (int v = 0; v < GATE_VERDICTS; v++)
		json_write_int(&w, gate_verdict_name((enum gate_verdict)v),
			       (int64_t)gate_count(g, (enum gate_verdict)v));
	json_write_int(&w, "built", (int64_t)g->builds);
	json_write_int(&w, "measured", (int64_t)g->measured);
	json_write_int(&w, "searched", (int64_t)g->searched);
	json_write_int(&w, "accepted", (int64_t)count_accepted(g));
	json_write_int(&w, "spent_ns", spent_ns);
	json_write_string(&w, "others", *g->others ? g->others : NULL);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}
