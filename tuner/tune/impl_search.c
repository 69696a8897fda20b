#include "tuner/tune/impl_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/build/builder.h"
#include "tuner/build/triton_python.h"
#include "tuner/build/worker_python.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_identity.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_features.h"
#include "tuner/workload/space/space.h"

/* Configurations that a workload has tried first: a list that is longer is a space of its own,
 * which a strategy searches better. */
enum { MOST_FIRST = 1000 };

static const double LEAST_PART = 0.05; /* of all trials, shared by the searches: none starves */

/* ---- opening ---- */

/* Checks the space: warns, unless `quiet`, where its conditions look wrong. `reason`: why it is
 * empty. */
static enum asc_status check_space(struct impl_search *search, bool quiet, char *reason,
				   size_t size, struct asc_err *e)
{
	struct buf text = {0};
	bool empty = !space_default(search->space, &search->default_index);
	enum asc_status status = empty ? space_print_empty(search->space, &text, e)
				       : space_print_unevaluable(search->space, &text, e);

	if (empty)
		snprintf(reason, size, "%s", buf_str(&text));
	else if (text.len && !quiet)
		log_print(LOG_WARN, "implementation %s: %s", search->implementation->name,
			  buf_str(&text));
	buf_fini(&text);
	return status;
}

/* Asks the builder of a call whether the default configuration fits the kernel. `reason`: why the
 * kernel cannot be used here. */
static enum asc_status inspect(const struct loop_options *o, const struct binding *b, size_t call,
			       const struct impl_search *search, char *reason, size_t size,
			       struct asc_err *e)
{
	const struct implementation *i = search->implementation;
	const char *device = o->session->target.device->name;
	const struct builder_ops *builder = builder_find(i->calls[call].builder, device);
	struct config config;
	struct plan plan;

	if (!builder->inspect)
		return ASC_OK;
	space_get(search->space, search->default_index, &config);
	enum asc_status status = binding_plan(b, i, call, &config, &plan, e);
	const struct kernel_source kernel = {.binding = b,
					     .call = &i->calls[call],
					     .implementation = i,
					     .config = &config,
					     .names = space_names(search->space),
					     .plan = &plan,
					     .device = device,
					     .arch = o->session->target.info->arch};

	if (status == ASC_OK)
		status = kernel_request_inspect(builder, &kernel, e);
	if (status != ASC_ABSENT)
		return status;
	snprintf(reason, size, "%s", e->text);
	return ASC_OK;
}

/* Reasons of implementations that do not take part. */
struct left_out {
	struct buf all;
	struct buf unexpected; /* reasons of those that are meant for this class of device */
	struct buf uncalled;   /* names of those that no Python calls, as none was named */
	struct impl_searches *searches; /* where broken kernels are noted */
};

/* A function of struct strategy_features. */
static void get_features(const void *user, const struct config *c, double *out)
{
	binding_features_get(user, c, out);
}

static struct strategy_options choose_options(const struct loop_options *o,
					      const struct impl_search *search)
{
	return (struct strategy_options){.space = search->space,
					 .seed = o->seed,
					 .trials = o->budget.trials,
					 .ns = o->budget.ns,
					 .may_end = patience_is_wanted(&o->patience),
					 .default_index = search->default_index,
					 .history = search->history.list,
					 .n_history = search->history.n,
					 .features = {binding_features_count(search->features),
						      get_features, search->features},
					 .part = o->part};
}

/* There is room for one of each implementation. */
static bool note_broken(struct impl_searches *to, const struct implementation *i,
			const char *reason)
{
	struct broken_kernel *one = &to->broken[to->n_broken];

	*one = (struct broken_kernel){i, str_dup(reason)};
	to->n_broken += one->reason != NULL;
	return one->reason != NULL;
}

/* True where an implementation is asked for: by its name, or with all others, among which a Python
 * function is where the user has named an interpreter. */
static bool takes_part(const struct loop_options *o, const struct implementation *i)
{
	if (o->implementation)
		return strcmp(i->name, o->implementation) == 0;
	return !python_worker_runs(i) || worker_python_is_named();
}

/* Opens one search: what can be known without building is looked at, the cheapest first, so that an
 * implementation that cannot run here costs no trial. Leaves search->ops NULL, with the reason in
 * `left_out`, when the implementation cannot take part. */
