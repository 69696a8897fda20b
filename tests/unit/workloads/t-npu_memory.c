/* Memory of NPUs: the least that each shipped workload states for its Triton kernel, beside the
 * verdicts of the real memory planner on every variant of the kernel (limits/planner), alone and
 * behind its table of verdicts, and sdpa's rewrites on a model.
 * covers: workloads/sdpa.json workloads/gemm.json workloads/gated_mlp.json workloads/rms_norm.json
 * workloads/softmax.json workloads/geglu.json memory_plan.c */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/csv.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/binding/binding_verdicts.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

static struct asc_err e;

/* ---- verdicts ---- */

enum { MAX_COLUMNS = 16, MAX_ROWS = 4096 };

/* Verdicts of one kernel: a row a variant; every constant is a column, and every option of the
 * compiler that decides. */
struct table {
	struct buf text;
	char *columns[MAX_COLUMNS], *rows[MAX_ROWS][MAX_COLUMNS];
	size_t n_columns, n_rows;
};

static void table_read(struct table *t, const char *kernel)
{
	char path[256];

	*t = (struct table){0};
	snprintf(path, sizeof path, TEST_DATA "/limits/planner/%s.csv", kernel);
	if (!tap_int(file_read(path, 0, &t->text, &e), ASC_OK, "the verdicts on %s", kernel))
		return;
	char *line = t->text.data, *next = csv_end_line(line, ',');
	t->n_columns = csv_split(line, ',', t->columns, MAX_COLUMNS);
	for (line = next; line && *line && t->n_rows < MAX_ROWS; line = next) {
		next = csv_end_line(line, ',');
		(void)csv_split(line, ',', t->rows[t->n_rows++], MAX_COLUMNS);
	}
}

/* Values of a configuration and of the kernel's constants, by name; -1: it has no such name. */
struct variant {
	const struct implementation *implementation;
	const struct binding *binding;
	const struct config *config;
};

static int64_t value_of(const struct variant *v, const char *name)
{
	const struct implementation *i = v->implementation;
	struct bound_constant c;

	for (size_t k = 0; k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, name) == 0)
			return v->config->values[k].i;
	for (size_t k = 0; k < i->calls[0].n_constants; k++)
		if (strcmp(i->calls[0].constants[k].name, name) == 0)
			return binding_constant(v->binding, i, v->config, &i->calls[0].constants[k],
						&c, &e) == ASC_OK
				       ? value_truth(c.value)
				       : -1;
	return -1;
}

/* Columns that change no verdict, and have one value in the tables: the size of a block that is
 * walked in parts, and the order of blocks. */
static bool decides(const char *kernel, const char *column)
{
	static const char *const others[] = {"sdpa BLOCK_M", "sdpa FULL_HEAD",
					     "sdpa REVERSE", "geglu BLOCK_SIZE",
					     "gemm GROUP_M", "gated_mlp GROUP_M"};
	char name[64];

	snprintf(name, sizeof name, "%s %s", kernel, column);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(others[i], name) == 0)
			return false;
	return true;
}

/* The planner's verdict on a variant; NULL: the table leaves it out, as surely small. The first two
 * columns are model and type, the last one is the verdict. */
static const char *find(const struct table *t, const char *kernel, const char *soc,
			const char *dtype, const struct variant *v)
{
	int64_t wanted[MAX_COLUMNS];

	for (size_t k = 2; k + 1 < t->n_columns; k++)
		wanted[k] = value_of(v, t->columns[k]);
	for (size_t i = 0; i < t->n_rows; i++) {
		char *const *row = t->rows[i];
		bool same = strcmp(row[0], soc) == 0 && strcmp(row[1], dtype) == 0;

		for (size_t k = 2; same && k + 1 < t->n_columns; k++)
			same = !decides(kernel, t->columns[k]) ||
			       strtoll(row[k], NULL, 10) == wanted[k];
		if (same)
			return row[t->n_columns - 1];
	}
	return NULL;
}

struct count {
	int accepted, lost, refused, foreseen;
};

/* Judges the space of one problem: what its memory, and the table of verdicts in use, leave out of
 * the space without these. */
static void judge(const struct table *t, const char *kernel, const char *soc, struct binding *b,
		  const struct implementation *i, struct count *n)
{
	struct implementation roomy = *i;
	struct space *all = NULL, *kept = NULL;
	uint64_t unused;

	roomy.n_memory = 0;
	roomy.calls[0].verdicts.table = NULL;
	if (!tap_ok(binding_space(b, &roomy, &all, &e) == ASC_OK &&
			    binding_space(b, i, &kept, &e) == ASC_OK,
		    "%s: spaces of %s", kernel, b->problem->name))
		tap_note("%s", e.text);
	for (uint64_t at = 0; all && kept && at < space_count(all); at++) {
		struct config c;
		space_get(all, at, &c);
		const char *verdict = find(t, kernel, soc, dtype_name(b->problem->dtypes[0].dtype),
					   &(struct variant){i, b, &c});
		const bool there = space_find(kept, &c, &unused);

		if (!verdict)
			continue;
		if (strcmp(verdict, "fits") == 0) {
			n->accepted++;
			n->lost += !there;
		} else {
			n->refused++;
			n->foreseen += !there;
		}
	}
	space_free(all);
	space_free(kept);
}

