#include "tuner/cmd/again/compare_side.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_space.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

const char *const compare_names[COMPARE_SIDES] = {"A", "B"};

/* ---- what a text names ---- */

static const char run_prefix[] = "run:", commit_prefix[] = "commit:";

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_recorded(const struct compare_side *s)
{
	return s->kind == COMPARE_TRIAL || s->kind == COMPARE_RUN;
}

/* Finds the kind by the text: a file that is there is one, whatever its name. A name that is
 * nothing else is a commit's, where a workload is named whose repository may have it. */
static enum compare_kind find_kind(const char *text, const char *workload)
{
	uint64_t trial;

	/* A configuration has "=", a trial is a number; what is left may be a commit's name. */
	if (file_exists(text))
		return COMPARE_FILE;
	if (begins(text, run_prefix))
		return COMPARE_RUN;
	if (begins(text, commit_prefix))
		return COMPARE_COMMIT;
	if (strchr(text, '='))
		return COMPARE_CONFIG;
	if (units_parse_count(text, &trial) && trial <= INT64_MAX)
		return COMPARE_TRIAL;
	return workload ? COMPARE_COMMIT : COMPARE_FILE;
}

/* Sets the path of the workload's file: the side's own, else `workload`, else what was recorded. */
static enum asc_status find_file(struct compare_side *s, const char *workload, struct asc_err *e)
{
	const char *path = s->kind == COMPARE_FILE ? s->text : workload;

	if (!path && is_recorded(s))
		path = s->claim.made.workload_file;
	if (s->kind == COMPARE_FILE && !file_exists(path))
		return asc_err_set(
			e, ASC_NOTFOUND,
			"%s: no such file; for a commit, name its workload with --workload FILE",
			path);
	if (path) {
		s->file = path_absolute(path, e);
		return s->file ? ASC_OK : e->status;
	}
	return is_recorded(s)
		       ? asc_err_set(e, ASC_USAGE,
				     "%s: the file of its workload was not recorded: "
				     "--workload FILE names it",
				     s->text)
		       : asc_err_set(e, ASC_USAGE,
				     "%s is a %s: name its workload with --workload FILE", s->text,
				     s->kind == COMPARE_COMMIT ? "commit" : "configuration");
}

static enum asc_status open_commit(struct compare_side *s, struct asc_err *e)
{
	const bool said = begins(s->text, commit_prefix);
	const char *name = said ? s->text + strlen(commit_prefix) : s->text;

	if (source_commit_resolve(s->file, name, &s->commit, e))
		return said ? e->status
			    : asc_err_wrap(e, "%s is neither a file nor a commit", s->text);
	if (scratch_open_commit(s->file, s->commit.id, NULL, NULL, &s->past, e) == ASC_OK)
		return ASC_OK;
	if (e->status == ASC_ABSENT) /* of the repository, not of the machine */
		e->status = ASC_NOTFOUND;
	return asc_err_wrap(e, "commit %s", name);
}

static enum asc_status open_one(struct compare_side *s, const char *named,
				const struct compare_choice *o, struct asc_err *e)
{
	const char *db = command_db_path(o->db);
	uint64_t run;

	s->kind = find_kind(s->text, named);
	if (s->kind == COMPARE_TRIAL &&
	    claim_find(db, strtoll(s->text, NULL, 10), &s->row, &s->claim, e))
		return e->status;
	if (s->kind == COMPARE_RUN) {
		if (!units_parse_count(s->text + strlen(run_prefix), &run) || run > INT64_MAX)
			return asc_err_set(e, ASC_USAGE,
					   "%s: run:N is wanted, N the number of a run", s->text);
		s->run_id = (int64_t)run;
		if (claim_find_run(db, s->run_id, &s->row, &s->claim, e))
			return e->status;
	}
	if (find_file(s, is_recorded(s) ? o->workload : named, e))
		return e->status;
	if (s->kind == COMPARE_COMMIT ? open_commit(s, e)
				      : workload_file_open(s->file, false, false, &s->own, e))
		return e->status;
	s->workload = s->own ? s->own : s->past.workload;
	return o->trust ? trusted_check(s->workload, e) : ASC_OK;
}

void compare_side_rebuild(struct compare_side *s)
{
	s->gone = true;
	if (scratch_open_commit(s->file, s->claim.commit, s->claim.made.sources, s->implementation,
				&s->past, &s->why))
		return;
	s->why.status = ASC_OK; /* what was not found is not needed */
	s->workload = s->past.workload;
	memcpy(s->commit.id, s->claim.commit, sizeof s->commit.id);
}

