#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/base/buf.h"

/* Kernel languages that a file may name, and the suffix of a source that implies them. tuner/build
 * tells whether this version can build one. */
static const char *const builder_names[] = {"cc", "nvrtc", "triton", "ascendc", "vendor", NULL};
static const char *const builder_suffixes[] = {".c", ".cu", ".py", ".asc.cpp", NULL};

enum { BUILDER_CC, BUILDER_NVRTC, BUILDER_TRITON };

enum asc_status callable_read_builder(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "builder", builder_names, &choice, e);
	c->builder = builder_names[choice];
	return s;
}

enum asc_status callable_read_entry(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_per_device(n, "a function's name", &((struct callable *)member)->entry,
					e);
}

enum asc_status callable_read_flags(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_names(n, "flag", NULL, &((struct callable *)member)->flags, e);
}

/* ---- launch ---- */

static enum asc_status grid_read(const struct json_node *n, void *member, struct asc_err *e)
{
	size_t axes;
	return workload_read_formulas(n, "axes", 3, ((struct launch *)member)->grid, &axes, e);
}

static enum asc_status block_read(const struct json_node *n, void *member, struct asc_err *e)
{
	size_t axes;
	return workload_read_formulas(n, "axes", 3, ((struct launch *)member)->block, &axes, e);
}

static enum asc_status cluster_read(const struct json_node *n, void *member, struct asc_err *e)
{
	size_t axes;
	return workload_read_formulas(n, "axes", 3, ((struct launch *)member)->cluster, &axes, e);
}

#define AT(member) offsetof(struct launch, member)

static const struct json_field launch_fields[] = {
	{"grid", JSON_AS_CUSTOM, false, 0, grid_read, NULL},
	{"block", JSON_AS_CUSTOM, false, 0, block_read, NULL},
	{"shared", JSON_AS_CUSTOM, false, AT(shared), workload_read_formula, NULL},
	{"threads", JSON_AS_CUSTOM, false, AT(threads), workload_read_formula, NULL},
	{"cluster", JSON_AS_CUSTOM, false, 0, cluster_read, NULL},
	{"cooperative", JSON_AS_CUSTOM, false, AT(cooperative), workload_read_formula, NULL},
	{0}};

#undef AT

const struct json_spec launch_spec = {"launch", launch_fields};

enum asc_status callable_read_launch(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	c->launch.node = n;
	return json_read_object(n, &launch_spec, &c->launch, e);
}

/* ---- reference ---- */

#define AT(member) offsetof(struct callable, member)

static const struct json_field reference_fields[] = {
	{"source", JSON_AS_STRING, true, AT(source), NULL, NULL},
	{"entry", JSON_AS_STRING, true, AT(entry.list[0].name), NULL, NULL},
	{"arguments", JSON_AS_CUSTOM, true, 0, callable_read_arguments, &argument_spec},
	{"launch", JSON_AS_CUSTOM, false, 0, callable_read_launch, &launch_spec},
	{"flags", JSON_AS_CUSTOM, false, 0, callable_read_flags, NULL},
	{0}};

const struct json_spec reference_spec = {"reference", reference_fields};

enum asc_status reference_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	c->node = n;
	c->builder = builder_names[BUILDER_CC];
	c->entry.n = 1;
	return json_read_object(n, &reference_spec, c, e);
}

/* Keys of a kernel of the device that computes the reference. */
const struct json_spec device_reference_spec = {"device_reference", reference_fields};

enum asc_status references_on_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const char *const devices[] = {"cuda", "npu", NULL};
	struct workload *w = member;
	enum asc_status s = ASC_OK;
	for (const struct json_node *m = json_first(n); m && s == ASC_OK; m = json_next(m)) {
		struct device_reference *r = &w->references_on[w->n_references_on];
		int d = 0;
		while (devices[d] && strcmp(devices[d], json_key(m)) != 0)
			d++;
		if (!devices[d])
			return json_fail_unknown(m, e, "device class", json_key(m), devices);
		r->device = devices[d];
		r->call.node = m;
		r->call.entry.n = 1;
		w->n_references_on++;
		s = json_read_object(m, &device_reference_spec, &r->call, e);
	}
	return s;
}

/* ---- checks ---- */

static bool ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);
	return n > m && strcmp(text + n - m, suffix) == 0;
}

static const char *default_builder(const char *source)
{
	if (workload_source_is_module(source))
		return builder_names[BUILDER_TRITON];
	for (int i = 0; builder_suffixes[i]; i++)
		if (ends_with(source, builder_suffixes[i]))
			return builder_names[i];
	return NULL;
}

bool workload_source_has_macros(const char *source)
{
	const char *builder = default_builder(source);

	return builder == builder_names[BUILDER_CC] || builder == builder_names[BUILDER_NVRTC];
}