static enum asc_status open_one(const struct loop_options *o, const struct binding *b,
				struct impl_search *search, struct left_out *left_out,
				struct asc_err *e)
{
	const struct implementation *i = search->implementation;
	char reason[sizeof e->text] = "";
	bool covers = false;

	/* Does it state that it can compute this problem? */
	if (binding_covers(b, i, &covers, reason, sizeof reason, e))
		return asc_err_wrap(e, "implementation %s", i->name);
	if (covers && !takes_part(o, i)) {
		buf_print(&left_out->uncalled, "%s%s", left_out->uncalled.len ? ", " : "", i->name);
		return ASC_OK;
	}
	/* Are its compilers and libraries installed? */
	if ((covers && impl_identity_find_toolchain(search, o->workload, &o->session->target,
						    reason, sizeof reason, e)) ||
	    /* Has its space a configuration? */
	    (!*reason && binding_space(b, i, &search->space, e)))
		return asc_err_wrap(e, "implementation %s", i->name);
	if (!*reason && check_space(search, o->quiet, reason, sizeof reason, e))
		return e->status;
	/* Does the source of each call have the kernel, with these arguments? */
	for (size_t k = 0; k < i->n_calls && !*reason; k++)
		if (inspect(o, b, k, search, reason, sizeof reason, e))
			return asc_err_wrap(e, "implementation %s", i->name);
		else if (*reason && !note_broken(left_out->searches, i, reason))
			return asc_err_nomem(e);
	if (*reason) {
		buf_print(&left_out->all, "%simplementation %s: %s", left_out->all.len ? "; " : "",
			  i->name, reason);
		if (name_list_has(&i->devices, b->device))
			buf_print(&left_out->unexpected, "%simplementation %s: %s",
				  left_out->unexpected.len ? "; " : "", i->name, reason);
		return ASC_OK;
	}
	if (binding_features_new(b, i, STRATEGY_MAX_FEATURES, &search->features, e) ||
	    impl_identity_make(o, b, search, e))
		return asc_err_wrap(e, "implementation %s", i->name);
	const struct strategy_options so = choose_options(o, search);

	search->ops = o->strategy ? o->strategy : strategy_auto(&so);
	return ASC_OK;
}

static void close_one(struct impl_search *search)
{
	strategy_free(search->strategy);
	search_history_fini(&search->history);
	visits_fini(&search->seen);
	space_free(search->space);
	binding_features_free(search->features);
	free(search->toolchain);
	free(search->options);
	free(search->sources);
	free(search->choices);
	free(search->recorded);
	*search = (struct impl_search){0};
}

struct db_implementation impl_search_identity(const struct impl_search *search)
{
	return (struct db_implementation){.name = search->implementation->name,
					  .index = search->implementation->index,
					  .key = search->key,
					  .toolchain = search->toolchain,
					  .options = search->options,
					  .sources = search->sources,
					  .source_digest = search->source_digest};
}

static bool is_built(const struct implementation *i)
{
	for (size_t k = 0; k < i->n_calls; k++) {
		const struct builder_ops *b = builder_find(i->calls[k].builder, NULL);

		if (!b || b->command)
			return true;
	}
	return false;
}

/* False for an implementation of which others are asked for, by configurations that are given or
 * profiled. */
static bool is_asked_for(const struct loop_options *o, const struct implementation *i)
{
	const struct loop_given *const list = o->n_given > 0 ? o->given : o->profiled;
	const size_t n = o->n_given > 0 ? o->n_given : o->n_profiled;
	size_t k = 0;

	while (k < n && list[k].implementation && strcmp(list[k].implementation, i->name) != 0)
		k++;
	return n == 0 || k < n; /* a list without a name is of the only one */
}

bool impl_searches_run_python(const struct loop_options *o, const struct binding *b)
{
	const struct workload *w = o->workload;
	const struct worker_python *python;
	struct asc_err why; /* said where the implementation is left out */
	bool any = false;

	for (size_t i = 0; i < w->n_implementations && !any; i++)
		any = python_worker_runs(&w->implementations[i]) &&
		      name_list_has(&w->implementations[i].devices, b->device) &&
		      takes_part(o, &w->implementations[i]) &&
		      is_asked_for(o, &w->implementations[i]);
	return any && worker_python_get(&python, &why) == ASC_OK;
}

