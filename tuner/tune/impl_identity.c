#include "tuner/tune/impl_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/build/builder.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/process/proc_apart.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/tune/evaluate/python_identity.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/worker/verify.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/sources/sources.h"

/* ---- toolchains ---- */

struct vendor_question {
	const char *source, *function, *device;
};

struct vendor_answer {
	char identity[512];
};

/* A proc_apart_fn: vendor's libraries start threads and touch the driver. */
static enum asc_status answer_vendor(const void *question, void *answer, struct asc_err *e)
{
	const struct vendor_question *q = question;
	struct vendor_answer *a = answer;
	struct buf text = {0};
	enum asc_status status = vendor_check(q->source, q->function, q->device, e);

	if (status == ASC_OK)
		status = vendor_identity(q->source, &text, e);
	snprintf(a->identity, sizeof a->identity, "%s", buf_str(&text));
	buf_fini(&text);
	return status;
}

enum asc_status impl_identity_answer(const char *device, const char *source, const char *function,
				     struct asc_err *e)
{
	const struct vendor_question q = {source, function, device};
	struct vendor_answer answer = {0};

	*e = (struct asc_err){0};
	(void)answer_vendor(&q, &answer, e);
	if (proc_apart_answer(e, &answer, sizeof answer))
		return ASC_OK;
	return asc_err_set(e, ASC_USAGE, "inspect is started by asctune itself");
}

/* Finds the toolchain of a vendor's function: its library, in the environment that workers have. */
static enum asc_status find_library(const struct callable *c, const struct evaluator_target *target,
				    struct buf *out, struct asc_err *e)
{
	const struct device_ops *device = target->device;
	const struct vendor_question q = {c->source, callable_entry(c, device->name), device->name};
	const char *const argv[] = {target->program, "inspect",  q.device,
				    q.source,        q.function, NULL};
	struct vendor_answer answer = {0};

	if (device->environment ? device_ask(device, target->place, argv, &answer, sizeof answer, e)
				: proc_apart(answer_vendor, &q, &answer, sizeof answer,
					     PROC_APART_DRIVER_NS, e))
		return e->status;
	buf_add_str(out, answer.identity);
	return buf_check(out, e);
}

/* Finds the toolchain of a Python function: the libraries that it takes. */
static enum asc_status find_python(const struct workload *w, const struct callable *c,
				   const struct evaluator_target *target, struct buf *out,
				   struct asc_err *e)
{
	struct python_identity python;

	if (python_identity_find(w, c, target, PYTHON_IDENTITY_LIMIT_NS, &python, e))
		return e->status;
	buf_add_str(out, python.toolchain);
	python_identity_fini(&python);
	return buf_check(out, e);
}

static enum asc_status ask_toolchain(const struct workload *w, const struct callable *c,
				     const struct evaluator_target *target, struct buf *out,
				     struct asc_err *e)
{
	const char *device = target->device->name;
	const struct builder_ops *builder = builder_find(c->builder, device);

	if (!builder && builder_find(c->builder, NULL))
		return asc_err_set(e, ASC_ABSENT, "builder %s makes nothing for %s", c->builder,
				   device);
	if (!builder)
		return asc_err_set(e, ASC_ABSENT, "this version has no builder %s", c->builder);
	if (builder->command)
		return builder->toolchain(out, e);
	/* A library that is only launched may be missing where things are only built. */
	if (target->build_only)
		return ASC_OK;
	return callable_is_of(c, "python") ? find_python(w, c, target, out, e)
					   : find_library(c, target, out, e);
}

/* Finds the toolchain of one call. `reason`: why it cannot be used. */
static enum asc_status find_toolchain(const struct workload *w, const struct callable *c,
				      const struct evaluator_target *target, struct buf *out,
				      char *reason, size_t size, struct asc_err *e)
{
	enum asc_status status = ask_toolchain(w, c, target, out, e);

	if (status == ASC_OK)
		return buf_check(out, e);
	if (status != ASC_ABSENT)
		return status;
	snprintf(reason, size, "%s", e->text);
	return ASC_OK;
}

enum asc_status impl_identity_find_toolchain(struct impl_search *search, const struct workload *w,
					     const struct evaluator_target *target, char *reason,
					     size_t size, struct asc_err *e)
{
	const struct implementation *i = search->implementation;
	const char *known[WORKLOAD_MAX_CALLS + 1] = {0};
	struct buf each[WORKLOAD_MAX_CALLS] = {0}, all = {0};
	enum asc_status status = ASC_OK;
	size_t n = 0;

	for (size_t k = 0; k < i->n_calls && status == ASC_OK && !*reason; k++) {
		buf_clear(&each[n]);
		status = find_toolchain(w, &i->calls[k], target, &each[n], reason, size, e);
		if (str_is_in(buf_str(&each[n]), known)) /* calls of one compiler name it once */
			continue;
		buf_print(&all, "%s%s", n ? "; " : "", buf_str(&each[n]));
		known[n] = buf_str(&each[n]);
		n++;
	}
	if (status == ASC_OK)
		status = buf_check(&all, e);
	if (status == ASC_OK && !*reason)
		search->toolchain = buf_take(&all);
	for (size_t k = 0; k < WORKLOAD_MAX_CALLS; k++)
		buf_fini(&each[k]);
	buf_fini(&all);
	return status;
}