void compare_side_name(const struct compare_side *s, struct buf *out)
{
	switch (s->kind) {
	case COMPARE_FILE:
	case COMPARE_CONFIG: break;
	case COMPARE_COMMIT: buf_print(out, "commit %.12s: ", s->commit.id); break;
	case COMPARE_TRIAL: buf_print(out, "trial %s: ", s->text); break;
	case COMPARE_RUN: buf_print(out, "run %lld: ", (long long)s->run_id); break;
	}
}

const char *compare_side_wanted(const struct compare_side sides[COMPARE_SIDES], const char *option,
				const char *first, const char *second)
{
	return option ? option : is_recorded(&sides[0]) ? first : second;
}

/* True for workloads of other names whose tensors have other names, too: no problem of one is the
 * other's. A renamed copy is compared. */
static bool is_unrelated(const struct workload *a, const struct workload *b)
{
	bool alike = a->n_tensors == b->n_tensors;

	for (size_t i = 0; i < a->n_tensors && alike; i++)
		alike = strcmp(a->tensors[i].name, b->tensors[i].name) == 0;
	return !alike && strcmp(a->name, b->name) != 0;
}

static enum asc_status refuse_work(const struct compare_side sides[COMPARE_SIDES], const char *a,
				   const char *b, struct asc_err *e)
{
	return asc_err_set(e, ASC_INPUT, "A and B compute different things: %s is of %s, %s of %s",
			   sides[0].text, a, sides[1].text, b);
}

/* Refuses other work before anything is asked of the user that would not help. */
static enum asc_status check_work(const struct compare_side sides[COMPARE_SIDES],
				  const struct compare_choice *o, struct asc_err *e)
{
	const struct db_record *a = &sides[0].claim.row, *b = &sides[1].claim.row;

	if (!is_recorded(&sides[0]) || !is_recorded(&sides[1]))
		return is_unrelated(sides[0].workload, sides[1].workload)
			       ? refuse_work(sides, sides[0].workload->name,
					     sides[1].workload->name, e)
			       : ASC_OK;
	if (strcmp(a->workload, b->workload) != 0)
		return refuse_work(sides, a->workload, b->workload, e);
	if (!o->problem && strcmp(a->problem, b->problem) != 0)
		return asc_err_set(e, ASC_USAGE,
				   "%s is of problem %s, %s of %s: --problem NAME says on which "
				   "both are measured",
				   sides[0].text, a->problem, sides[1].text, b->problem);
	if (!o->device && strcmp(a->device_kind, b->device_kind) != 0)
		return asc_err_set(e, ASC_USAGE,
				   "%s was measured on %s, %s on %s: --device DEVICE says where "
				   "both are",
				   sides[0].text, a->device_kind, sides[1].text, b->device_kind);
	return ASC_OK;
}

enum asc_status compare_side_open(struct compare_side sides[COMPARE_SIDES],
				  const struct compare_choice *o, struct asc_err *e)
{
	for (size_t i = 0; i < COMPARE_SIDES; i++) {
		const char *other = sides[COMPARE_SIDES - 1 - i].text;
		const char *named = o->workload ? o->workload : file_exists(other) ? other : NULL;

		if (open_one(&sides[i], named, o, e))
			return e->status;
	}
	return check_work(sides, o, e);
}

void compare_side_close(struct compare_side *s)
{
	scratch_close(&s->past);
	workload_close(s->own);
	json_close(s->row);
	free(s->config);
	free(s->file);
}

/* ---- what is measured of it ---- */

/* Finds the problem: the one that is named, or the only one meant for the device. */
static enum asc_status find_problem(struct compare_side *s, const char *name,
				    const struct target *target, struct asc_err *e)
{
	struct workload *w = s->workload; /* may get a size of its own */
	const struct problem_choice none = {0};
	size_t n = 0;

	if (name)
		return workload_open_problem(w, name, &s->problem, e);
	/* The first of several would be a comparison that nobody asked for. */
	for (size_t i = 0; i < w->n_problems; i++)
		if (target_wants(target, &w->problems[i], &none)) {
			s->problem = &w->problems[i];
			n++;
		}
	return n == 1 ? ASC_OK
		      : asc_err_set(e, ASC_USAGE,
				    "%s: %zu problems are meant for %s: --problem NAME chooses one",
				    s->file, n, target->ops->name);
}

/* Finds the implementation: the one that is named, else the first that covers the problem here. */
static enum asc_status find_implementation(struct compare_side *s, const char *name,
					   const struct binding *b, const struct target *target,
					   struct asc_err *e)
{
	char why[256] = "";
	bool covers = false;