static enum asc_status open_each(const struct loop_options *o, const struct binding *b,
				 struct impl_searches *out, struct left_out *left_out,
				 struct asc_err *e)
{
	const struct workload *w = o->workload;
	const struct name_list *l = workload_find_baselines(w, o->session->target.device->name);

	for (size_t i = 0; i < w->n_implementations; i++) {
		struct impl_search *search = &out->list[out->n];

		if (o->implementation && strcmp(w->implementations[i].name, o->implementation) != 0)
			continue;
		if (o->session->target.build_only && !is_built(&w->implementations[i])) {
			if (o->implementation) /* who asks for it by name is told why */
				buf_print(&left_out->all,
					  "implementation %s: nothing is built for functions of "
					  "libraries",
					  o->implementation);
			continue;
		}
		search->implementation = &w->implementations[i];
		search->part = o->part;
		visits_init(&search->seen);
		search->baseline = 0;
		for (size_t k = 0; l && k < l->n; k++)
			if (strcmp(l->names[k], search->implementation->name) == 0)
				search->baseline = (unsigned)k + 1;
		enum asc_status status = open_one(o, b, search, left_out, e);

		if (status == ASC_OK && search->ops)
			out->n++;
		else
			close_one(search);
		if (status)
			return status;
	}
	return buf_check(&left_out->all, e);
}

/* Adds one reason to both lists. */
static void add_reason(struct left_out *left_out, const char *what, const char *reason)
{
	struct buf *const lists[] = {&left_out->all, &left_out->unexpected};

	for (size_t i = 0; i < 2; i++)
		buf_print(lists[i], "%s%s: %s", lists[i]->len ? "; " : "", what, reason);
}

/* Adds the implementations of a library that asctune cannot call. */
static enum asc_status add_unsupported(const struct workload *w, const char *device,
				       struct left_out *left_out, struct asc_err *e)
{
	struct buf text = {0};

	workload_print_unsupported(w, device, &text);
	if (text.len)
		add_reason(left_out, "unsupported", buf_str(&text));
	const enum asc_status status = buf_check(&text, e);

	buf_fini(&text);
	return status ? status : buf_check(&left_out->all, e);
}

/* ---- configurations that are chosen ---- */

/* Makes room for `n` configurations that are asked for first, or alone. */
static enum asc_status choose(struct impl_search *search, size_t n, bool alone, struct asc_err *e)
{
	search->chosen = alone;
	search->choices = calloc(n, sizeof *search->choices);
	return search->choices ? ASC_OK : asc_err_nomem(e);
}

static void add_choice(struct impl_search *search, uint64_t index)
{
	for (size_t i = 0; i < search->n_choices; i++)
		if (search->choices[i] == index)
			return;
	search->choices[search->n_choices++] = index;
}

struct impl_search *impl_searches_only(const struct impl_searches *a, struct asc_err *e)
{
	struct buf names = {0};

	if (a->n == 1)
		return a->list;
	for (size_t i = 0; i < a->n; i++)
		buf_print(&names, "%s%s", i ? ", " : "", a->list[i].implementation->name);
	asc_err_set(e, ASC_INPUT, "several implementations can run: choose one (--impl) of %s",
		    buf_str(&names));
	buf_fini(&names);
	return NULL;
}

enum asc_status impl_search_parse(const struct impl_search *search, const char *text, bool whole,
				  struct config *c, uint64_t *index, struct asc_err *e)
{
	const char *const *names = space_names(search->space);
	bool given[CONFIG_MAX_PARAMETERS];
	struct buf all = {0}, why = {0};

	space_get(search->space, search->default_index, c);
	if (whole ? config_parse(text, names, space_params(search->space), c, e)
		  : config_parse_over(text, names, c, given, e))
		return asc_err_wrap(e, "implementation %s", search->implementation->name);
	if (space_find(search->space, c, index))
		return ASC_OK;
	config_print(c, names, &all);
	if (space_print_violations(search->space, c, &why, e) == ASC_OK)
		asc_err_set(e, ASC_INPUT, "%s is not valid: %s", buf_str(&all), buf_str(&why));
	buf_fini(&why);
	buf_fini(&all);
	return asc_err_wrap(e, "implementation %s", search->implementation->name);
}