/* ---- the key ---- */

/* Adds members of an implementation or of one of its calls that decide its results, beside source
 * and configuration, with what the tables that they name give. */
static void hash_members(struct hash *h, const struct binding *b, const struct implementation *i,
			 const struct json_node *n, const char *const *keys)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};

	json_write_begin(&w, NULL, '{');
	for (size_t k = 0; keys[k]; k++)
		if (json_find(n, keys[k]))
			json_write_node(&w, keys[k], json_find(n, keys[k]));
	json_write_end(&w, '}');
	hash_add(h, buf_str(&text), text.len);
	/* A name that is a part of another one makes the key wider than it has to be, no more. */
	for (size_t k = 0; k < i->n_tables; k++)
		if (strstr(buf_str(&text), i->tables[k].name))
			binding_table_hash(b, &i->tables[k], h);
	if (!h->failure.status)
		(void)buf_check(&text, &h->failure);
	buf_fini(&text);
}

/* Members of a call that decide what it does. */
static const char *const call_keys[] = {"entry",     "arguments",  "launch",  "flags",
					"constants", "parameters", "returns", "make",
					"available", "tensors",    NULL};

/* Adds the verification to the key: results under another one do not count. Inputs and reference
 * are in the key of the problem. */
static void hash_verification(struct hash *h, const struct binding *b)
{
	hash_add(h, &(int64_t){VERIFY_VERSION}, sizeof(int64_t)); /* of the checks themselves */
	if (b->workload->deterministic)
		hash_add_str(h, "deterministic");
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const struct tensor *t = &b->workload->tensors[i];
		const struct bound_tensor *bound = &b->tensors[i];

		if (!bound->present || t->role == ROLE_IN)
			continue;
		hash_add_str(h, t->name);
		hash_add(h, &(int64_t){t->verify.kind}, sizeof(int64_t));
		hash_add(h, &bound->atol, sizeof bound->atol);
		hash_add(h, &bound->rtol, sizeof bound->rtol);
		hash_add(h, &t->verify.p, sizeof t->verify.p);
	}
}

/* Adds the program's own configuration where that is the reference: its implementation, unless it
 * is the one that the key is of, and the values that are its default. */
static void hash_own(struct hash *h, const struct loop_options *o, const struct binding *b,
		     const struct implementation *of)
{
	const struct device_ops *device = o->session->target.device;
	const struct implementation *own;
	struct config config;
	struct asc_err e;
	char text[64];

	if (b->workload->reference_kind <= REFERENCE_FUNCTION)
		return;
	if (binding_find_own(b, &own, &config, &e)) {
		/* Where there is none, nothing can be verified, as the run says by itself. */
		if (e.status != ASC_INPUT)
			h->failure = e;
		return;
	}
	for (size_t i = 0; i < own->n_parameters; i++) {
		value_print(config.values[i], text, sizeof text);
		hash_add_str(h, text);
	}
	for (size_t i = 0; own != of && i < own->n_calls; i++) {
		const struct callable *c = &own->calls[i];
		const struct builder_ops *builder = builder_find(c->builder, device->name);
		const struct kernel_source kernel = {.binding = b,
						     .call = c,
						     .implementation = own,
						     .device = device->name,
						     .arch = o->session->target.info->arch};
		struct build_request request;

		hash_members(h, b, own, c->node, call_keys);
		if (!builder)
			continue; /* it cannot be built, and nothing can be verified */
		kernel_request(builder, &kernel, &request);
		builder_hash(builder, &request, h);
		build_request_fini(&request);
	}
}

/* Inputs that the key covers, call by call, so that a later build can name those that differ. */
struct description {
	struct buf options; /* words of all commands, elements of an array */
	struct json_writer to_options;
	struct json_doc *sources[WORKLOAD_MAX_CALLS]; /* of each call that is in files */
	size_t n;
	struct hash digest; /* of their text */
};

static enum asc_status describe_build(struct description *d, const struct workload *w,
				      const struct builder_ops *builder,
				      const struct build_request *r, struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer to = {&text, false};
	enum asc_status status = builder_write_options(builder, r, &d->to_options, e);

	if (status == ASC_OK)
		status = builder_write_sources(builder, r, w->folder, &to, e);
	if (status == ASC_OK)
		status = buf_check(&text, e);
	if (status == ASC_OK)
		status = json_open_text("sources", buf_str(&text), text.len, &d->sources[d->n], e);
	d->n += status == ASC_OK;
	builder_hash_source(builder, r, &d->digest);
	buf_fini(&text);
	return status;
}

