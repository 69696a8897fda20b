#include "tuner/workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/workload/space/t1.h"
#include "tuner/workload/workload_faults.h"
#include "tuner/workload/workload_read.h"

enum { WORKLOAD_VERSION = 1 };

static enum asc_status problems_expand(const struct json_node *n, const struct problem *entries,
				       size_t n_entries, struct workload *w, struct asc_err *e)
{
	size_t counts[WORKLOAD_MAX_PROBLEMS], all = 0;
	for (size_t i = 0; i < n_entries; all += counts[i++])
		if (ladder_count(&entries[i], &counts[i], e))
			return e->status;
	if (all > WORKLOAD_MAX_PROBLEMS)
		return json_fail(n, e, "has %zu problems, expected at most %d", all,
				 WORKLOAD_MAX_PROBLEMS);
	w->problems = json_alloc(n, (all + 1) * sizeof *w->problems);
	if (!w->problems)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n_entries; i++)
		for (size_t k = 0; k < counts[i]; k++)
			if (ladder_get(&entries[i], k, &w->problems[w->n_problems++], e))
				return e->status;
	return ladder_check_names(w->problems, all, e);
}

static enum asc_status problems_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct workload *w = member;
	size_t n_entries = 0;
	if (workload_check_count(n, "problems", WORKLOAD_MAX_PROBLEMS, e))
		return e->status;
	const struct problem *entries = workload_read_items(n, JSON_ARRAY, sizeof *w->problems,
							    problem_read, &n_entries, e);
	if (!entries)
		return e->status;
	if (n_entries == 0)
		return json_fail(n, e, "is empty, expected at least one problem");
	if (workload_check_distinct(n, "name", e))
		return e->status;
	return problems_expand(n, entries, n_entries, w, e);
}

static enum asc_status tensors_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct workload *w = member;
	if (workload_check_count(n, "tensors", WORKLOAD_MAX_TENSORS, e))
		return e->status;
	w->tensors = workload_read_items(n, JSON_OBJECT, sizeof *w->tensors, tensor_read,
					 &w->n_tensors, e);
	return w->tensors ? ASC_OK : e->status;
}

static enum asc_status implementations_read(const struct json_node *n, void *member,
					    struct asc_err *e)
{
	struct workload *w = member;
	if (workload_check_count(n, "implementations", WORKLOAD_MAX_IMPLEMENTATIONS, e))
		return e->status;
	w->implementations = workload_read_items(n, JSON_ARRAY, sizeof *w->implementations,
						 implementation_read, &w->n_implementations, e);
	if (!w->implementations)
		return e->status;
	if (w->n_implementations == 0)
		return json_fail(n, e, "is empty, expected at least one implementation");
	return workload_check_distinct(n, "name", e);
}

static enum asc_status baseline_read(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_per_device(n, "an implementation's name", member, e);
}

#define AT(member) offsetof(struct workload, member)