/* Chooses the one configuration of --config, which one search must have. */
static enum asc_status choose_config(const struct impl_searches *a, const char *text,
				     struct asc_err *e)
{
	struct impl_search *search = impl_searches_only(a, e);
	struct config c;
	uint64_t index = 0;

	if (!search || impl_search_parse(search, text, false, &c, &index, e) ||
	    choose(search, 1, true, e))
		return e->status;
	add_choice(search, index);
	return ASC_OK;
}

/* Finds the index of a configuration of this implementation that the space has. */
static bool find_given(const struct impl_search *search, const struct loop_given *g,
		       uint64_t *index)
{
	struct asc_err why;
	struct config c;

	return strcmp(g->implementation, search->implementation->name) == 0 &&
	       config_parse(g->config_key, space_names(search->space), space_params(search->space),
			    &c, &why) == ASC_OK &&
	       space_find(search->space, &c, index);
}

/* Adds the configurations that are given, each behind the default of its implementation: what is
 * given is compared with it. */
static enum asc_status choose_given(struct impl_searches *a, const struct loop_options *o,
				    struct asc_err *e)
{
	uint64_t index;
	size_t n = 0;

	for (size_t k = 0; k < a->n; k++) {
		struct impl_search *search = &a->list[k];

		if (choose(search, o->n_given + 1, true, e))
			return e->status;
		for (size_t i = 0; i < o->n_given; i++) {
			if (!find_given(search, &o->given[i], &index))
				continue;
			add_choice(search, search->default_index);
			add_choice(search, index);
			n++;
		}
	}
	if (n > 0)
		return ASC_OK;
	return asc_err_set(e, ASC_ABSENT, "it has none of these configurations, such as %s",
			   o->given[0].config_key);
}

/* Adds the configurations that are tried first: those of loop_options.first, then those that the
 * workload names, in the order of the lists of values; the default comes first anyway. */
static enum asc_status choose_first(struct impl_search *search, const struct loop_options *o,
				    const struct binding *b, struct asc_err *e)
{
	struct space *first = NULL;
	struct space_cursor *cursor = NULL;
	uint64_t index;
	size_t unused;
	enum asc_status status = binding_space_first(b, search->implementation, &first, e);
	size_t n = 0;

	if (status == ASC_OK && first) {
		n = space_count(first) < MOST_FIRST ? space_count(first) : MOST_FIRST;
		status = space_cursor_new(first, &cursor, e);
	}
	if (status == ASC_OK && o->n_first + n > 0)
		status = choose(search, o->n_first + n, false, e);
	for (size_t i = 0; i < o->n_first && status == ASC_OK; i++)
		if (find_given(search, &o->first[i], &index) && index != search->default_index &&
		    strategy_part_has(&o->part, search->space, index))
			add_choice(search, index);
	for (; n > 0 && status == ASC_OK; n--)
		if (space_find_picks(search->space, space_cursor_next(cursor, &unused), &index) &&
		    index != search->default_index &&
		    strategy_part_has(&o->part, search->space, index))
			add_choice(search, index);
	space_cursor_free(cursor);
	space_free(first);
	return status;
}

enum asc_status impl_searches_open(const struct loop_options *o, const struct binding *b,
				   struct impl_searches *out, struct asc_err *e)
{
	const struct evaluator_target *target = &o->session->target;
	struct left_out left_out = {.searches = out};
	enum asc_status status;

