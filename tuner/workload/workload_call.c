#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/base/buf.h"

/* Kernel languages that a file may name, and the suffix of a source that implies them. tuner/build
 * knows which of them this version can build. */
static const char *const builder_names[] = {"cc",     "nvrtc",  "triton", "ascendc",
					    "vendor", "python", NULL};
static const char *const builder_suffixes[] = {".c", ".cu", ".py", ".asc.cpp", NULL};

enum { BUILDER_CC, BUILDER_NVRTC, BUILDER_TRITON };

enum asc_status callable_read_builder(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "builder", builder_names, &choice, e);
	if (s == ASC_OK)
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
	static const char *const kinds[] = {"configuration", "files", NULL};
	struct workload *w = member;
	struct callable *c = &w->reference;

	if (json_type(n) == JSON_STRING) {
		int kind = 0;

		if (workload_read_choice(n, "reference", kinds, &kind, e))
			return e->status;
		w->reference_kind = kind ? REFERENCE_FILES : REFERENCE_CONFIGURATION;
		return ASC_OK;
	}
	w->reference_kind = REFERENCE_FUNCTION;
	c->node = n;
	c->builder = builder_names[BUILDER_CC];
	enum asc_status s = json_read_object(n, &reference_spec, c, e);
	/* A reference has one entry, for its one device. */
	c->entry.n = c->entry.list[0].name != NULL;
	return s;
}

/* Keys of a kernel of the device that computes the reference. */
const struct json_spec device_reference_spec = {"device_reference", reference_fields};

enum asc_status references_on_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const char *const devices[] = {"cuda", "npu", NULL};
	struct workload *w = member;
	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		struct device_reference *r = &w->references_on[w->n_references_on];
		struct callable *c = &r->call;
		int d = 0;
		while (devices[d] && strcmp(devices[d], json_key(m)) != 0)
			d++;
		/* "cpu" is no such device: its reference is the C function, which every other one
		 * is held to. */
		if (!devices[d]) {
			if (json_ends(m, json_fail_unknown(m, e, "device class", json_key(m),
							   devices)))
				return e->status;
			continue;
		}
		r->device = devices[d];
		c->node = m;
		w->n_references_on++;
		if (json_ends(m, json_read_object(m, &device_reference_spec, c, e)))
			return e->status;
		c->entry.n = c->entry.list[0].name != NULL;
	}
	return ASC_OK;
}

/* ---- constants ---- */

static const struct json_field constant_fields[] = {
	{"dtype", JSON_AS_STRING, false, offsetof(struct constant, dtype), NULL, NULL},
	{"table", JSON_AS_STRING, false, offsetof(struct constant, table), NULL, NULL},
	{0}};

const struct json_spec constant_spec = {"constant", constant_fields};

static enum asc_status truth_read(const struct json_node *n, struct constant *c, struct asc_err *e)
{
	struct value v = {0};
	enum asc_status s = json_get_value(n, &v, e);
	c->truth = v.i != 0;
	return s;
}

static enum asc_status object_read(const struct json_node *n, struct constant *c, struct asc_err *e)
{
	if (json_read_object(n, &constant_spec, c, e))
		return e->status;
	c->kind = c->table ? CONSTANT_TABLE : CONSTANT_DTYPE;
	if (!c->table == !c->dtype && !json_has_stray(n))
		return json_fail(n, e, "expected either \"dtype\" or \"table\"");
	/* A table's name is a formula: what reads constants need not know of tables. */
	if (c->table)
		c->formula = (struct formula){c->table, n};
	return ASC_OK;
}

static enum asc_status constant_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct constant *c = member;
	c->name = json_key(n);
	c->node = n;
	if (json_ends(n, workload_check_identifier(n, c->name, e)))
		return e->status;
	switch (json_type(n)) {
	case JSON_NULL: c->kind = CONSTANT_NULL; return ASC_OK;
	case JSON_BOOL: c->kind = CONSTANT_TRUTH; return truth_read(n, c, e);
	case JSON_OBJECT: return object_read(n, c, e);
	default: c->kind = CONSTANT_FORMULA; return workload_read_formula(n, &c->formula, e);
	}
}

enum asc_status callable_read_constants(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct constant), constant_read,
					      "constants", WORKLOAD_MAX_CONSTANTS};
	struct callable *c = member;
	c->constants = workload_read_items(n, &rule, &c->n_constants, e);
	return c->constants ? ASC_OK : e->status;
}

