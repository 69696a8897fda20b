/* How a kernel's file is read.
 *
 * A first Python process reads the text, without running it, and answers in JSON: the kernel, and
 * its twin for NPUs if there is one, and both as a text of their own. What cannot be read off the
 * text is null; then a second process, in the sandbox, imports the module and answers with that.
 * The two answers together are checked. */
#include "reports/exchange/autotune.h"

#include <stdlib.h>
#include <string.h>

#include "reports/exchange/python_texts.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

enum {
	READ_LIMIT_S = 60,           /* for a parse that takes below a second */
	MAX_ANSWER_BYTES = 64 << 20, /* of a process that runs foreign code */
	MAX_CONFIGS = 4096,
	MAX_NAMES = 1000 /* names among which the nearest one is looked for */
};

/* ---- lists ---- */

static enum asc_status read_key(const struct json_node *n, void *out, struct asc_err *e)
{
	return json_get_string(n, out, e);
}

/* [NAME, X]: the name and the node of X. */
static enum asc_status read_pair(const struct json_node *n, const char **name,
				 const struct json_node **second, struct asc_err *e)
{
	if (json_type(n) != JSON_ARRAY || json_count(n) != 2)
		return json_fail(n, e, "expected a name and what it has");
	*second = json_next(json_first(n));
	return json_get_string(json_first(n), name, e);
}

static enum asc_status read_text(const struct json_node *n, void *out, struct asc_err *e)
{
	struct autotune_text *t = out;
	const struct json_node *text = NULL;
	enum asc_status s = read_pair(n, &t->name, &text, e);

	return s ? s : json_get_string(text, &t->text, e);
}

static enum asc_status read_entry(const struct json_node *n, void *out, struct asc_err *e)
{
	struct autotune_entry *a = out;
	const char **names = json_alloc(n, (json_count(n) + 1) * sizeof *names);

	if (!names)
		return asc_err_nomem(e);
	if (json_count(n) > CONFIG_MAX_PARAMETERS)
		return json_fail(n, e, "has %zu values, expected at most %d", json_count(n),
				 CONFIG_MAX_PARAMETERS);
	a->names = names;
	for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
		const struct json_node *value = NULL;