	*out = (struct impl_searches){
		.list = calloc(o->workload->n_implementations, sizeof *out->list),
		.broken = calloc(o->workload->n_implementations, sizeof *out->broken)};
	if (!out->list || !out->broken)
		return asc_err_nomem(e);
	status = open_each(o, b, out, &left_out, e);
	if (status == ASC_OK && left_out.uncalled.len) {
		add_reason(&left_out, buf_str(&left_out.uncalled),
			   "called in a Python: name one by --python or $" TRITON_PYTHON_VARIABLE);
		status = buf_check(&left_out.uncalled, e);
	}
	if (status == ASC_OK && !o->implementation)
		status = add_unsupported(o->workload, b->device, &left_out, e);
	if (status == ASC_OK && out->n == 0)
		status =
			asc_err_set(e, ASC_ABSENT, "nothing can %s %s: %s",
				    target->build_only ? "be built for" : "run on",
				    target->build_only ? target->info->model : target->device->name,
				    left_out.all.len ? buf_str(&left_out.all)
						     : "no implementation has a kernel");
	else if (status == ASC_OK && left_out.unexpected.len && !o->quiet &&
		 !(o->noted && strstr(buf_str(o->noted), buf_str(&left_out.unexpected)))) {
		/* Once, not for each problem: a library that is missing lacks in all of them. */
		log_print(LOG_NOTE, "left out: %s", buf_str(&left_out.unexpected));
		if (o->noted)
			buf_print(o->noted, "%s\n", buf_str(&left_out.unexpected));
	}
	if (status == ASC_OK && o->config)
		status = choose_config(out, o->config, e);
	else if (status == ASC_OK && o->n_given > 0)
		status = choose_given(out, o, e);
	else
		for (size_t i = 0; i < out->n && status == ASC_OK; i++)
			status = choose_first(&out->list[i], o, b, e);
	buf_fini(&left_out.all);
	buf_fini(&left_out.unexpected);
	buf_fini(&left_out.uncalled);
	return status;
}

/* Part of the first questions that a search's history may take: a tenth of the trials, shared. */
static size_t share_first(const struct impl_searches *a, size_t at, uint64_t trials)
{
	/* A tenth, since a history of another device may be wrong: it costs no more then. */
	const uint64_t all = (trials + 9) / 10;

	if (trials == 0 || all / a->n >= STRATEGY_HISTORY_FIRST)
		return STRATEGY_HISTORY_FIRST;
	return (size_t)(all * (at + 1) / a->n - all * at / a->n);
}