enum asc_status constant_check(const struct workload *w, const struct implementation *i,
			       const struct constant *c, struct asc_err *e)
{
	if (c->kind == CONSTANT_TABLE && c->table)
		return table_check_name(i, json_find(c->node, "table"), c->table, e);
	if (c->kind != CONSTANT_DTYPE || !c->dtype)
		return ASC_OK;
	return workload_check_dtype(w, json_find(c->node, "dtype"), c->dtype, e);
}

/* ---- twins: C functions that stand for kernels of an NPU where there is none ---- */

static const struct json_field twin_fields[] = {
	{"source", JSON_AS_STRING, true, AT(twin.source), NULL, NULL},
	{"entry", JSON_AS_STRING, true, AT(twin.entry), NULL, NULL},
	{0}};

const struct json_spec twin_spec = {"standin", twin_fields};

enum asc_status callable_read_twin(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	c->twin.node = n;
	return json_read_object(n, &twin_spec, c, e);
}

enum asc_status twin_check(const struct workload *w, const struct implementation *i,
			   const struct callable *c, struct asc_err *e)
{
	const struct json_node *n = c->twin.node, *source = n ? json_find(n, "source") : NULL;
	if (!n)
		return ASC_OK;
	if (i && !name_list_has(&i->devices, "npu") &&
	    json_ends(n, json_fail(n, e, "stands for a kernel of an NPU, and %s is for none",
				   i->name)))
		return e->status;
	const size_t length = c->twin.source ? strlen(c->twin.source) : 0;
	/* At least one letter in front of ".c". */
	if (c->twin.source && (length < 3 || strcmp(c->twin.source + length - 2, ".c") != 0) &&
	    json_ends(n, json_fail(source, e, "is \"%s\", expected a C file (.c)", c->twin.source)))
		return e->status;
	if (json_ends(n, workload_check_source(w, source, c->twin.source, e)))
		return e->status;
	return c->twin.entry ? workload_check_identifier(json_find(n, "entry"), c->twin.entry, e)
			     : ASC_OK;
}

void workload_use_twins(struct workload *w)
{
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++) {
			struct callable *c = &w->implementations[i].calls[k];
			if (!c->twin.node || c->stood_for.source) /* it does already */
				continue;
			c->stood_for =
				(struct stood_for){c->source, c->builder, c->entry, c->flags};
			c->source = c->twin.source;
			c->builder = "twin";
			c->entry.n = 1;
			/* The stand-in is an NPU to everything else. */
			c->entry.list[0].device = "npu";
			c->entry.list[0].name = c->twin.entry;
			c->flags = (struct name_list){0}; /* of another compiler */
		}
}

/* ---- checks ---- */

/* Checks that a table of verdicts can be of this kernel. It is read for a target, and whether it is
 * there is seen then: a workload works without. */
static enum asc_status verdicts_check(const struct implementation *i, const struct callable *c,
				      struct asc_err *e)
{
	const struct json_node *n = json_find(c->node, "verdicts");
	if (!c->verdicts.file)
		return ASC_OK;
	if (i && !name_list_has(&i->devices, "npu"))
		return json_fail(n, e, "is of a kernel for an NPU, and %s is for none", i->name);
	if (c->builder && !callable_is_of(c, builder_names[BUILDER_TRITON]))
		return json_fail(n, e, "is of a Triton kernel, and this one is for builder %s",
				 c->builder);
	if (c->source && workload_source_is_module(c->source))
		return json_fail(n, e, "is of a file's kernel, and %s is a module", c->source);
	return ASC_OK;
}

/* True where a name stands before the suffix. */
static bool has_suffix(const char *source, const char *suffix)
{
	return str_ends_with(source, suffix) && strcmp(source, suffix) != 0;
}

static const char *default_builder(const char *source)
{
	/* A Python module has no suffix: it is a kernel of Triton. */
	if (workload_source_is_module(source))
		return builder_names[BUILDER_TRITON];
	for (int i = 0; builder_suffixes[i]; i++)
		if (has_suffix(source, builder_suffixes[i]))
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
	if (!c->source || (!c->builder && json_find(c->node, "builder")))
		return ASC_OK;
	if (!c->builder)
		c->builder = default_builder(c->source);
	if (!c->builder)
		return json_fail(json_find(c->node, "source"), e,
				 "no builder belongs to the suffix of \"%s\": name one with "
				 "\"builder\"",
				 c->source);
	if (callable_is_of(c, "cc") && !has_suffix(c->source, ".c"))
		return json_fail(json_find(c->node, "source"), e,
				 "is \"%s\", expected a C file (.c) for builder cc", c->source);
	return ASC_OK;
}

