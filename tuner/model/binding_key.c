#include "tuner/model/binding_scope.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json.h"
#include "tuner/base/sources.h"

/* The content key of a bound problem: what decides the inputs and the reference's output, and not
 * what it is called or how it is verified. Keys outlive this version in caches and databases, so
 * what may be renumbered, like the element types, goes by its name. */

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

static enum asc_status source_add(struct hash *h, const struct workload *w, const char *source,
				  const char *const *flags, struct asc_err *e)
{
	char *path = path_join(w->folder, source);
	if (!path)
		return asc_err_nomem(e);
	enum asc_status s = sources_hash(path, flags, h, e);
	free(path);
	return s;
}

static enum asc_status formula_add(struct hash *h, const struct binding_scope *scope,
				   const struct formula *f, struct asc_err *e)
{
	if (!f->text) {
		hash_add_str(h, NULL);
		return ASC_OK;
	}
	double v;
	enum asc_status s = binding_eval_real(scope, f, NULL, &v, e);
	if (s == ASC_OK)
		value_add(h, value_real(v));
	return s;
}

static enum asc_status fill_add(struct hash *h, const struct binding_scope *scope,
				const struct fill *f, struct asc_err *e)
{
	const struct formula *formulas[] = {&f->mean,   &f->std,    &f->low,   &f->high, &f->value,
					    &f->modulo, &f->blocks, &f->slots, NULL};
	enum asc_status s = ASC_OK;
	number_add(h, f->kind);
	number_add(h, f->cumulative);
	hash_add_str(h, f->entry);
	for (size_t i = 0; formulas[i] && s == ASC_OK; i++)
		s = formula_add(h, scope, formulas[i], e);
	if (s == ASC_OK && f->source)
		s = source_add(h, scope->binding->workload, f->source, NULL, e);
	return s;
}

static enum asc_status tensor_add(struct hash *h, const struct binding_scope *scope, size_t i,
				  struct asc_err *e)
{
	const struct tensor *t = &scope->binding->workload->tensors[i];
	const struct bound_tensor *o = &scope->binding->tensors[i];
	hash_add_str(h, t->name);
	number_add(h, t->role);
	number_add(h, o->present);
	hash_add_str(h, dtype_name(o->dtype));
	for (size_t k = 0; k < o->rank; k++)
		number_add(h, o->shape[k]);
	return o->present && t->role != ROLE_OUT ? fill_add(h, scope, &t->fill, e) : ASC_OK;
}

static enum asc_status callable_add(struct hash *h, const struct workload *w,
				    const struct callable *c, struct asc_err *e)
{
	struct buf text = {0};
	json_write_node(&(struct json_writer){.out = &text}, NULL, c->node);
	enum asc_status s = buf_check(&text, e);
	if (s == ASC_OK) {
		hash_add(h, text.data, text.len);
		s = source_add(h, w, c->source, (const char *const *)c->flags.names, e);
	}
	buf_fini(&text);
	return s;
}

/* What devices compute it counts on all of them: one key, one reference. */
static enum asc_status reference_add(struct hash *h, const struct workload *w, struct asc_err *e)
{
	if (!w->has_reference)
		return ASC_OK;
	enum asc_status s = callable_add(h, w, &w->reference, e);
	for (size_t i = 0; i < w->n_references_on && s == ASC_OK; i++)
		s = callable_add(h, w, &w->references_on[i].call, e);
	return s;
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
	enum asc_status s = ASC_OK;
	struct hash *h = hash_new();
	if (!h)
		return asc_err_nomem(e);
	problem_add(h, b->problem);
	for (size_t i = 0; i < b->workload->n_tensors && s == ASC_OK; i++)
		s = tensor_add(h, scope, i, e);
	if (s == ASC_OK)
		s = reference_add(h, b->workload, e);
	if (s == ASC_OK)
		hash_print(h, b->key);
	hash_free(h);
	return s;
}
