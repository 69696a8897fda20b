#include "tuner/workload/binding/binding_scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding_digests.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/workload_read.h"

/* The content key of a bound problem, over all that decides the inputs and the reference's output,
 * and neither its name nor its verification. Keys outlive this version in caches and databases, so
 * enumerations that may be renumbered, like element types, go by their names. */

static void number_add(struct hash *h, int64_t v)
{
	/* Always 64 bits: the width of a size_t or of an enum must not change a key. */
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
		p->shared_bytes, p->threads,      p->cooperative,    p->sampled,
		p->spread,       p->programmatic, p->prefers_shared, (int64_t)p->n_arguments};

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
		/* The rank is among the numbers, so a shape cannot be taken for the box behind
		 * it. */
		numbers_add(h, a->shape, a->rank);
		numbers_add(h, a->box, a->rank);
		value_add(h, a->scalar);
		hash_add_str(h, a->swizzle);
		if (a->text)
			hash_add_str(h, a->text);
		/* Strides and place count for a view alone, as for the other tensors of a key. */
		if (a->scattered || a->offset_bytes > 0) {
			numbers_add(h, a->strides, a->rank);
			number_add(h, a->offset_bytes);
		}
	}
	const struct python_use *u = p->python;

	if (!u)
		return;
	number_add(h, u->make);
	number_add(h, u->torch);
	hash_add_str(h, u->available);
	number_add(h, (int64_t)u->n_returns);
	for (size_t i = 0; i < u->n_returns; i++)
		number_add(h, (int64_t)u->returns[i]);
	for (size_t i = 0; i < p->n_arguments; i++)
		hash_add_str(h, p->arguments[i].name);
}

static void source_add(struct hash *h, const struct workload *w, const char *source,
		       const char *const *flags)
{
	char *path = path_join(w->folder, source);
	/* The source with all files that it includes: a header may hold the reference. */
	if (path)
		sources_hash(path, flags, h);
	else
		asc_err_nomem(&h->failure);
	free(path);
}

static void formula_add(struct hash *h, const struct binding_scope *scope, const struct formula *f)
{
	double v;
	/* Absent and 0 are different: an absent one has a default. */
	if (!f->text)
		hash_add_str(h, NULL);
	else if (!h->failure.status && !binding_eval_real(scope, f, NULL, &v, &h->failure))
		value_add(h, value_real(v));
}

/* Adds what files hold of a tensor, in all sets. */
static void contents_add(struct hash *h, const struct binding *b, size_t i, enum content what)
{
	for (size_t set = 0; set < binding_sets(b); set++)
		if (*binding_digest(b, set, i, what)) {
			number_add(h, set < b->problem->n_sets && b->problem->sets[set].fresh);
			hash_add_str(h, binding_digest(b, set, i, what));
		}
}

static void fill_add(struct hash *h, const struct binding_scope *scope, size_t i)
{
	const struct fill *f = &scope->binding->workload->tensors[i].fill;
	const struct formula *formulas[] = {&f->mean,   &f->std,    &f->low,   &f->high, &f->value,
					    &f->modulo, &f->blocks, &f->slots, NULL};
	number_add(h, f->kind);
	number_add(h, f->cumulative);
	hash_add_str(h, f->entry);
	for (size_t k = 0; formulas[k]; k++)
		formula_add(h, scope, formulas[k]);
	/* Only where it is stated, so that keys from before there was padding stay valid. */
	if (f->padding.text)
		formula_add(h, scope, &f->padding);
	for (size_t k = 0; k < f->n_values; k++)
		formula_add(h, scope, &f->values[k]);
	if (f->source)
		source_add(h, scope->binding->workload, f->source, NULL);
	contents_add(h, scope->binding, i, CONTENT_BEFORE);
}

static bool is_view(const struct binding *b, size_t i)
{
	const struct bound_tensor *t = &b->tensors[i];

	return t->owner != i || t->scattered || t->offset_bytes > 0;
}

