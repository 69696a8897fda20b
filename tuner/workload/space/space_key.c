#include "tuner/base/hash.h"
#include "tuner/workload/expr/expr_graph.h"
#include "tuner/workload/space/space_new.h"

/* Combinations up to which a rule is held to another by what it allows, not by how it is computed:
 * a grid of ceil_div(N, BLOCK) has a block whatever N is. All of them take about 0.2 ms. */
enum { MAX_TABLE = 4096 };

/* Fields are added one by one: a struct has padding, whose bytes are undefined. */
static void add_number(struct hash *h, uint64_t n)
{
	hash_add(h, &n, sizeof n);
}

static void add_value(struct hash *h, struct value v)
{
	add_number(h, v.kind);
	if (v.kind == VALUE_REAL)
		hash_add(h, &v.r, sizeof v.r);
	else
		hash_add(h, &v.i, sizeof v.i);
}

/* Adds what the rule is for each combination. */
static void add_table(struct hash *h, struct odometer *o, const struct expr *x)
{
	unsigned char table[MAX_TABLE];
	struct value v;
	size_t n = 0;

	/* One text may read other parameters with another size: (a if N > 5 else b) > 1. */
	add_number(h, o->n);
	for (size_t i = 0; i < o->n; i++)
		add_number(h, o->used[i]);
	do {
		const enum expr_error error = expr_eval(x, o->slots, &v);

		table[n++] = (unsigned char)(error ? 1 + (unsigned)error : value_truth(v));
	} while (odometer_next(o));
	hash_add(h, table, n);
}

/* Adds how the rule is computed, with the names in it that are no parameters as constants. The
 * graph has what the rule needs and nothing else, so that its last node is the rule's value. */
static enum asc_status add_graph(struct hash *h, const struct expr *x, struct asc_err *e)
{
	struct expr_graph g = {0};
	uint32_t root;
	const enum asc_status st = expr_graph_add(&g, x, NULL, &root, e);

	for (size_t i = 0; !st && i < g.n; i++) {
		const struct expr_graph_node *n = &g.nodes[i];
		uint32_t operands[3];
		const size_t n_operands = expr_graph_operands(n, operands);

		add_number(h, n->kind);
		if (n->kind == EXPR_GRAPH_CONSTANT) {
			add_number(h, n->constant.error);
			if (!n->constant.error)
				add_value(h, n->constant.value);
		} else if (n->kind == EXPR_GRAPH_SLOT) {
			add_number(h, n->slot);
		} else {
			/* Operands are numbers of earlier nodes: they say which parts they are. */
			add_number(h, n->kind == EXPR_GRAPH_APPLY ? n->op : 0);
			if (n->kind == EXPR_GRAPH_STEP && n->slot == 0)
				expr_table_hash(g.tables[n->op], h);
			hash_add(h, operands, n_operands * sizeof operands[0]);
		}
	}
	expr_graph_fini(&g);
	return st;
}

static enum asc_status add_rule(struct hash *h, const struct space *s, const struct space_rule *r,
				struct asc_err *e)
{
	struct odometer o;

	hash_add_str(h, r->origin);
	hash_add_str(h, expr_text(r->expr));
	hash_add_str(h, expr_unknown_name(r->expr));
	if (expr_is_unknown(r->expr))
		return ASC_OK; /* it prunes nothing */
	odometer_init(&o, s, r->expr);
	/* One more than the limit is asked for, to tell "more" from "as many". */
	if (odometer_count(&o, MAX_TABLE + 1) > MAX_TABLE)
		return add_graph(h, r->expr, e);
	add_table(h, &o, r->expr);
	return ASC_OK;
}

enum asc_status space_key(const struct space_spec *spec, char key[HASH_TEXT_SIZE],
			  struct asc_err *e)
{
	struct hash h;
	struct space *s;
	struct asc_err ignored;
	enum asc_status st = space_start(spec, &s, e);

	if (st)
		return st;
	hash_init(&h);
	for (size_t i = 0; i < s->n; i++) {
		const struct space_param *p = &s->params[i];
		hash_add_str(&h, p->name);
		add_number(&h, p->n);
		for (size_t k = 0; k < p->n; k++)
			add_value(&h, p->values[k]);
		add_value(&h, p->default_value);
	}
	hash_add_str(&h, NULL); /* between parameters and rules */
	for (size_t r = 0; !st && r < s->n_rules; r++)
		st = add_rule(&h, s, &s->rules[r], e);
	space_free(s);
	if (!st)
		return hash_end(&h, key, e);
	(void)hash_end(&h, key, &ignored);
	return st;
}
