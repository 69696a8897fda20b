#include "tests/device/fixture.h"

#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"

void call_init(struct call *c, const char *name, enum dtype type)
{
	*c = (struct call){
		.name = name,
		.types = {type, DTYPE_F32},
		.plan = {
			.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .threads = 1}};
}

struct bound_argument *call_add(struct call *c, enum argument_kind kind)
{
	struct bound_argument *a = &c->plan.arguments[c->plan.n_arguments++];

	a->kind = kind;
	return a;
}

void call_add_scalar(struct call *c, enum dtype type, struct value v)
{
	struct bound_argument *a = call_add(c, ARG_SCALAR);

	a->type = type;
	a->scalar = v;
}

static enum build_argument_kind kind_of(const struct bound_argument *a)
{
	return a->kind == ARG_TENSOR       ? BUILD_TENSOR
	       : a->kind == ARG_SCALAR     ? BUILD_SCALAR
	       : a->kind == ARG_SCRATCH    ? BUILD_SCRATCH
	       : a->kind == ARG_TENSOR_MAP ? BUILD_TENSOR_MAP
					   : BUILD_BUILTIN;
}

char *fixture_build(struct fixture *f, const struct call *c)
{
	const struct builder_ops *builder = builder_find(f->target->builder, NULL);
	char *source = str_print("%s/%s%s", f->target->folder, c->name, f->target->suffix);
	struct build_request r;
	struct pool_done done = {0};
	struct asc_err e;
	char *artifact = NULL;

	build_request_init(&r, source, c->name, f->info.arch, f->program);
	if (c->flag)
		build_request_add_flag(&r, c->flag);
	for (size_t i = 0; i < c->plan.n_arguments; i++) {
		const struct bound_argument *a = &c->plan.arguments[i];
		enum dtype type = a->kind == ARG_TENSOR ? c->types[a->tensor] : a->type;

		build_request_add(&r, &(struct build_argument){.kind = kind_of(a), .type = type});
	}
	if (pool_submit(f->pool, 1, builder, &r, &e))
		tap_ok(false, "pool_submit %s: %s", source, e.text);
	else if (pool_take(f->pool, -1, &done) && done.artifact.path)
		artifact = str_dup(done.artifact.path);
	else if (c->flag)
		tap_skip("%s with %s: %s", source, c->flag, done.reason);
	else
		tap_ok(false, "%s is built: %s", source, done.reason);
	pool_done_fini(&done);
	free(source);
	return artifact;
}

struct device_kernel *fixture_load(struct fixture *f, const struct call *c)
{
	struct device_kernel *k = NULL;
	struct asc_err e;
	char *artifact = fixture_build(f, c);

	if (artifact && f->ops->load(f->d, artifact, c->name, &k, &e))
		tap_ok(false, "%s is loaded: %s", c->name, e.text);
	free(artifact);
	return k;
}

int64_t fixture_run(struct fixture *f, const struct call *c, int64_t launches)
{
	const struct device_batch batch = {.samples = 1, .launches = launches};
	int64_t ns = -1;
	struct asc_err e;
	struct device_kernel *k = fixture_load(f, c);

	if (!k)
		return -1;
	if (f->ops->bind(f->d, k, &c->plan, c->tensors, c->scratch, &e) ||
	    f->ops->run(f->d, &(struct device_sequence){&k, 1}, &batch, &ns, &e)) {
		tap_ok(false, "%s runs: %s", c->name, e.text);
		ns = -1;
	}
	f->ops->unload(f->d, k);
	return ns;
}

struct device_buffer *fixture_alloc(struct fixture *f, size_t bytes, int byte)
{
	struct device_buffer *b = NULL;
	struct asc_err e;

	if (f->ops->alloc(f->d, bytes, &b, &e) || f->ops->fill(f->d, b, byte, &e))
		tap_ok(false, "a buffer of %zu bytes: %s", bytes, e.text);
	return b;
}

enum device_harm fixture_look(struct fixture *f, struct device_buffer *b)
{
	enum device_harm harm = DEVICE_UNHARMED;
	struct asc_err e;

	if (device_look(f->ops, f->d, b, &harm, &e))
		tap_ok(false, "a buffer is looked at: %s", e.text);
	return harm;
}

void fixture_read(struct fixture *f, const struct device_buffer *b, void *data, size_t bytes)
{
	struct asc_err e;

	if (f->ops->read(f->d, b, data, bytes, &e))
		tap_ok(false, "read: %s", e.text);
}

void fixture_write_by(struct fixture *f, const char *kernel, struct device_buffer *b, int64_t at)
{
	struct call c;

	call_init(&c, kernel, DTYPE_U8);
	(void)call_add(&c, ARG_TENSOR);
	call_add_scalar(&c, DTYPE_I64, value_int(at));
	c.tensors[0] = b;
	(void)fixture_run(f, &c, 1);
}

void fixture_poke(struct fixture *f, struct device_buffer *b, int64_t at)
{
	fixture_write_by(f, "poke", b, at);
}
