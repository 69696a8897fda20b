#include "tuner/workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/workload/limits/verdict_table.h"
#include "tuner/workload/space/t1.h"
#include "tuner/workload/workload_read.h"

/* A workload file from its text to a struct workload. Formulas stay text: a binding compiles them.
 *
 * 1. Hash the bytes and find the folder of the sources; refuse what is another kind of file, and a
 *    file of another version (workload_read).
 * 2. Read every member by its table (workload_fields); each section has a reader of its own. A
 *    ladder becomes one problem for each combination of its sizes here, so that nothing behind this
 *    step knows of lists.
 * 3. Check what needs the whole file (workload_check): names that refer to each other, types,
 *    sources that exist, outputs that are written and verified. Constants are written into the
 *    formulas that name them.
 *
 * A fault does not end this: the document gathers faults, and each check leaves out what depends on
 * a part with one (workload_read.h). */

enum { WORKLOAD_VERSION = 1 };

/* Reads the entries of the file, then makes the problems that each of them stands for. */
static enum asc_status problems_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct problem), problem_read,
					      "problems", WORKLOAD_MAX_PROBLEMS};
	struct workload *w = member;
	size_t n_entries = 0, counts[WORKLOAD_MAX_PROBLEMS], all = 0;
	const struct problem *entries = workload_read_items(n, &rule, &n_entries, e);
	if (!entries)
		return e->status;
	if (n_entries == 0)
		return json_fail(n, e, "is empty, expected at least one problem");
	if (json_ends(n, workload_check_distinct(n, "name", e)))
		return e->status;
	/* Counted before any is made: lists multiply, and a short file may mean a million
	 * problems. */
	for (size_t i = 0; i < n_entries; all += counts[i++])
		if (json_ends(n, ladder_count(&entries[i], &counts[i], e)))
			return e->status;
	if (all > WORKLOAD_MAX_PROBLEMS &&
	    json_ends(n, json_fail(n, e, "has %zu problems, expected at most %d", all,
				   WORKLOAD_MAX_PROBLEMS)))
		return e->status;
	/* Behind that fault the first ones are made, so that the rest of the file can be
	 * checked. */
	if (all > WORKLOAD_MAX_PROBLEMS)
		all = WORKLOAD_MAX_PROBLEMS;
	w->problems = json_alloc(n, (all + 1) * sizeof *w->problems);
	if (!w->problems)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n_entries; i++)
		for (size_t k = 0; k < counts[i] && w->n_problems < all; k++)
			if (ladder_get(&entries[i], k, &w->problems[w->n_problems++], e))
				return e->status;
	return ladder_check_names(w->problems, all, e);
}

static enum asc_status tensors_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct tensor), tensor_read,
					      "tensors", WORKLOAD_MAX_TENSORS};
	struct workload *w = member;
	w->tensors = workload_read_items(n, &rule, &w->n_tensors, e);
	return w->tensors ? ASC_OK : e->status;
}

static enum asc_status requires_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct formula),
					      workload_read_formula, "requires",
					      WORKLOAD_MAX_CONSTRAINTS};
	struct workload *w = member;
	w->requirements = workload_read_items(n, &rule, &w->n_requirements, e);
	return w->requirements ? ASC_OK : e->status;
}

static enum asc_status varies_read(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_names(n, "size", NULL, member, e);
}

/* Puts those that cannot be called behind the others, which everything but lists of them looks at.
 */
static enum asc_status implementations_part(struct workload *w, const struct json_node *n,
					    struct asc_err *e)
{
	const size_t all = w->n_implementations;
	struct implementation *list = json_alloc(n, all * sizeof *list);
	size_t at = 0;

	if (!list)
		return asc_err_nomem(e);
	for (int unsupported = 0; unsupported < 2; unsupported++) {
		for (size_t i = 0; i < all; i++)
			if ((w->implementations[i].unsupported != NULL) == unsupported)
				list[at++] = w->implementations[i];
		if (!unsupported)
			w->n_implementations = at;
	}
	w->implementations = list;
	w->unsupported = list + w->n_implementations;
	w->n_unsupported = all - w->n_implementations;
	return w->n_implementations
		       ? ASC_OK
		       : json_fail(n, e, "all are unsupported, expected one that can run");
}