enum asc_status impl_searches_start(struct impl_searches *a, const struct loop_options *o,
				    struct db *db, struct asc_err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		struct impl_search *s = &a->list[i];

		if (o->history && search_history_find(&s->history, o, s->implementation, s->space,
						      o->known ? o->known : db, e))
			return e->status;
		struct strategy_options so = choose_options(o, s);

		so.history_first = share_first(a, i, o->budget.trials);
		if (strategy_new(s->ops, &so, &s->strategy, e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status impl_search_add_recorded(void *user, const char *config_key, int64_t first_id,
					 struct asc_err *e)
{
	struct impl_search *s = user;
	struct config c;
	uint64_t index;

	if (s->chosen || !s->ops->learn)
		return ASC_OK;
	if (config_parse(config_key, space_names(s->space), space_params(s->space), &c, e))
		return e->status == ASC_NOMEM ? ASC_NOMEM : ASC_OK;
	/* Default and choices are asked for in any case, and looked up then. */
	if (!space_find(s->space, &c, &index) || index == s->default_index ||
	    impl_search_is_choice(s, index) || !strategy_part_has(&s->part, s->space, index))
		return ASC_OK;
	if (visits_find(&s->seen, index)) /* two databases may have it */
		return ASC_OK;
	if (visits_add(&s->seen, index, e))
		return e->status;
	if (!array_room(&s->recorded, s->n_recorded, &s->recorded_room, sizeof *s->recorded))
		return asc_err_nomem(e);
	s->recorded[s->n_recorded++] = (struct recorded_index){index, first_id};
	return ASC_OK;
}

void impl_searches_close(struct impl_searches *a)
{
	for (size_t i = 0; i < a->n; i++)
		close_one(&a->list[i]);
	for (size_t i = 0; i < a->n_broken; i++)
		free(a->broken[i].reason);
	free(a->broken);
	free(a->list);
	*a = (struct impl_searches){0};
}

uint64_t impl_searches_budget(const struct impl_searches *a, uint64_t trials)
{
	uint64_t baselines = 0;

	for (size_t i = 0; i < a->n; i++)
		baselines += a->list[i].baseline != 0;
	/* One more, for what is compared with them. */
	if (baselines > 0 && baselines < a->n)
		baselines++;
	return trials > 0 && trials < baselines ? baselines : trials;
}

bool impl_search_is_choice(const struct impl_search *s, uint64_t index)
{
	for (size_t i = 0; i < s->n_choices; i++)
		if (s->choices[i] == index)
			return true;
	return false;
}

static bool has_choice(const struct impl_search *search)
{
	return search->n_asked < search->n_choices;
}

static bool has_recorded(const struct impl_search *search)
{
	return search->n_taken < search->n_recorded;
}

/* True when nothing is left to be asked for. */
static bool is_done(const struct impl_search *search)
{
	return !has_choice(search) && (search->chosen || strategy_is_done(search->strategy));
}

enum asc_status impl_search_ask(struct impl_search *search, uint64_t *list, size_t *n,
				struct asc_err *e)
{
	const bool preset = !search->default_asked && !search->chosen;

	if (is_done(search)) {
		*n = 0;
		return ASC_OK;
	}
	if (!preset && !has_choice(search) && !has_recorded(search))
		return strategy_ask(search->strategy, list, n, e);
	*n = 1;
	if (preset || has_choice(search)) {
		list[0] = preset ? search->default_index : search->choices[search->n_asked++];
		search->default_asked = true;
		return strategy_skip(search->strategy, list[0], e);
	}
	list[0] = search->recorded[search->n_taken++].index;
	return strategy_resume(search->strategy, list[0], e);
}

/* True when the search has had less than its least part of all trials. */
static bool is_neglected(const struct impl_searches *a, const struct impl_search *search)
{
	size_t all = 0;

	for (size_t i = 0; i < a->n; i++)
		all += strategy_trials(a->list[i].strategy);
	return (double)strategy_trials(search->strategy) < LEAST_PART * (double)all / (double)a->n;
}

/* Finds the search whose next recorded trial is the oldest; a->n: none has any left, or one has not
 * begun, whose default comes first. */
static size_t find_recorded(const struct impl_searches *a)
{
	size_t found = a->n;

	for (size_t i = 0; i < a->n; i++) {
		const struct impl_search *s = &a->list[i];

		if (strategy_trials(s->strategy) == 0)
			return a->n;
		if (has_recorded(s) &&
		    (found == a->n ||
		     s->recorded[s->n_taken].trial_id <
			     a->list[found].recorded[a->list[found].n_taken].trial_id))
			found = i;
	}
	return found;
}

/* Chooses the search that has the next trial: one that has to begin with what is known, one with
 * recorded results to resume, one that is neglected, else the one that promises most. The search
 * whose turn it is comes first among equals. a->n: none has anything left. */
static size_t choose_search(const struct impl_searches *a)
{
	const size_t recorded = find_recorded(a);
	size_t chosen = a->n;
	double least = INFINITY;

	/* Others are compared with the baselines. */
	for (size_t i = 0; i < a->n; i++) {
		const struct impl_search *search = &a->list[i];

		if (search->baseline && !search->default_asked && !search->chosen &&
		    !is_done(search))
			return i;
	}
	for (size_t i = 0; i < a->n; i++) {
		const size_t at = (a->turn + i) % a->n;
		const struct impl_search *search = &a->list[at];
		const double promise = strategy_promise(search->strategy);

		if (is_done(search))
			continue;
		if (!search->chosen && has_choice(search))
			return at;
		if (recorded < a->n)
			continue;
		if (is_neglected(a, search))
			return at;
		if (chosen == a->n || promise < least) {
			chosen = at;
			least = promise;
		}
	}
	return recorded < a->n ? recorded : chosen;
}

enum asc_status impl_searches_ask(struct impl_searches *a, size_t *search, uint64_t *list,
				  size_t *n, struct asc_err *e)
{
	const size_t most =
		a->n > 1 ? 1 : *n; /* which one promises most may change with each result */
	enum asc_status status = ASC_OK;

	/* A search of a part of a space finds by asking that nothing of it is left. */
	for (*n = 0; status == ASC_OK && *n == 0;) {
		const size_t chosen = choose_search(a);

		if (chosen == a->n)
			break;
		*n = most;
		*search = chosen;
		a->turn = (chosen + 1) % a->n;
		status = impl_search_ask(&a->list[chosen], list, n, e);
		if (*n == 0 && !is_done(&a->list[chosen]))
			break;
	}
	return status;
}