/* `by_table`: as the workload's own table of verdicts says, which says of every refusal in the rows
 * that it is one. */
static void test_verdicts(const char *kernel, const char *soc, const char *target, bool by_table)
{
	char path[256];
	struct table t;
	struct workload *w = NULL;
	struct limits l;
	struct count n = {0};

	snprintf(path, sizeof path, PROJECT_ROOT "/workloads/%s.json", kernel);
	table_read(&t, kernel);
	if (!tap_ok(workload_open(path, &w, &e) == ASC_OK && limits_find(target, &l), "%s on %s",
		    kernel, target)) {
		tap_note("%s", e.text);
		buf_fini(&t.text);
		return;
	}
	const struct implementation *i = workload_find_implementation(w, "triton");
	if (by_table)
		tap_ok(workload_use_verdicts(w, &l, NULL, &e) == ASC_OK &&
			       i->calls[0].verdicts.table,
		       "%s: its table is of its kernel, and for %s", kernel, target);
	for (size_t k = 0; k < w->n_problems; k++) {
		const struct problem *p = &w->problems[k];
		struct binding b;
		char reason[256];
		bool covers = false;

		if ((p->devices.names && !name_list_has(&p->devices, "npu")) ||
		    binding_init(&b, w, p, "npu", &l.facts, &e))
			continue;
		b.limits = &l;
		if (binding_covers(&b, i, &covers, reason, sizeof reason, &e) == ASC_OK && covers)
			judge(&t, kernel, soc, &b, i, &n);
		binding_fini(&b);
	}
	const char *how = by_table ? "table" : "expressions";
	const int least = by_table ? 100 : 97; /* percent */

	tap_int(n.lost, 0, "%s on %s by %s: of %d that the planner accepts none is left out",
		kernel, target, how, n.accepted);
	tap_ok(n.refused > 0 && 100 * n.foreseen >= least * n.refused,
	       "%s on %s by %s: of %d that it refuses %d are foreseen", kernel, target, how,
	       n.refused, n.foreseen);
	workload_close(w);
	buf_fini(&t.text);
}

/* ---- rewrites ---- */

/* True where each parameter that is no block size has its default: options of the compiler. */
static bool is_plain(const struct implementation *i, const struct config *c)
{
	for (size_t k = 0; k < i->n_parameters; k++) {
		const struct parameter *p = &i->parameters[k];

		const int64_t first = p->has_default ? p->default_value.i : p->values[0].i;

		if (islower((unsigned char)*p->name) && c->values[k].i != first)
			return false;
	}
	return true;
}

/* Configurations with the default options. */
static int count(struct workload *sdpa, const struct binding *bound, unsigned off)
{
	const struct implementation *i = workload_find_implementation(sdpa, "triton");
	struct binding b = *bound;
	struct space *s = NULL;
	int n = 0;

	b.rewrites_off = off;
	tap_ok(binding_space(&b, i, &s, &e) == ASC_OK, "a space");
	for (uint64_t at = 0; s && at < space_count(s); at++) {
		struct config c;

		space_get(s, at, &c);
		n += is_plain(i, &c);
	}
	space_free(s);
	return n;
}

/* Windowed attention: 49 queries of 32768 heads, D = 32. By hand, for BLOCK_M and BLOCK_N = 16 ..
 * 256: at most 65535 blocks with BLOCK_M >= 64. A sub-block of S rows against N keys is refused in
 * L0C where 4 S max(N, 32) > 131072 and in UB where S (5 N + 224) > 196608: 256 x 128, 256 x 256.
 */
static void test_rewrites(void)
{
	const unsigned sub = rewrite_bit(rewrite_find("sub-block"));
	const unsigned axis = rewrite_bit(rewrite_find("axis-limit"));
	struct workload *w = NULL;
	struct limits l;
	struct binding b;
	if (!tap_ok(workload_open(PROJECT_ROOT "/workloads/sdpa.json", &w, &e) == ASC_OK &&
			    limits_find("Ascend910B3", &l) &&
			    binding_init(&b, w, workload_find_problem(w, "swin-b-windows"), "npu",
					 &l.facts, &e) == ASC_OK,
		    "windows of 49 queries"))
		return;
	b.limits = &l;
	tap_int(count(w, &b, sub | axis), 5 + 5 + 3, "whole blocks of 64, 128 and 256");
	tap_int(count(w, &b, axis), 3 * 5 + 4 * 5 + (4 * 5 + 3), "in sub-blocks");
	tap_int(count(w, &b, sub), 5 + 5 + 5 + 5 + 3, "folded: blocks of 16 and 32 too");
	tap_int(count(w, &b, 0), 5 + 2 * 5 + 3 * 5 + 4 * 5 + (4 * 5 + 3), "all of them");
	binding_fini(&b);
	workload_close(w);
}

int main(void)
{
	static const char *const kernels[] = {"sdpa",     "gemm",    "gated_mlp",
					      "rms_norm", "softmax", "geglu"};

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		for (int by_table = 0; by_table < 2; by_table++) {
			test_verdicts(kernels[i], "910B3", "Ascend910B3", by_table);
			test_verdicts(kernels[i], "950", "Ascend950PR_9579", by_table);
		}
	}
	test_rewrites();
	return tap_done();
}