static enum asc_status implementations_read(const struct json_node *n, void *member,
					    struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct implementation),
					      implementation_read, "implementations",
					      WORKLOAD_MAX_IMPLEMENTATIONS};
	struct workload *w = member;
	w->implementations = workload_read_items(n, &rule, &w->n_implementations, e);
	if (!w->implementations)
		return e->status;
	if (w->n_implementations == 0)
		return json_fail(n, e, "is empty, expected at least one implementation");
	return implementations_part(w, n, e) ? e->status : workload_check_distinct(n, "name", e);
}

/* Reads one name, or an array of names. */
static enum asc_status baseline_add(void *out, const char *device, const struct json_node *n,
				    struct asc_err *e)
{
	struct baseline_names *b = out;
	struct name_list *l = &b->list[b->n].names;

	if (json_type(n) == JSON_STRING) {
		*l = (struct name_list){.node = n, .names = json_alloc(n, 2 * sizeof *l->names)};
		if (!l->names)
			return asc_err_nomem(e);
		if (json_get_string(n, &l->names[l->n++], e))
			return e->status;
	} else if (json_type(n) != JSON_ARRAY) {
		return json_fail(n, e, "expected an implementation's name or an array of names");
	} else if (workload_read_names(n, "implementation's name", NULL, l, e)) {
		return e->status;
	}
	if (json_type(n) == JSON_ARRAY && (l->n == 0 || json_count(n) > WORKLOAD_MAX_BASELINES))
		return json_fail(n, e, "has %zu names, expected 1 to %d", json_count(n),
				 (int)WORKLOAD_MAX_BASELINES);
	b->list[b->n++].device = device;
	return ASC_OK;
}

static enum asc_status baseline_read(const struct json_node *n, void *member, struct asc_err *e)
{
	if (json_type(n) == JSON_STRING || json_type(n) == JSON_ARRAY)
		return baseline_add(member, NULL, n, e);
	return workload_read_each_device(n, "an implementation's name, an array of names",
					 baseline_add, member, e);
}

static const struct json_field track_fields[] = {{"threshold", JSON_AS_REAL, true, 0, NULL, NULL},
						 {0}};
const struct json_spec track_spec = {"track", track_fields};

#define AT_LEAST(member) offsetof(struct workload, least.member) - offsetof(struct workload, least)

static const struct json_field least_fields[] = {
	{"bytes", JSON_AS_CUSTOM, false, AT_LEAST(bytes), workload_read_formula, NULL},
	{"flops", JSON_AS_CUSTOM, false, AT_LEAST(flops), workload_read_formula, NULL},
	{0}};
const struct json_spec least_spec = {"least", least_fields};

#undef AT_LEAST

static enum asc_status least_read(const struct json_node *n, void *member, struct asc_err *e)
{
	if (json_read_object(n, &least_spec, member, e))
		return e->status;
	return json_find(n, "bytes") || json_find(n, "flops")
		       ? ASC_OK
		       : json_fail(n, e, "is empty, expected bytes, flops or both");
}

static enum asc_status cache_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const char *const names[] = {"cold", "hot", NULL};
	int choice;

	if (workload_read_choice(n, "cache policy", names, &choice, e))
		return e->status;
	*(const char **)member = names[choice];
	return ASC_OK;
}

enum asc_status track_read(const struct json_node *n, void *member, struct asc_err *e)
{
	double pct;

	if (json_read_object(n, &track_spec, &pct, e))
		return e->status;
	/* Written so that a NaN fails it as well. */
	if (!(pct > 0 && pct <= 100))
		return json_fail(json_find(n, "threshold"), e,
				 "expected percent, more than 0 and at most 100, found %g", pct);
	*(double *)member = pct;
	return ASC_OK;
}

#define AT(member) offsetof(struct workload, member)