		if (read_pair(i, &names[a->config.n], &value, e) ||
		    json_get_choice(value, &a->config.values[a->config.n++], e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status read_default(const struct json_node *n, void *out, struct asc_err *e)
{
	struct autotune_parameter *p = out;

	p->is_text = json_type(n) == JSON_STRING;
	p->has_value = json_type(n) != JSON_NULL;
	if (!p->has_value)
		return ASC_OK;
	return p->is_text ? json_get_string(n, &p->text, e) : json_get_value(n, &p->value, e);
}

static enum asc_status read_name_or_null(const struct json_node *n, void *out, struct asc_err *e)
{
	return json_type(n) == JSON_NULL ? ASC_OK : json_get_string(n, out, e);
}

static enum asc_status read_shape(const struct json_node *n, void *out, struct asc_err *e)
{
	struct autotune_parameter *p = out;

	p->shape = json_read_list(n, sizeof *p->shape, read_key, &p->n_shape, e);
	return p->shape ? ASC_OK : e->status;
}

static enum asc_status read_parameter(const struct json_node *n, void *out, struct asc_err *e)
{
#define AT(member) offsetof(struct autotune_parameter, member)
	static const struct json_field fields[] = {
		{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
		{"constexpr", JSON_AS_BOOL, true, AT(is_constexpr), NULL, NULL},
		{"type", JSON_AS_CUSTOM, true, AT(type), read_name_or_null, NULL},
		{"role", JSON_AS_CUSTOM, true, AT(role), read_name_or_null, NULL},
		{"descriptor", JSON_AS_BOOL, true, AT(is_descriptor), NULL, NULL},
		{"value", JSON_AS_CUSTOM, true, 0, read_default, NULL},
		{"formula", JSON_AS_CUSTOM, true, AT(formula), read_name_or_null, NULL},
		{"shape", JSON_AS_CUSTOM, true, 0, read_shape, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"parameter", fields};

	return json_read_object(n, &spec, out, e);
}

/* ---- a kernel ---- */

struct kernel_nodes { /* JSON null: the text does not have it, an import may */
	const char *name, *library;
	bool tuned;
	const struct json_node *configs, *keys, *heuristics, *others, *parameters, *grid;
};

static enum asc_status read_nodes(const struct json_node *n, struct kernel_nodes *out,
				  struct asc_err *e)
{
#define AT(member) offsetof(struct kernel_nodes, member)
	static const struct json_field fields[] = {
		{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
		{"tuned", JSON_AS_BOOL, true, AT(tuned), NULL, NULL},
		{"library", JSON_AS_CUSTOM, false, AT(library), read_name_or_null, NULL},
		{"configs", JSON_AS_NODE, true, AT(configs), NULL, NULL},
		{"keys", JSON_AS_NODE, true, AT(keys), NULL, NULL},
		{"heuristics", JSON_AS_NODE, true, AT(heuristics), NULL, NULL},
		{"others", JSON_AS_NODE, false, AT(others), NULL, NULL},
		{"parameters", JSON_AS_NODE, false, AT(parameters), NULL, NULL},
		{"grid", JSON_AS_NODE, false, AT(grid), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"kernel", fields};

	*out = (struct kernel_nodes){0};
	return json_read_object(n, &spec, out, e);
}

static bool is_told(const struct kernel_nodes *k)
{
	return json_type(k->configs) != JSON_NULL && json_type(k->keys) != JSON_NULL &&
	       json_type(k->heuristics) != JSON_NULL;
}

/* Checks values of configurations. Python passes one that no workload may have as
 * {"unfit": TEXT}. */
static enum asc_status check_values(const struct kernel_nodes *k, struct asc_err *e)
{
	size_t number = 0;

	if (json_count(k->configs) > MAX_CONFIGS)
		return asc_err_set(e, ASC_INPUT, "kernel %s has more than %d configurations",
				   k->name, MAX_CONFIGS);
	for (const struct json_node *i = json_first(k->configs); i; i = json_next(i)) {
		number++;
		for (const struct json_node *pair = json_first(i); pair; pair = json_next(pair)) {
			const struct json_node *value = NULL;
			const char *name = NULL, *text = NULL;

			if (read_pair(pair, &name, &value, e))
				return e->status;
			if (json_type(value) == JSON_OBJECT &&
			    json_get_string(json_find(value, "unfit"), &text, e) == ASC_OK)
				return asc_err_set(e, ASC_INPUT,
						   "configuration %zu of kernel %s has %s = %s, "
						   "expected a number up to 2^53, a truth value or "
						   "a text",
						   number, k->name, name, text);
		}
	}
	return ASC_OK;
}

static enum asc_status take_kernel(const struct kernel_nodes *k, struct autotune_kernel *out,
				   struct asc_err *e)
{
	if (check_values(k, e))
		return e->status;
	out->name = k->name;
	out->library = k->library;
	out->has_tuner = k->tuned;
	out->entries =
		json_read_list(k->configs, sizeof *out->entries, read_entry, &out->n_entries, e);
	if (out->entries)
		out->keys = json_read_list(k->keys, sizeof *out->keys, read_key, &out->n_keys, e);
	if (out->keys)
		out->heuristics = json_read_list(k->heuristics, sizeof *out->heuristics, read_text,
						 &out->n_heuristics, e);
	if (out->heuristics)
		out->others = json_read_list(k->others, sizeof *out->others, read_text,
					     &out->n_others, e);
	if (out->others)
		out->grid = json_read_list(k->grid, sizeof *out->grid, read_key, &out->n_grid, e);
	if (out->grid)
		out->parameters = json_read_list(k->parameters, sizeof *out->parameters,
						 read_parameter, &out->n_parameters, e);
	if (!out->parameters)
		return e->status;
	if (out->n_entries > 0 || !k->tuned)
		return ASC_OK;
	/* Tritons of other chips make them of further arguments. */
	const struct autotune_text *other = out->n_others > 0 ? out->others : NULL;

	return asc_err_set(e, ASC_INPUT, "the autotuner of kernel %s has no configurations%s%s%s%s",
			   k->name, other ? ", but " : "", other ? other->name : "",
			   other ? " = " : "", other ? other->text : "");
}

/* ---- processes ---- */

/* The failure that the answer names, with the nearest of the names that there are. ASC_NOTFOUND
 * where the package is not there. */
static enum asc_status fail(const struct json_node *root, struct asc_err *e)
{
	const enum asc_status kind = json_find(root, "absent") ? ASC_NOTFOUND : ASC_INPUT;
	const char *text = NULL, *name = NULL, *names[MAX_NAMES + 1] = {0}, *near = NULL;
	size_t n = 0;

	if (json_get_string(json_find(root, "error"), &text, e))
		return e->status;
	for (const struct json_node *i = json_first(json_find(root, "names")); i && n < MAX_NAMES;
	     i = json_next(i))
		if (json_get_string(i, &names[n++], e))
			return e->status;
	/* A name that is not there is mostly a slip of the pen. */
	if (n > 0 && !json_get_string(json_find(root, "name"), &name, e))
		near = str_nearest(name, names);
	if (near)
		return asc_err_set(e, kind, "%s (did you mean \"%s\"?)", text, near);
	return asc_err_set(e, kind, n > 0 ? "%s: it has %s%s" : "%s", text, names[0],
			   n > 1 ? " and others" : "");
}

struct process {
	const char *const *argv;
	const struct sandbox *box;
	const char *what; /* name of the file in messages */
	uint64_t limit_s;
};

/* Describes the end of a process that has not answered. */
static enum asc_status fail_process(enum asc_status s, const struct process *p, int status,
				    struct asc_err *e)
{
	const char *step = p->box ? "import" : "reading";
	char text[80];

	if (s == ASC_NOTFOUND)
		return asc_err_set(e, ASC_ABSENT, "there is no program %s to read %s with",
				   p->argv[0], p->what);
	if (s == ASC_TIMEOUT)
		return asc_err_set(e, ASC_INPUT, "%s: its %s did not end within %llu s", p->what,
				   step, (unsigned long long)p->limit_s);
	return s ? s
		 : asc_err_set(e, ASC_INPUT, "%s: its %s ended %s: it %s", p->what, step,
			       p->argv[0], proc_print_status(status, text, sizeof text));
}

/* Runs the helper and opens its answer. */
static enum asc_status ask(const struct process *p, struct json_doc **out, struct asc_err *e)
{
	struct buf words = {0};
	int status = 0;
	enum asc_status s = proc_run(p->argv, p->box, (int64_t)p->limit_s * 1000000000,
				     MAX_ANSWER_BYTES, &words, &status, e);

	if (s != ASC_OK || status != 0 || words.len == 0)
		s = fail_process(s, p, status, e);
	else
		s = json_open_text(p->argv[0], buf_str(&words), words.len, out, e);
	buf_fini(&words);
	if (s == ASC_OK && json_find(json_root(*out), "error"))
		s = fail(json_root(*out), e);
	return s;
}

/* Imports the module in the sandbox, where it reads its folder, the repository around that, and the
 * interpreter. */
static enum asc_status import_source(struct autotune *a, const struct kernel_nodes *k, size_t n,
				     uint64_t limit_s, struct asc_err *e)
{
	const struct json_node *root = json_root(a->read);
	const char *argv[] = {NULL,
			      "-B",
			      "-c",
			      autotune_helper,
			      capture_cut,
			      triton_common,
			      "import",
			      a->file,
			      a->module,
			      k[0].name,
			      n > 1 ? k[1].name : NULL,
			      NULL};
	struct sandbox box = {0};
	const struct process p = {argv, &box, a->file, limit_s};
	char *folder = NULL;
	size_t count = 0;

	if (json_get_string(json_find(root, "executable"), &argv[0], e))
		return e->status;
	box.reads =
		json_read_list(json_find(root, "reads"), sizeof *box.reads, read_key, &count, e);
	if (!box.reads)
		return e->status;
	/* The module's code runs here: it may read what the first process named, and write into a
	 * folder that is removed. */
	enum asc_status s = dir_make_scratch("asctune", &folder, e);
	box.own = folder;
	if (s == ASC_OK)
		s = sandbox_grant(a->file, true, e);
	if (s == ASC_OK)
		s = ask(&p, &a->imported, e);
	dir_remove(folder);
	free(folder);
	return s;
}

/* Fills in what the text did not say from the answer of the import. */
static enum asc_status complete(const struct autotune *a, struct kernel_nodes *k, size_t n,
				struct asc_err *e)
{
	const struct json_node *i = json_first(json_find(json_root(a->imported), "kernels"));

	for (size_t at = 0; at < n; at++, i = json_next(i)) {
		struct kernel_nodes told;

		if (!i)
			return asc_err_set(e, ASC_INPUT, "%s told too little of its kernels",
					   a->file);
		if (read_nodes(i, &told, e))
			return e->status;
		if (json_type(k[at].configs) == JSON_NULL) {
			k[at].configs = told.configs;
			k[at].tuned = told.tuned;
		}
		if (json_type(k[at].keys) == JSON_NULL)
			k[at].keys = told.keys;
		if (json_type(k[at].heuristics) == JSON_NULL)
			k[at].heuristics = told.heuristics;
	}
	return ASC_OK;
}

/* Options of the compilers, which a configuration may have beside the kernel's parameters: those of
 * NVIDIA's GPUs, then those of Ascend NPUs. */
static const char *const options[] = {"num_warps",
				      "num_stages",
				      "num_ctas",
				      "maxnreg",
				      "enable_fp_fusion",
				      "launch_pdl",
				      "launch_cooperative_grid",
				      "multibuffer",
				      "unit_flag",
				      "enable_ubuf_saving",
				      "enable_auto_bind_sub_block",
				      "enable_hivm_auto_cv_balance",
				      "sync_solver",
				      "inject_barrier_all",
				      "inject_block_all",
				      "limit_auto_multi_buffer_only_for_local_buffer",
				      "limit_auto_multi_buffer_of_local_buffer",
				      "set_workspace_multibuffer",
				      "tile_mix_vector_loop",
				      "tile_mix_cube_loop",
				      NULL};

static enum asc_status refuse_name(const struct autotune_kernel *k, const char *const *known,
				   size_t number, const char *name, struct asc_err *e)
{
	const char *near = str_nearest(name, known);

	return asc_err_set(
		e, ASC_INPUT,
		"configuration %zu of kernel %s has \"%s\", which is neither a parameter "
		"of %s() nor an option of the compiler%s%s%s",
		number + 1, k->name, name, k->name, near ? " (did you mean \"" : "",
		near ? near : "", near ? "\"?)" : "");
}

static enum asc_status check_names(const struct autotune_kernel *k, struct asc_err *e)
{
	const size_t n_options = sizeof options / sizeof *options;
	const char **known = calloc(k->n_parameters + n_options, sizeof *known);
	enum asc_status s = ASC_OK;

	if (!known)
		return asc_err_nomem(e);
	for (size_t i = 0; i < k->n_parameters; i++)
		known[i] = k->parameters[i].name;
	memcpy(known + k->n_parameters, options, sizeof options);
	for (size_t i = 0; i < k->n_entries; i++)
		for (size_t p = 0; p < k->entries[i].config.n && s == ASC_OK; p++)
			if (!str_is_in(k->entries[i].names[p], known))
				s = refuse_name(k, known, i, k->entries[i].names[p], e);
	free(known);
	return s;
}

static enum asc_status take_checked(const struct autotune *a, const struct kernel_nodes *k,
				    struct autotune_kernel *out, struct asc_err *e)
{
	if (take_kernel(k, out, e) || check_names(out, e))
		return asc_err_wrap(e, "%s", a->file);
	return ASC_OK;
}

/* Takes the kernels' text from an answer, or the reason why there is none. */
static enum asc_status take_text(struct autotune *a, const struct json_doc *answer,
				 struct asc_err *e)
{
	const struct json_node *root = json_root(answer);
	const char *reason = NULL;

	if (read_name_or_null(json_find(root, "text"), &a->text, e) ||
	    read_name_or_null(json_find(root, "digest"), &a->digest, e) ||
	    read_name_or_null(json_find(root, "reason"), &reason, e))
		return e->status;
	free(a->reason);
	a->reason = reason ? strdup(reason) : NULL;
	return reason && !a->reason ? asc_err_nomem(e) : ASC_OK;
}

/* Name and version of the package, or nothing. */
static enum asc_status take_release(struct autotune *a, struct asc_err *e)
{
	const struct json_node *i = json_first(json_find(json_root(a->read), "package"));

	if (i && json_next(i) &&
	    (json_get_string(i, &a->package, e) || json_get_string(json_next(i), &a->version, e)))
		return e->status;
	return ASC_OK;
}

/* Imports the module for what its text does not say. Where the text says all, the import is for
 * objects that the kernel names; if it fails, the kernel stays in its package. */
static enum asc_status ask_import(struct autotune *a, struct kernel_nodes *k, size_t n,
				  uint64_t limit_s, struct asc_err *e)
{
	const bool told = is_told(&k[0]) && (n < 2 || is_told(&k[1]));
	enum asc_status s = import_source(a, k, n, limit_s, e);

	if (s == ASC_INPUT && told) {
		char *both = str_print("%s, and %s", a->reason, e->text);

		free(a->reason);
		a->reason = both;
		return both ? ASC_OK : asc_err_nomem(e);
	}
	if (s == ASC_OK && !told)
		s = complete(a, k, n, e);
	return s == ASC_OK && !a->text && *a->module ? take_text(a, a->imported, e) : s;
}

const char *autotune_find_python(void)
{
	const char *asked = getenv("ASCTUNE_PYTHON");

	return asked && *asked ? asked : "python3";
}

/* Reads the text, of which nothing runs; `tables`: folder of the package, "": none is read. */
static enum asc_status read_source(const char *source, const char *package, const char *tables,
				   struct autotune *a, struct asc_err *e)
{
	const char *argv[] = {autotune_find_python(),
			      "-B",
			      "-c",
			      autotune_helper,
			      capture_cut,
			      triton_common,
			      "find",
			      source,
			      package ? package : "",
			      tables,
			      NULL};
	const struct process p = {.argv = argv, .what = source, .limit_s = READ_LIMIT_S};

	if (ask(&p, &a->read, e) ||
	    json_get_string(json_find(json_root(a->read), "file"), &a->file, e) ||
	    json_get_string(json_find(json_root(a->read), "module"), &a->module, e) ||
	    take_text(a, a->read, e) || take_release(a, e))
		return e->status;
	a->tables = json_find(json_root(a->read), "tables");
	return ASC_OK;
}

static enum asc_status open_source(const char *source, const char *package, uint64_t limit_s,
				   struct autotune *a, struct asc_err *e)
{
	struct kernel_nodes k[2];
	size_t n = 0;

	if (read_source(source, package, "", a, e))
		return e->status;
	for (const struct json_node *i = json_first(json_find(json_root(a->read), "kernels"));
	     i && n < 2; i = json_next(i))
		if (read_nodes(i, &k[n++], e))
			return e->status;
	if (n == 0)
		return asc_err_set(e, ASC_INPUT, "%s has no kernel", source);
	const bool told = is_told(&k[0]) && (n < 2 || is_told(&k[1]));

	if (package && (!told || a->reason))
		return asc_err_set(
			e, ASC_INPUT, "%s: kernel %s %s; only an installed package is imported",
			a->file, k[0].name,
			told ? a->reason : "has a list of configurations that an import computes");
	/* An import runs foreign code and takes seconds: only if the text is not enough. */
	if ((!told || a->reason) && ask_import(a, k, n, limit_s, e))
		return e->status;
	enum asc_status s = take_checked(a, &k[0], &a->kernel, e);
	return s == ASC_OK && n > 1 ? take_checked(a, &k[1], &a->twin, e) : s;
}

enum asc_status autotune_open(const char *source, const char *package, uint64_t limit_s,
			      struct autotune **out, struct asc_err *e)
{
	struct autotune *a = calloc(1, sizeof *a);

	*out = NULL;
	if (!a)
		return asc_err_nomem(e);
	if (open_source(source, package, limit_s, a, e)) {
		autotune_close(a);
		return e->status;
	}
	*out = a;
	return ASC_OK;
}

enum asc_status autotune_look(const char *source, const char *package, const char *tables,
			      struct autotune **out, struct asc_err *e)
{
	struct autotune *a = calloc(1, sizeof *a);

	*out = NULL;
	if (!a)
		return asc_err_nomem(e);
	if (read_source(source, package, tables, a, e)) {
		autotune_close(a);
		return e->status;
	}
	*out = a;
	return ASC_OK;
}

void autotune_close(struct autotune *a)
{
	if (!a)
		return;
	json_close(a->read);
	json_close(a->imported);
	free(a->reason);
	free(a);
}
