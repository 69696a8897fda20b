#include "tuner/workload/binding/binding_scope.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/sources/sources.h"

/* The content key of a bound problem, over all that decides the inputs and the reference's output,
 * and neither its name nor its verification. Keys outlive this version in caches and databases, so
 * enumerations that may be renumbered, like element types, go by their names. */

static void number_add(struct hash *h, int64_t v)
{
	hash_add(h, &v, sizeof v);
}

static void value_add(struct hash *h, struct value v)
{
	char text[64];
	value_print(v, text, sizeof text);
	hash_add_str(h, text);
}

static void numbers_add(struct hash *h, const int64_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		number_add(h, list[i]);
}

void plan_hash(const struct plan *p, struct hash *h)
{
	const int64_t rest[] = {
		p->shared_bytes, p->threads,      p->cooperative,         p->sampled,
		p->spread,       p->programmatic, (int64_t)p->n_arguments};

	hash_add_str(h, p->entry);
	numbers_add(h, p->grid, 3);
	numbers_add(h, p->block, 3);
	numbers_add(h, p->cluster, 3);
	numbers_add(h, rest, sizeof rest / sizeof *rest);
	for (size_t i = 0; i < p->n_arguments; i++) {
		const struct bound_argument *a = &p->arguments[i];
		const int64_t numbers[] = {a->kind,  (int64_t)a->tensor, a->type,
					   a->bytes, a->builtin,         (int64_t)a->rank};

		numbers_add(h, numbers, sizeof numbers / sizeof *numbers);
		numbers_add(h, a->shape, a->rank);
		numbers_add(h, a->box, a->rank);
		value_add(h, a->scalar);
		hash_add_str(h, a->swizzle);
	}
}

static void source_add(struct hash *h, const struct workload *w, const char *source,
		       const char *const *flags)
{
	char *path = path_join(w->folder, source);
	if (path)
		sources_hash(path, flags, h);
	else
		asc_err_nomem(&h->failure);
	free(path);
}

static void formula_add(struct hash *h, const struct binding_scope *scope, const struct formula *f)
{
	double v;
	if (!f->text)
		hash_add_str(h, NULL);
	else if (!h->failure.status && !binding_eval_real(scope, f, NULL, &v, &h->failure))
		value_add(h, value_real(v));
}

static void fill_add(struct hash *h, const struct binding_scope *scope, const struct fill *f)
{
	const struct formula *formulas[] = {&f->mean,   &f->std,    &f->low,   &f->high, &f->value,
					    &f->modulo, &f->blocks, &f->slots, NULL};
	number_add(h, f->kind);
	number_add(h, f->cumulative);
	hash_add_str(h, f->entry);
	for (size_t i = 0; formulas[i]; i++)
		formula_add(h, scope, formulas[i]);
	if (f->source)
		source_add(h, scope->binding->workload, f->source, NULL);
}

static void tensor_add(struct hash *h, const struct binding_scope *scope, size_t i)
{
	const struct tensor *t = &scope->binding->workload->tensors[i];
	const struct bound_tensor *o = &scope->binding->tensors[i];
	hash_add_str(h, t->name);
	number_add(h, t->role);
	number_add(h, o->present);
	if (t->place == PLACE_HOST)
		hash_add_str(h, "host");
	hash_add_str(h, dtype_name(o->dtype));
	for (size_t k = 0; k < o->rank; k++)
		number_add(h, o->shape[k]);
	if (o->present && t->role != ROLE_OUT)
		fill_add(h, scope, &t->fill);
}

static void callable_add(struct hash *h, const struct workload *w, const struct callable *c)
{
	struct buf text = {0};
	json_write_node(&(struct json_writer){.out = &text}, NULL, c->node);
	hash_add(h, buf_str(&text), text.len);
	if (!h->failure.status)
		(void)buf_check(&text, &h->failure);
	source_add(h, w, c->source, (const char *const *)c->flags.names);
	buf_fini(&text);
}

/* Adds the references of all devices: one key, one reference. */
static void reference_add(struct hash *h, const struct workload *w)
{
	if (!w->has_reference)
		return;
	callable_add(h, w, &w->reference);
	for (size_t i = 0; i < w->n_references_on; i++)
		callable_add(h, w, &w->references_on[i].call);
}

static void problem_add(struct hash *h, const struct problem *p)
{
	number_add(h, (int64_t)p->n_dims);
	for (size_t i = 0; i < p->n_dims; i++) {
		hash_add_str(h, p->dims[i].name);
		value_add(h, p->dims[i].value);
	}
	for (size_t i = 0; i < p->n_dtypes; i++) {
		hash_add_str(h, p->dtypes[i].name);
		hash_add_str(h, dtype_name(p->dtypes[i].dtype));
	}
}

enum asc_status binding_seal(struct binding *b, const struct binding_scope *scope,
			     struct asc_err *e)
{
	struct hash h;
	hash_init(&h);
	problem_add(&h, b->problem);
	for (size_t i = 0; i < b->workload->n_tensors; i++)
		tensor_add(&h, scope, i);
	reference_add(&h, b->workload);
	return hash_end(&h, b->key, e);
}