static const struct json_field workload_fields[] = {
	{"asctune", JSON_IGNORED, true, 0, NULL, NULL}, /* see version_check */
	{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
	{"operator", JSON_AS_STRING, false, AT(operator_name), NULL, NULL},
	{"description", JSON_AS_STRING, false, AT(description), NULL, NULL},
	{"problems", JSON_AS_CUSTOM, true, 0, problems_read, &problem_spec},
	{"tensors", JSON_AS_CUSTOM, true, 0, tensors_read, &tensor_spec},
	{"requires", JSON_AS_CUSTOM, false, 0, requires_read, NULL},
	{"varies", JSON_AS_CUSTOM, false, AT(varies), varies_read, NULL},
	{"flops", JSON_AS_CUSTOM, false, AT(flops), workload_read_formula, NULL},
	{"bytes", JSON_AS_CUSTOM, false, AT(bytes), workload_read_formula, NULL},
	{"least", JSON_AS_CUSTOM, false, AT(least), least_read, &least_spec},
	{"reference", JSON_AS_CUSTOM, false, 0, reference_read, &reference_spec},
	{"reference_on", JSON_AS_CUSTOM, false, 0, references_on_read, &device_reference_spec},
	{"baseline", JSON_AS_CUSTOM, false, AT(baselines), baseline_read, NULL},
	{"cache", JSON_AS_CUSTOM, false, AT(cache), cache_read, NULL},
	{"deterministic", JSON_AS_BOOL, false, AT(deterministic), NULL, NULL},
	{"implementations", JSON_AS_CUSTOM, true, 0, implementations_read, &implementation_spec},
	{"export", JSON_AS_CUSTOM, false, AT(exports), exports_read, &library_names_spec},
	{"track", JSON_AS_CUSTOM, false, AT(threshold_pct), track_read, &track_spec},
	{0}};

const struct json_spec workload_spec = {"workload", workload_fields};

/* Checks the version before anything else: a later format may have other keys. */
static enum asc_status version_check(const struct json_node *root, struct asc_err *e)
{
	int64_t version;
	const struct json_node *n = json_find(root, "asctune");
	if (!n)
		return ASC_OK; /* missing: the table says so */
	if (json_get_int(n, &version, e))
		return json_ends(n, e->status) ? e->status : ASC_OK;
	if (version != WORKLOAD_VERSION)
		return json_fail(n, e, "is format %lld, this version reads format %d",
				 (long long)version, WORKLOAD_VERSION);
	return ASC_OK;
}

static enum asc_status baseline_check(const struct workload *w, const struct name_list *l,
				      const char *name, struct asc_err *e)
{
	const struct json_node *n = json_find(json_root(w->doc), "baseline");
	const struct implementation *left_out = workload_find_unsupported(w, name);
	size_t times = 0;

	for (size_t i = 0; i < l->n; i++)
		times += strcmp(l->names[i], name) == 0;
	if (times > 1 && json_ends(n, json_fail(n, e, "\"%s\" is listed twice", name)))
		return e->status;
	if (left_out &&
	    json_ends(n, json_fail(n, e, "%s is unsupported: %s", name, left_out->unsupported)))
		return e->status;
	if (!left_out && !workload_find_implementation(w, name) &&
	    json_ends(n, workload_fail_implementation(w, n, name, e)))
		return e->status;
	return ASC_OK;
}

static enum asc_status baselines_check(const struct workload *w, struct asc_err *e)
{
	for (size_t i = 0; i < w->baselines.n; i++) {
		const struct name_list *l = &w->baselines.list[i].names;

		for (size_t k = 0; k < l->n; k++)
			if (baseline_check(w, l, l->names[k], e))
				return e->status;
	}
	return ASC_OK;
}

static enum asc_status reference_check_one(const struct workload *w, struct callable *c,
					   struct asc_err *e)
{
	if (json_ends(c->node, callable_check(w, NULL, c, e)))
		return e->status;
	/* The outputs are the same on every device. */
	for (size_t i = 0; i < c->n_arguments; i++) {
		const struct argument *a = &c->arguments[i];

		if (a->kind == ARG_TENSOR && a->tensor < w->n_tensors &&
		    w->tensors[a->tensor].devices.node && w->tensors[a->tensor].role == ROLE_IN &&
		    json_ends(a->node, json_fail(a->node, e,
						 "%s is an input of some devices alone, and a "
						 "reference is that of all",
						 w->tensors[a->tensor].name)))
			return e->status;
	}
	return calls_check_outputs(w, c, 1, c->node, e);
}

/* Checks that something is written, and verified. */
static enum asc_status outputs_check(const struct workload *w, struct asc_err *e)
{
	const struct json_node *root = json_root(w->doc), *list = json_find(root, "tensors");
	const struct tensor *written = NULL;
	bool known = list && !json_is_faulty(list);
	for (size_t i = 0; i < w->n_tensors && !written; i++) {
		const struct json_node *role = json_find(w->tensors[i].node, "role");
		/* A role that was not read may be "out". */
		known = known && role && !json_is_faulty(role);
		if (w->tensors[i].role != ROLE_IN)
			written = &w->tensors[i];
	}
	if (!written)
		return known ? json_fail(list, e, "has no tensor of role \"out\" or \"inout\"")
			     : ASC_OK;
	if (!json_find(root, "reference") && !json_has_stray(root))
		return json_fail(written->node, e,
				 "has to be verified, but the workload has no \"reference\"");
	return ASC_OK;
}

static enum asc_status references_check(struct workload *w, struct asc_err *e)
{
	const bool is_function = w->reference_kind == REFERENCE_FUNCTION;

	if (json_ends(json_root(w->doc), outputs_check(w, e)))
		return e->status;
	if (is_function && json_ends(w->reference.node, reference_check_one(w, &w->reference, e)))
		return e->status;
	for (size_t i = 0; i < w->n_references_on; i++) {
		struct callable *c = &w->references_on[i].call;

		/* A device's function is held to the C function. */
		if (w->reference_kind > REFERENCE_FUNCTION &&
		    json_ends(c->node, json_fail(c->node, e,
						 "needs a C function as \"reference\", which "
						 "checks it")))
			return e->status;
		if (json_ends(c->node, reference_check_one(w, c, e)))
			return e->status;
	}
	return ASC_OK;
}

/* Checks that what varies is a size of some problem, each named once. */
static enum asc_status varies_check(const struct workload *w, struct asc_err *e)
{
	const struct json_node *list = w->varies.node, *n = list ? json_first(list) : NULL;
	const char *sizes[WORKLOAD_MAX_DIMS + 1] = {NULL};
	size_t n_sizes = 0;

	if (!list || !json_is_sound(list) || !workload_is_whole(json_root(w->doc), "problems"))
		return ASC_OK;
	for (size_t i = 0; i < w->n_problems; i++)
		for (size_t k = 0; k < w->problems[i].n_dims; k++) {
			const struct dimension *d = &w->problems[i].dims[k];

			if (d->value.kind == VALUE_INT && n_sizes < WORKLOAD_MAX_DIMS &&
			    !str_is_in(d->name, sizes))
				sizes[n_sizes++] = d->name;
		}
	for (size_t i = 0; i < w->varies.n; i++, n = json_next(n)) {
		const char *name = w->varies.names[i];
		size_t first = 0;

		while (strcmp(w->varies.names[first], name) != 0)
			first++;
		if (first < i && json_ends(n, json_fail(n, e, "size \"%s\" is listed twice", name)))
			return e->status;
		if (!str_is_in(name, sizes) &&
		    json_ends(n, json_fail_unknown(n, e, "size", name, sizes)))
			return e->status;
	}
	return ASC_OK;
}

/* Checks that need the whole file. */
static enum asc_status workload_check(struct workload *w, struct asc_err *e)
{
	const struct json_node *root = json_root(w->doc);
	/* An operator has the name of its workload unless the file says otherwise. */
	if (!w->operator_name)
		w->operator_name = w->name;
	if (json_ends(root, workload_check_name(json_find(root, "name"), w->name, e)))
		return e->status;
	/* Tensors before calls, whose arguments name them, and calls before the baseline, which
	 * names implementations. */
	for (size_t i = 0; i < w->n_tensors; i++)
		if (json_ends(root, tensor_check(w, &w->tensors[i], e)))
			return e->status;
	if (json_ends(root, references_check(w, e)))
		return e->status;
	for (size_t i = 0; i < w->n_implementations; i++)
		if (json_ends(root, implementation_check(w, &w->implementations[i], e)))
			return e->status;
	for (size_t i = 0; i < w->n_problems; i++)
		if (json_ends(root, problem_check(w, &w->problems[i], e)))
			return e->status;
	if (json_ends(root, baselines_check(w, e)) || json_ends(root, varies_check(w, e)))
		return e->status;
	return exports_check(w, e);
}

/* ---- reading ---- */

static enum asc_status workload_read(struct workload *w, const char *path, const char *text,
				     size_t len, struct asc_err *e)
{
	const struct json_node *root = json_root(w->doc);
	struct hash h;
	hash_init(&h);
	hash_add(&h, text, len);
	if (hash_end(&h, w->hash, e))
		return e->status;
	w->path = path_absolute(path, e);
	if (!w->path)
		return e->status;
	w->folder = path_folder(w->path);
	if (!w->folder)
		return asc_err_nomem(e);
	/* The likeliest wrong file: its faults as a workload would say nothing. */
	if (t1_recognise(w->doc))
		return json_fail(root, e,
				 "a search space (T1), expected a workload; `asctune space` reads "
				 "it");
	if (version_check(root, e))
		return e->status;
	/* The reader's own message; nothing can be checked behind it. */
	if (json_type(root) != JSON_OBJECT)
		return json_read_object(root, &workload_spec, w, e);
	if (json_ends(root, json_read_object(root, &workload_spec, w, e)))
		return e->status;
	/* The whole file is looked at for each problem: only so many are checked of a long one. */
	const size_t most = WORKLOAD_MAX_WORK / len, found = w->n_problems;
	if (found > most) {
		w->n_problems = most;
		if (json_ends(root, json_fail(json_find(root, "problems"), e,
					      "has %zu problems, expected at most %zu in a file of "
					      "%zu bytes",
					      found, most, len)))
			return e->status;
	}
	return workload_check(w, e);
}

enum asc_status workload_gather(const char *path, const char *text, size_t len,
				struct workload **out, struct asc_err *e)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w)
		return asc_err_nomem(e);
	if (json_open_gathering(path, text, len, &w->doc, e)) {
		workload_close(w);
		return e->status;
	}
	*out = w;
	const enum asc_status s = workload_read(w, path, text, len, e);
	/* A gathered fault is no failure here; a workload without a folder is. */
	return json_ends(json_root(w->doc), s) || !w->folder ? s : ASC_OK;
}