static void tensor_add(struct hash *h, const struct binding_scope *scope, size_t i)
{
	const struct tensor *t = &scope->binding->workload->tensors[i];
	const struct bound_tensor *o = &scope->binding->tensors[i];
	hash_add_str(h, t->name);
	number_add(h, t->role);
	number_add(h, o->present);
	/* Only for the host, so that keys from before there were places stay valid. */
	if (t->place == PLACE_HOST)
		hash_add_str(h, "host");
	hash_add_str(h, dtype_name(o->dtype));
	for (size_t k = 0; k < o->rank; k++)
		number_add(h, o->shape[k]);
	/* Likewise only for views. */
	if (is_view(scope->binding, i)) {
		hash_add_str(h, "view");
		hash_add_str(h, scope->binding->workload->tensors[o->owner].name);
		numbers_add(h, o->strides, o->rank);
		number_add(h, o->offset_bytes);
	}
	/* An output's bytes are what the kernel writes. */
	if (o->present && t->role != ROLE_OUT)
		fill_add(h, scope, i);
	contents_add(h, scope->binding, i, CONTENT_AFTER);
}

static void call_add(struct hash *h, const struct callable *c)
{
	struct buf text = {0};

	/* The node's own text, written anew: blanks and the order of its file's lines do not
	 * count. */
	json_write_node(&(struct json_writer){.out = &text}, NULL, c->node);
	hash_add(h, buf_str(&text), text.len);
	if (!h->failure.status)
		(void)buf_check(&text, &h->failure);
	buf_fini(&text);
}

static void callable_add(struct hash *h, const struct workload *w, const struct callable *c)
{
	call_add(h, c);
	source_add(h, w, c->source, (const char *const *)c->flags.names);
}