/* Checks that the file is there; a vendor's function has none. */
static enum asc_status source_check(const struct workload *w, struct callable *c, struct asc_err *e)
{
	if (c->source && callable_is_of(c, "python"))
		return python_check_source(w, c, e);
	const char *builder = c->builder || !c->source ? c->builder : default_builder(c->source);

	if (!builder || !source_is_file(builder, c->source))
		return ASC_OK;
	return workload_check_source(w, json_find(c->node, "source"), c->source, e);
}

static enum asc_status entry_check(const struct implementation *i, struct callable *c,
				   struct asc_err *e)
{
	const struct json_node *n = json_find(c->node, "entry");
	if (callable_is_of(c, "python"))
		return ASC_OK; /* a part of its source */
	if (!n && (!i || !c->source || json_has_stray(c->node)))
		return ASC_OK; /* missed as a key, or perhaps not needed */
	/* package.module:kernel names its entry itself. */
	if (!n && workload_source_is_module(c->source)) {
		c->entry.list[c->entry.n++].name = strchr(c->source, ':') + 1;
		return ASC_OK;
	}
	if (!n)
		return json_fail(c->node, e, "lacks \"entry\", the function to call in %s",
				 c->source);
	/* Private names of Python begin with an underscore; in C such names are the compiler's. */
	const bool python = !c->builder || callable_is_of(c, builder_names[BUILDER_TRITON]);
	for (size_t k = 0; k < c->entry.n; k++) {
		const char *name = c->entry.list[k].name;
		if (json_ends(n, workload_check_identifier(
					 n, name + (python ? strspn(name, "_") : 0), e)))
			return e->status;
	}
	return ASC_OK;
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
		{"python", {"threads"}, "a Python function has threads alone"},
	};
	_Static_assert(sizeof all / sizeof *all + 1 == sizeof builder_names / sizeof *builder_names,
		       "each builder has its keys");
	size_t b = 0;
	if (!c->builder || !c->launch.node || json_type(c->launch.node) != JSON_OBJECT)
		return ASC_OK;
	/* The loop ends: each builder has a row, which the assertion above holds. */
	while (!callable_is_of(c, all[b].builder))
		b++;
	for (const struct json_node *n = json_first(c->launch.node); n; n = json_next(n))
		if (!str_is_in(json_key(n), all[b].keys) && strncmp(json_key(n), "X-", 2) != 0 &&
		    !json_is_faulty(n) &&
		    json_ends(n, json_fail(n, e, "is not for builder %s: %s", c->builder,
					   all[b].text)))
			return e->status;
	return ASC_OK;
}

/* Checks that flags are given to a compiler that takes them. */
static enum asc_status flags_check(const struct callable *c, struct asc_err *e)
{
	if (c->flags.n == 0)
		return ASC_OK;
	if (callable_is_of(c, builder_names[BUILDER_TRITON]))
		return json_fail(c->flags.node, e,
				 "builder triton takes none: its options are parameters and "
				 "constants, like num_warps");
	if (callable_is_library(c))
		return json_fail(c->flags.node, e, "nothing is compiled for builder %s",
				 c->builder);
	return ASC_OK;
}

static enum asc_status constants_check(const struct workload *w, const struct implementation *i,
				       const struct callable *c, struct asc_err *e)
{
	if (c->n_constants && callable_is_of(c, "vendor"))
		return json_fail(
			json_find(c->node, "constants"), e,
			"nothing is compiled for builder vendor, so it takes no constants");
	for (size_t k = 0; k < c->n_constants; k++)
		if (json_ends(c->node, constant_check(w, i, &c->constants[k], e)))
			return e->status;
	return ASC_OK;
}

enum asc_status callable_check(const struct workload *w, const struct implementation *i,
			       struct callable *c, struct asc_err *e)
{
	const struct json_node *n = c->node;
	if (json_ends(n, builder_check(c, e)) || json_ends(n, source_check(w, c, e)) ||
	    json_ends(n, entry_check(i, c, e)))
		return e->status;
	/* Behind the builder, which decides what an argument may be. */
	for (size_t k = 0; k < c->n_arguments; k++)
		if (json_ends(n, argument_check(w, i, c, &c->arguments[k], e)))
			return e->status;
	if (json_ends(n, constants_check(w, i, c, e)) || json_ends(n, twin_check(w, i, c, e)) ||
	    json_ends(n, verdicts_check(i, c, e)) || json_ends(n, flags_check(c, e)) ||
	    json_ends(n, launch_check(c, e)) || json_ends(n, python_check(w, i, c, e)))
		return e->status;
	return ASC_OK;
}