	if (name && !workload_find_implementation(s->workload, name))
		return asc_err_set(e, ASC_NOTFOUND, "%s: there is no implementation %s", s->file,
				   name);
	/* The last reason stands for all where none covers it. */
	for (size_t i = 0; i < s->workload->n_implementations && !covers; i++) {
		const struct implementation *m = &s->workload->implementations[i];

		if (name && strcmp(m->name, name) != 0)
			continue;
		s->implementation = m->name;
		if (binding_covers(b, m, &covers, why, sizeof why, e))
			return e->status;
	}
	return covers ? ASC_OK
		      : asc_err_set(e, ASC_ABSENT, "%s: %s cannot run on %s: %s", s->file,
				    s->implementation, target->ops->name, why);
}

/* Sets the key of the whole configuration: parameters that the text leaves out have their default.
 */
static enum asc_status find_config(struct compare_side *s, const char *wanted,
				   const struct binding *b, struct asc_err *e)
{
	const struct implementation *i =
		workload_find_implementation(s->workload, s->implementation);
	const char *text = is_recorded(s)              ? s->claim.row.config_key
			   : s->kind == COMPARE_CONFIG ? s->text
						       : wanted;
	bool given[CONFIG_MAX_PARAMETERS];
	struct space *space = NULL;
	struct buf key = {0}, why = {0};
	struct config config;
	uint64_t index;

	if (binding_space(b, i, &space, e))
		return e->status;
	enum asc_status status = ASC_OK;

	if (!space_default(space, &index)) {
		status = asc_err_set(e, ASC_INPUT, "no configuration is valid");
	} else {
		space_get(space, index, &config);
		if (text)
			status = config_parse_over(text, space_names(space), &config, given, e);
		if (status == ASC_OK && !space_find(space, &config, &index) &&
		    space_print_violations(space, &config, &why, e) == ASC_OK)
			status = asc_err_set(e, ASC_INPUT, "%s is not valid: %s", text ? text : "",
					     buf_str(&why));
	}
	/* After a rebuild the key is set once more, by the sources of the commit. */
	if (status == ASC_OK) {
		config_key(&config, space_names(space), &key);
		free(s->config);
		s->config = str_dup(buf_str(&key));
		status = s->config ? buf_check(&key, e) : asc_err_nomem(e);
	}
	buf_fini(&key);
	buf_fini(&why);
	space_free(space);
	return status ? asc_err_wrap(e, "%s", s->text) : ASC_OK;
}

enum asc_status compare_side_settle(struct compare_side sides[COMPARE_SIDES],
				    const struct compare_choice *o, struct run_session *on,
				    struct asc_err *e)
{
	const struct compare_side *a = &sides[0], *b = &sides[1];
	const struct db_record *records[COMPARE_SIDES] = {&a->claim.row, &b->claim.row};
	const char *problem =
		compare_side_wanted(sides, o->problem, a->claim.row.problem, b->claim.row.problem);
	struct binding bindings[COMPARE_SIDES] = {{0}};
	enum asc_status status = ASC_OK;
	const char *reference; /* of another text: the rounds tell */
	struct buf text = {0};

	for (size_t i = 0; i < COMPARE_SIDES && status == ASC_OK; i++) {
		struct compare_side *s = &sides[i];
		struct loop_options lo = {.workload = s->workload, .session = &on->session};
		/* A file or a commit beside a record is measured as that was. */
		const struct db_record *r = records[is_recorded(s) ? i : COMPARE_SIDES - 1 - i];

		status = target_use_verdicts(&on->target, s->workload, e);
		if (status == ASC_OK)
			status = find_problem(s, problem, &on->target, e);
		lo.problem = s->problem;
		if (status == ASC_OK)
			status = loop_bind(&lo, true, &bindings[i], e);
		if (status == ASC_OK)
			status = find_implementation(
				s, o->implementation ? o->implementation : r->implementation,
				&bindings[i], &on->target, e);
		if (status == ASC_OK)
			status = find_config(s, o->config ? o->config : r->config_key, &bindings[i],
					     e);
		/* The path of a commit's file is a scratch one, which says nothing. */
		if (status && *sides[i].commit.id)
			asc_err_wrap(e, "commit %.12s", sides[i].commit.id);
	}
	/* Times of two that compute different things are no comparison. Where the text of the
	 * reference alone is another one, as after an edit of its comments, the outputs decide: the
	 * rounds verify both by that of B. */
	if (status == ASC_OK)
		status = binding_print_difference(&bindings[0], &bindings[1], compare_names, &text,
						  &reference, e);
	if (status == ASC_OK && text.len > 0)
		status = asc_err_set(e, ASC_INPUT, "A and B compute different things: %s",
				     buf_str(&text));
	buf_fini(&text);
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		binding_fini(&bindings[i]);
	return status;
}