static const struct json_field workload_fields[] = {
	{"asctune", JSON_IGNORED, true, 0, NULL, NULL}, /* see version_check */
	{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
	{"operator", JSON_AS_STRING, false, AT(operator_name), NULL, NULL},
	{"description", JSON_AS_STRING, false, AT(description), NULL, NULL},
	{"problems", JSON_AS_CUSTOM, true, 0, problems_read, &problem_spec},
	{"tensors", JSON_AS_CUSTOM, true, 0, tensors_read, &tensor_spec},
	{"flops", JSON_AS_CUSTOM, false, AT(flops), workload_read_formula, NULL},
	{"bytes", JSON_AS_CUSTOM, false, AT(bytes), workload_read_formula, NULL},
	{"reference", JSON_AS_CUSTOM, false, AT(reference), reference_read, &reference_spec},
	{"reference_on", JSON_AS_CUSTOM, false, 0, references_on_read, &device_reference_spec},
	{"baseline", JSON_AS_CUSTOM, false, AT(baseline), baseline_read, NULL},
	{"implementations", JSON_AS_CUSTOM, true, 0, implementations_read, &implementation_spec},
	{"export", JSON_AS_CUSTOM, false, AT(exports), exports_read, &library_names_spec},
	{0}};

const struct json_spec workload_spec = {"workload", workload_fields};

/* Checks the version before anything else: a later format may have other keys. */
static enum asc_status version_check(const struct json_node *root, struct asc_err *e)
{
	int64_t version;
	const struct json_node *n = json_find(root, "asctune");
	if (!n)
		return ASC_OK; /* missing: the table says so */
	enum asc_status s = json_get_int(n, &version, e);
	if (s == ASC_OK && version != WORKLOAD_VERSION)
		s = json_fail(n, e, "is format %lld, this version reads format %d",
			      (long long)version, WORKLOAD_VERSION);
	return s;
}

static enum asc_status baseline_check(const struct workload *w, struct asc_err *e)
{
	const struct json_node *root = json_root(w->doc);
	const char *unknown = NULL;
	for (size_t i = 0; i < w->baseline.n && !unknown; i++)
		if (!workload_find_implementation(w, w->baseline.list[i].name))
			unknown = w->baseline.list[i].name;
	return unknown ? workload_fail_implementation(w, json_find(root, "baseline"), unknown, e)
		       : ASC_OK;
}

static enum asc_status reference_check_one(const struct workload *w, struct callable *c,
					   struct asc_err *e)
{
	enum asc_status s = callable_check(w, NULL, c, e);
	return s == ASC_OK ? calls_check_outputs(w, c, 1, c->node, e) : s;
}

static enum asc_status reference_check(struct workload *w, struct asc_err *e)
{
	const struct tensor *written = NULL;
	for (size_t i = 0; i < w->n_tensors && !written; i++)
		if (w->tensors[i].role != ROLE_IN)
			written = &w->tensors[i];
	w->has_reference = w->reference.node != NULL;
	if (!written)
		return json_fail(json_find(json_root(w->doc), "tensors"), e,
				 "has no tensor of role \"out\" or \"inout\"");
	if (!w->has_reference)
		return json_fail(written->node, e,
				 "has to be verified, but the workload has no \"reference\"");
	enum asc_status s = reference_check_one(w, &w->reference, e);
	for (size_t i = 0; i < w->n_references_on && s == ASC_OK; i++)
		s = reference_check_one(w, &w->references_on[i].call, e);
	return s;
}

/* True where a check has failed and nothing is looked at behind it. */
static bool ends(const struct workload *w, enum asc_status s, bool *failed, const struct asc_err *e)
{
	*failed = *failed || s != ASC_OK;
	return s != ASC_OK && !json_goes_on(json_root(w->doc), e);
}

/* Checks that need the whole file. */
static enum asc_status workload_check(struct workload *w, struct asc_err *e)
{
	const struct json_node *name = json_find(json_root(w->doc), "name");
	bool failed = false;
	if (!w->operator_name)
		w->operator_name = w->name;
	if (ends(w, workload_check_name(name, w->name, e), &failed, e))
		return e->status;
	for (size_t i = 0; i < w->n_tensors; i++)
		if (ends(w, tensor_check(w, &w->tensors[i], e), &failed, e))
			return e->status;
	if (ends(w, reference_check(w, e), &failed, e))
		return e->status;
	for (size_t i = 0; i < w->n_implementations; i++)
		if (ends(w, implementation_check(w, &w->implementations[i], e), &failed, e))
			return e->status;
	if (ends(w, baseline_check(w, e), &failed, e) || ends(w, exports_check(w, e), &failed, e))
		return e->status;
	return failed ? e->status : ASC_OK;
}

/* ---- reading ---- */

static enum asc_status ignore_part(struct json_doc *doc, const char *part, struct asc_err *e)
{
	const struct json_node *list = json_first(json_root(doc));

	for (; list; list = json_next(list)) {
		const size_t n = strlen(json_key(list));

		if (strncmp(json_key(list), part, n) != 0)
			continue;
		for (const struct json_node *c = json_first(list); c; c = json_next(c)) {
			char *own = json_path(c);
			const bool same = own && strcmp(own, part) == 0;

			free(own);
			if (!own)
				return asc_err_nomem(e);
			if (same)
				json_ignore(doc, c);
		}
	}
	return ASC_OK;
}

static bool goes_on(void *faults, const struct asc_err *fault)
{
	return workload_faults_note(faults, fault);
}

static enum asc_status workload_read(struct workload *w, const char *path, const char *text,
				     size_t len, const struct workload_parts *without,
				     struct workload_faults *faults, struct asc_err *e)
{
	enum asc_status s = json_open_text(path, text, len, &w->doc, e);
	if (s != ASC_OK)
		return s;
	if (faults)
		json_gather(w->doc, goes_on, faults);
	for (size_t i = 0; without && i < without->n; i++)
		if (ignore_part(w->doc, without->list[i], e))
			return e->status;
	struct hash h;
	hash_init(&h);
	hash_add(&h, text, len);
	if (hash_end(&h, w->hash, e))
		return e->status;
	s = t1_recognise(w->doc) ? json_fail(json_root(w->doc), e,
					     "a search space (T1), expected a workload; `asctune "
					     "space` reads it")
				 : version_check(json_root(w->doc), e);
	if (s == ASC_OK)
		s = json_read_object(json_root(w->doc), &workload_spec, w, e);
	if (s == ASC_OK && w->n_problems * len > WORKLOAD_MAX_WORK)
		s = json_fail(json_find(json_root(w->doc), "problems"), e,
			      "has %zu problems, expected at most %zu in a file of %zu bytes",
			      w->n_problems, WORKLOAD_MAX_WORK / len, len);
	return s;
}

enum asc_status workload_parse(const char *path, const char *text, size_t len,
			       const struct workload_parts *without, struct workload_faults *faults,
			       struct workload **out, struct asc_err *e)
{
	struct workload *w = calloc(1, sizeof *w);
	if (!w)
		return asc_err_nomem(e);
	enum asc_status s = workload_read(w, path, text, len, without, faults, e);
	if (s != ASC_OK)
		goto out;
	w->path = path_absolute(path, e);
	if (!w->path) {
		s = e->status;
		goto out;
	}
	w->folder = path_folder(w->path);
	s = w->folder ? workload_check(w, e) : asc_err_nomem(e);
out:
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