enum asc_status workload_parse(const char *path, const char *text, size_t len,
			       struct workload **out, struct asc_err *e)
{
	struct workload *w = NULL;
	enum asc_status s = workload_gather(path, text, len, &w, e);
	if (w && json_end_gathering(w->doc) > 0 && (s == ASC_OK || s == ASC_INPUT))
		s = asc_err_set(e, ASC_INPUT, "%s", json_fault_text(w->doc, 0));
	if (s != ASC_OK) {
		workload_close(w);
		return s;
	}
	*out = w;
	return ASC_OK;
}

void workload_close(struct workload *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			verdict_table_free(w->implementations[i].calls[k].verdicts.table);
	json_close(w->doc);
	free(w->path);
	free(w->folder);
	free(w);
}

enum asc_status workload_add_problem(struct workload *w, const char *name, struct asc_err *e)
{
	struct problem added;

	if (ladder_derive(w, name, &added, e))
		return e->status;
	if (w->n_problems == WORKLOAD_MAX_PROBLEMS)
		return asc_err_set(e, ASC_INPUT, "%s: problem %s would be one of more than %d",
				   w->path, name, WORKLOAD_MAX_PROBLEMS);
	/* A new array: the old one stays with the document, for whoever points into it. */
	struct problem *grown = json_alloc(added.node, (w->n_problems + 2) * sizeof *grown);

	if (!grown)
		return asc_err_nomem(e);
	memcpy(grown, w->problems, w->n_problems * sizeof *grown);
	grown[w->n_problems] = added;
	w->problems = grown;
	w->n_problems++;
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < w->n_tensors && s == ASC_OK; i++)
		s = tensor_check(w, &w->tensors[i], e); /* tolerances and fills go by types */
	return s;
}