static bool is_written(const struct description *d, size_t before, const char *path)
{
	for (size_t k = 0; k < before; k++)
		if (json_find(json_root(d->sources[k]), path))
			return true;
	return false;
}

/* Takes the description: each source once, that of the first call first. */
static enum asc_status take_description(struct description *d, struct impl_search *search,
					struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};
	char digest[HASH_TEXT_SIZE];

	json_write_begin(&w, NULL, '{');
	for (size_t k = 0; k < d->n; k++)
		for (const struct json_node *n = json_first(json_root(d->sources[k])); n;
		     n = json_next(n))
			if (!is_written(d, k, json_key(n)))
				json_write_node(&w, json_key(n), n);
	json_write_end(&w, '}');
	json_write_end(&d->to_options, ']');
	enum asc_status status = hash_end(&d->digest, digest, e);

	if (status == ASC_OK && d->n > 0 && !buf_check(&d->options, e) && !buf_check(&text, e)) {
		search->options = buf_take(&d->options);
		search->sources = buf_take(&text);
		memcpy(search->source_digest, digest, sizeof digest);
	}
	buf_fini(&text);
	return status ? status : d->n > 0 && !search->sources ? asc_err_nomem(e) : ASC_OK;
}

static void description_fini(struct description *d)
{
	for (size_t k = 0; k < d->n; k++)
		json_close(d->sources[k]);
	buf_fini(&d->options);
}

static void hash_file(const struct workload *w, const char *builder, const char *source,
		      struct hash *h)
{
	char *path = source_path(w, builder, source);

	if (path)
		sources_hash(path, NULL, h);
	else
		asc_err_nomem(&h->failure);
	free(path);
}

/* Adds what a Python function consists of to the key and to the description. */
static enum asc_status describe_python(struct description *d, const struct workload *w,
				       const struct callable *c,
				       const struct evaluator_target *target, struct hash *h,
				       struct asc_err *e)
{
	struct python_identity python;

	if (python_identity_find(w, c, target, PYTHON_IDENTITY_LIMIT_NS, &python, e))
		return e->status;
	const enum asc_status status = json_open_text("sources", python.sources,
						      strlen(python.sources), &d->sources[d->n], e);

	d->n += status == ASC_OK;
	hash_add_str(h, python.digest);
	hash_add_str(&d->digest, python.digest);
	hash_add_str(&d->digest, c->source); /* which of its functions it is */
	python_identity_fini(&python);
	return status;
}

/* Adds one call to the key, and to the description where it is built or a Python function. */
static void add_call(const struct loop_options *o, const struct binding *b,
		     const struct impl_search *search, size_t call, struct hash *h,
		     struct description *d)
{
	const struct implementation *i = search->implementation;
	const struct callable *c = &i->calls[call];
	const char *device = o->session->target.device->name;
	const struct builder_ops *builder = builder_find(c->builder, device);
	const struct kernel_source kernel = {.binding = b,
					     .call = c,
					     .implementation = i,
					     .device = device,
					     .arch = o->session->target.info->arch};
	struct build_request request;

	/* An implementation of one kernel is its only call: its members are in the key already. */
	if (c->node != i->node) {
		hash_add_str(h, builder->name);
		hash_members(h, b, i, c->node, call_keys);
	}
	kernel_request(builder, &kernel, &request);
	builder_hash(builder, &request, h);
	if (callable_is_of(c, "python") && !o->session->target.build_only && !h->failure.status)
		(void)describe_python(d, b->workload, c, &o->session->target, h, &h->failure);
	else if (!builder->command)
		hash_add_str(h, search->toolchain);
	if (c->python.available && source_is_file(builder->name, c->python.available))
		hash_file(b->workload, builder->name, c->python.available, h);
	if (builder->command && !h->failure.status)
		(void)describe_build(d, b->workload, builder, &request, &h->failure);
	build_request_fini(&request);
}

enum asc_status impl_identity_make(const struct loop_options *o, const struct binding *b,
				   struct impl_search *search, struct asc_err *e)
{
	static const char *const keys[] = {"entry",    "arguments", "launch",  "flags",
					   "rewrites", "constants", "scratch", "returns",
					   "make",     "available", "tensors", NULL};
	const struct implementation *i = search->implementation;
	struct description d = {.to_options = {.out = &d.options}};
	struct hash h;
	struct asc_err other;

	hash_init(&h);
	hash_init(&d.digest);
	hash_add_str(&h, i->calls[0].builder);
	hash_add_str(&h, o->session->target.info->arch);
	hash_verification(&h, b);
	if (!h.failure.status)
		hash_own(&h, o, b, i);
	hash_members(&h, b, i, i->node, keys);
	json_write_begin(&d.to_options, NULL, '[');
	for (size_t k = 0; k < i->n_calls; k++)
		add_call(o, b, search, k, &h, &d);
	enum asc_status status = hash_end(&h, search->key, e);

	const enum asc_status described = take_description(&d, search, status ? &other : e);

	description_fini(&d);
	return status ? status : described;
}