static enum asc_status builder_check(struct callable *c, struct asc_err *e)
{
	if (!c->builder)
		c->builder = default_builder(c->source);
	if (!c->builder)
		return json_fail(json_find(c->node, "source"), e,
				 "no builder belongs to the suffix of \"%s\": name one with "
				 "\"builder\"",
				 c->source);
	if (strcmp(c->builder, "cc") == 0 && !ends_with(c->source, ".c"))
		return json_fail(json_find(c->node, "source"), e,
				 "is \"%s\", expected a C file (.c) for builder cc", c->source);
	return ASC_OK;
}

static enum asc_status entry_check(struct callable *c, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	const struct json_node *n = json_find(c->node, "entry");
	if (!n && workload_source_is_module(c->source)) {
		c->entry.list[c->entry.n++].name = strchr(c->source, ':') + 1;
		return ASC_OK;
	}
	if (!n)
		return json_fail(c->node, e, "lacks \"entry\", the function to call in %s",
				 c->source);
	const bool python = strcmp(c->builder, builder_names[BUILDER_TRITON]) == 0;
	for (size_t i = 0; i < c->entry.n && s == ASC_OK; i++) {
		const char *name = c->entry.list[i].name;
		s = workload_check_identifier(n, name + (python ? strspn(name, "_") : 0), e);
	}
	return s;
}

/* Checks that a launch has what kernels of its builder are started with: of Triton's the compiler
 * chooses the rest. */
static enum asc_status launch_check(const struct callable *c, struct asc_err *e)
{
	static const struct {
		const char *builder, *keys[6], *text;
	} all[] = {
		{"cc", {"grid", "threads"}, "a C function has a grid and threads"},
		{"nvrtc",
		 {"grid", "block", "shared", "cluster", "cooperative"},
		 "a CUDA kernel has grid, block, shared, cluster and cooperative"},
		{"triton",
		 {"grid"},
		 "a workload states the grid of a Triton kernel alone, and the compiler chooses "
		 "the rest"},
		{"ascendc", {"grid"}, "a kernel of an NPU has a grid alone"},
		{"vendor", {"threads"}, "a library's function has threads alone"},
	};
	_Static_assert(sizeof all / sizeof *all + 1 == sizeof builder_names / sizeof *builder_names,
		       "each builder has its keys");
	const struct json_node *n = c->launch.node ? json_first(c->launch.node) : NULL;
	size_t b = 0;
	while (strcmp(all[b].builder, c->builder) != 0)
		b++;
	while (n && (str_is_in(json_key(n), all[b].keys) || strncmp(json_key(n), "X-", 2) == 0))
		n = json_next(n);
	return n ? json_fail(n, e, "is not for builder %s: %s", c->builder, all[b].text) : ASC_OK;
}

/* Checks that flags are given to a compiler that takes them. */
static enum asc_status flags_check(const struct callable *c, struct asc_err *e)
{
	if (c->flags.n == 0)
		return ASC_OK;
	if (strcmp(c->builder, builder_names[BUILDER_TRITON]) == 0)
		return json_fail(c->flags.node, e,
				 "builder triton takes none: its options are parameters and "
				 "constants, like num_warps");
	if (strcmp(c->builder, "vendor") == 0)
		return json_fail(c->flags.node, e, "nothing is compiled for builder vendor");
	return ASC_OK;
}

static enum asc_status constants_check(const struct workload *w, const struct callable *c,
				       struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	if (c->n_constants && strcmp(c->builder, "vendor") == 0)
		return json_fail(
			json_find(c->node, "constants"), e,
			"nothing is compiled for builder vendor, so it takes no constants");
	for (size_t i = 0; i < c->n_constants && s == ASC_OK; i++)
		s = constant_check(w, &c->constants[i], e);
	return s;
}

enum asc_status callable_check(const struct workload *w, const struct implementation *i,
			       struct callable *c, struct asc_err *e)
{
	enum asc_status s = builder_check(c, e);
	bool vendor = s == ASC_OK && strcmp(c->builder, "vendor") == 0, failed = false;
	if (s == ASC_OK && !vendor && !workload_source_is_module(c->source))
		s = workload_check_source(w, json_find(c->node, "source"), c->source, e);
	if (s == ASC_OK)
		s = entry_check(c, e);
	for (size_t k = 0; k < c->n_arguments && s == ASC_OK; k++)
		if (argument_check(w, i, c, &c->arguments[k], e)) {
			failed = true;
			s = json_goes_on(c->node, e) ? ASC_OK : e->status;
		}
	if (failed)
		return e->status;
	if (s == ASC_OK)
		s = constants_check(w, c, e);
	if (s == ASC_OK)
		s = twin_check(w, i, c, e);
	if (s == ASC_OK)
		s = flags_check(c, e);
	return s == ASC_OK ? launch_check(c, e) : s;
}