static void problem_add(struct hash *h, const struct problem *p)
{
	number_add(h, (int64_t)p->n_dims);
	for (size_t i = 0; i < p->n_dims; i++) {
		/* Not the problem's name: two names of the same sizes have one reference output. */
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
	const struct workload *w = b->workload;
	const bool is_function = w->reference_kind == REFERENCE_FUNCTION;
	struct hash h;

	hash_init(&h);
	problem_add(&h, b->problem);
	for (size_t i = 0; i < w->n_tensors; i++)
		tensor_add(&h, scope, i);
	/* Which reference, but not the source of the program's configuration: the problem stays
	 * what it is when a kernel changes. An implementation's own key has that
	 * (tune/impl_identity), and so has the file of the outputs (worker/reference). */
	if (w->reference_kind > REFERENCE_FUNCTION)
		number_add(&h, w->reference_kind);
	/* The references of all devices, wherever this runs: one key, one reference. */
	if (is_function)
		callable_add(&h, w, &w->reference);
	for (size_t i = 0; is_function && i < w->n_references_on; i++)
		callable_add(&h, w, &w->references_on[i].call);
	return hash_end(&h, b->key, e);
}

/* ---- differences of two problems ---- */

enum { A, B, SIDES };

struct comparison {
	const struct binding *sides[SIDES];
	const char *const *names;
	struct binding_scope scopes[SIDES];
	struct buf *out;
	bool contents; /* files hold other outputs */
};

/* Begins the next difference. */
static struct buf *next(struct comparison *c)
{
	if (c->out->len > 0)
		buf_add_str(c->out, "; ");
	return c->out;
}

/* Appends, of sides named A and B, "A has N=1, B has N=2", "only A has N"; `own` and `other` NULL:
 * that side has none. */
static void print_setting(struct comparison *c, const char *name, const char *own,
			  const char *other)
{
	if (own && other && strcmp(own, other) == 0)
		return;
	if (own && other)
		buf_print(next(c), "%s has %s=%s, %s has %s=%s", c->names[A], name, own,
			  c->names[B], name, other);
	else
		buf_print(next(c), "only %s has %s", c->names[own ? A : B], name);
}

static const char *find_type(const struct problem *p, const char *name)
{
	const struct dtype_variable *v = problem_find_variable(p, name);

	return v ? dtype_name(v->dtype) : NULL;
}

static void compare_problems(struct comparison *c)
{
	const struct problem *a = c->sides[A]->problem, *b = c->sides[B]->problem;
	char own[64], other[64];

	for (size_t i = 0; i < a->n_dims; i++) {
		const struct dimension *d = problem_find_dimension(b, a->dims[i].name);

		(void)value_print(a->dims[i].value, own, sizeof own);
		if (d)
			(void)value_print(d->value, other, sizeof other);
		print_setting(c, a->dims[i].name, own, d ? other : NULL);
	}
	/* Members that both have were compared above: only those of B alone are left. */
	for (size_t i = 0; i < b->n_dims; i++)
		if (!problem_find_dimension(a, b->dims[i].name))
			print_setting(c, b->dims[i].name, NULL, "");
	for (size_t i = 0; i < a->n_dtypes; i++)
		print_setting(c, a->dtypes[i].name, dtype_name(a->dtypes[i].dtype),
			      find_type(b, a->dtypes[i].name));
	for (size_t i = 0; i < b->n_dtypes; i++)
		if (!find_type(a, b->dtypes[i].name))
			print_setting(c, b->dtypes[i].name, NULL, "");
}

void binding_print_tensor(const struct binding *b, size_t i, struct buf *out)
{
	const struct tensor *t = &b->workload->tensors[i];
	const struct bound_tensor *o = &b->tensors[i];
	static const char *const roles[] = {
		[ROLE_IN] = "input", [ROLE_OUT] = "output", [ROLE_INOUT] = "input and output"};

	buf_print(out, "%s%s %s[", t->place == PLACE_HOST ? "host " : "", roles[t->role],
		  dtype_name(o->dtype));
	for (size_t k = 0; k < o->rank; k++)
		buf_print(out, "%s%lld", k ? ", " : "", (long long)o->shape[k]);
	buf_add_str(out, o->present ? "]" : "], which is absent");
	if (!o->present || !is_view(b, i))
		return;
	for (size_t k = 0; k < o->rank; k++)
		buf_print(out, "%s%lld", k ? ", " : " at strides [", (long long)o->strides[k]);
	buf_print(out, "%sfrom element %lld of %s", o->rank ? "] " : " ",
		  (long long)o->offset_bytes / (long long)dtype_bytes(o->dtype),
		  b->workload->tensors[o->owner].name);
}

static void print_fill(const struct tensor *t, struct buf *out)
{
	if (t->fill.node)
		json_write_node(&(struct json_writer){.out = out}, NULL, t->fill.node);
	else
		buf_add_str(out, "the default one");
}

/* Appends the two texts of a part that differs: "x is this in A, that in B". */
static enum asc_status print_both(struct comparison *c, const char *what, const struct buf texts[],
				  struct asc_err *e)
{
	for (int side = 0; side < SIDES; side++)
		if (buf_check(&texts[side], e))
			return e->status;
	/* Keys may differ where the words are the same: there is nothing to print then. */
	if (strcmp(buf_str(&texts[A]), buf_str(&texts[B])) == 0)
		return ASC_OK;
	buf_print(next(c), "%s is %s in %s, %s in %s", what, buf_str(&texts[A]), c->names[A],
		  buf_str(&texts[B]), c->names[B]);
	return ASC_OK;
}

/* Compares what files hold of a tensor after a launch, which no words tell. */
static enum asc_status compare_contents(struct comparison *c, const size_t at[SIDES],
					struct asc_err *e)
{
	char keys[SIDES][HASH_TEXT_SIZE];

	for (int side = 0; side < SIDES; side++) {
		struct hash h;

		hash_init(&h);
		contents_add(&h, c->sides[side], at[side], CONTENT_AFTER);
		if (hash_end(&h, keys[side], e))
			return e->status;
	}
	c->contents |= strcmp(keys[A], keys[B]) != 0;
	return ASC_OK;
}

/* Compares a tensor of A with the one of that name in B, wherever its file names it. */
static enum asc_status compare_tensor(struct comparison *c, size_t i, struct asc_err *e)
{
	struct buf texts[SIDES] = {{0}}, fills[SIDES] = {{0}}, what = {0};
	const struct workload *w[SIDES] = {c->sides[A]->workload, c->sides[B]->workload};
	const char *name = w[A]->tensors[i].name;
	size_t at[SIDES] = {i, workload_place_tensor(w[B], name)};
	char keys[SIDES][HASH_TEXT_SIZE];
	enum asc_status status = ASC_OK;

	if (at[B] == w[B]->n_tensors) {
		const char *other = w[B]->tensors[i].name; /* where that has one of this place */

		if (workload_place_tensor(w[A], other) == w[A]->n_tensors)
			buf_print(next(c), "tensor %zu is %s in %s, %s in %s", i + 1, name,
				  c->names[A], other, c->names[B]);
		else
			buf_print(next(c), "%s has no tensor %s", c->names[B], name);
		return ASC_OK;
	}
	for (int side = 0; side < SIDES && status == ASC_OK; side++) {
		const struct binding *b = c->sides[side];
		const struct tensor *t = &w[side]->tensors[at[side]];
		struct hash h;

		binding_print_tensor(b, at[side], &texts[side]);
		print_fill(t, &fills[side]);
		hash_init(&h);
		if (b->tensors[at[side]].present && t->role != ROLE_OUT)
			fill_add(&h, &c->scopes[side], at[side]);
		status = hash_end(&h, keys[side], e);
	}
	if (status == ASC_OK)
		status = print_both(c, name, texts, e);
	/* Fills are compared by their values and printed by their text; equal texts differ by the
	 * source or by sizes in formulas. */
	if (status == ASC_OK && c->out->len == 0 && strcmp(keys[A], keys[B]) != 0) {
		const struct fill *f = &w[B]->tensors[at[B]].fill;

		buf_print(&what, "the fill of %s", name);
		status = print_both(c, buf_str(&what), fills, e);
		if (status == ASC_OK && c->out->len == 0 && f->source)
			buf_print(next(c), "the fill of %s has another text in %s", name,
				  f->source);
		else if (status == ASC_OK && c->out->len == 0)
			buf_print(next(c), "the fill of %s has other numbers", name);
	}
	if (status == ASC_OK)
		status = compare_contents(c, at, e);
	for (int side = 0; side < SIDES; side++) {
		buf_fini(&texts[side]);
		buf_fini(&fills[side]);
	}
	buf_fini(&what);
	return status;
}

static const char *entry_of(const struct callable *c)
{
	return c->entry.n ? c->entry.list[0].name : "";
}

/* Adds what a call says, but for the name of its file. */
static void members_add(struct hash *h, const struct json_node *call)
{
	struct buf text = {0};
	struct json_writer w = {.out = &text};

	json_write_begin(&w, NULL, '{');
	for (const struct json_node *n = json_first(call); n; n = json_next(n))
		if (strcmp(json_key(n), "source") != 0)
			json_write_node(&w, json_key(n), n);
	json_write_end(&w, '}');
	hash_add(h, buf_str(&text), text.len);
	if (!h->failure.status)
		(void)buf_check(&text, &h->failure);
	buf_fini(&text);
}

/* Compares two calls of a reference; *text is its file where that alone has another text. */
static enum asc_status compare_call(struct comparison *c, const struct callable *a,
				    const struct callable *b, const char **text, struct asc_err *e)
{
	const struct callable *calls[SIDES] = {a, b};
	char keys[SIDES][HASH_TEXT_SIZE], sources[SIDES][HASH_TEXT_SIZE];

	for (int side = 0; side < SIDES; side++) {
		struct hash call, source;

		hash_init(&call);
		members_add(&call, calls[side]->node);
		hash_init(&source);
		source_add(&source, c->sides[side]->workload, calls[side]->source,
			   (const char *const *)calls[side]->flags.names);
		const enum asc_status status = hash_end(&call, keys[side], e);

		/* Both are ended in any case: a hash owns memory until then. */
		if (hash_end(&source, sources[side], e) || status)
			return e->status;
	}
	/* A file under another name has the same text. */
	const bool other = strcmp(sources[A], sources[B]) != 0;

	if (other && strcmp(a->source, b->source) != 0)
		buf_print(next(c), "the reference is %s in %s, %s in %s", a->source, c->names[A],
			  b->source, c->names[B]);
	else if (strcmp(entry_of(a), entry_of(b)) != 0)
		buf_print(next(c), "the reference in %s is %s() in %s, %s() in %s", b->source,
			  entry_of(a), c->names[A], entry_of(b), c->names[B]);
	else if (strcmp(keys[A], keys[B]) != 0)
		buf_print(next(c), "the reference in %s has other arguments or flags", b->source);
	else if (other)
		*text = b->source;
	return ASC_OK;
}

static enum asc_status compare_references(struct comparison *c, const char **text,
					  struct asc_err *e)
{
	static const char *const words[] = {[REFERENCE_FUNCTION] = "a C function",
					    [REFERENCE_CONFIGURATION] =
						    "the program's configuration",
					    [REFERENCE_FILES] = "what is recorded"};
	const struct workload *a = c->sides[A]->workload, *b = c->sides[B]->workload;

	if (!a->reference_kind != !b->reference_kind)
		buf_print(next(c), "only %s has a reference", c->names[a->reference_kind ? A : B]);
	else if (a->reference_kind != b->reference_kind)
		buf_print(next(c), "the reference is %s in %s, %s in %s", words[a->reference_kind],
			  c->names[A], words[b->reference_kind], c->names[B]);
	if (a->reference_kind != REFERENCE_FUNCTION || b->reference_kind != REFERENCE_FUNCTION)
		return ASC_OK;
	if (compare_call(c, &a->reference, &b->reference, text, e))
		return e->status;
	if (a->n_references_on != b->n_references_on)
		buf_add_str(next(c), "one has references on devices that the other has not");
	for (size_t i = 0; i < a->n_references_on && i < b->n_references_on; i++)
		if (compare_call(c, &a->references_on[i].call, &b->references_on[i].call, text, e))
			return e->status;
	return ASC_OK;
}

enum asc_status binding_print_difference(const struct binding *a, const struct binding *b,
					 const char *const names[2], struct buf *out,
					 const char **text, struct asc_err *e)
{
	struct comparison c = {.sides = {a, b}, .names = names, .out = out};
	const size_t n = a->workload->n_tensors;
	enum asc_status status = ASC_OK;

	*text = NULL;
	if (strcmp(a->key, b->key) == 0)
		return ASC_OK;
	for (int side = 0; side < SIDES; side++) {
		const enum asc_status s =
			binding_scope_init(&c.scopes[side], c.sides[side], NULL, e);

		c.scopes[side].of_problem = true;
		/* The tensors are bound already, all of them. */
		c.scopes[side].n_tensors = c.sides[side]->workload->n_tensors;
		status = status ? status : s;
	}
	/* Sizes decide shapes, and shapes decide fills: only the first kind of difference is
	 * printed. */
	compare_problems(&c);
	if (out->len == 0 && n != b->workload->n_tensors)
		buf_print(next(&c), "%s has %zu tensors, %s has %zu", names[A], n, names[B],
			  b->workload->n_tensors);
	for (size_t i = 0; i < n && status == ASC_OK && out->len == 0; i++)
		status = compare_tensor(&c, i, e);
	if (status == ASC_OK && out->len == 0)
		status = compare_references(&c, text, e);
	/* Keys differ, too, where files name sizes and tensors in another order: that is none. */
	if (status == ASC_OK && out->len == 0 && c.contents)
		buf_add_str(out, "recorded outputs differ");
	for (int side = 0; side < SIDES; side++)
		binding_scope_fini(&c.scopes[side]);
	return status ? status : buf_check(out, e);
}
