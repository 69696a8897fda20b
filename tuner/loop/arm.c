#include "tuner/loop/arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/json.h"
#include "tuner/base/log.h"
#include "tuner/base/proc_apart.h"
#include "tuner/build/builder.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor.h"
#include "tuner/loop/loop.h"
#include "tuner/model/binding.h"
#include "tuner/model/space.h"
#include "tuner/run/verify.h"
#include "tuner/search/strategy.h"

/* What of an implementation's text decides its results, beside source and configuration. */
static enum asc_status hash_call(struct hash *h, const struct implementation *i, struct asc_err *e)
{
	static const char *const keys[] = {"entry", "arguments", "launch",
					   "flags", "rewrites",  NULL};
	struct buf text = {0};
	struct json_writer w = {&text, false};

	json_write_begin(&w, NULL, '{');
	for (size_t k = 0; keys[k]; k++)
		if (json_find(i->node, keys[k]))
			json_write_node(&w, keys[k], json_find(i->node, keys[k]));
	json_write_end(&w, '}');
	hash_add(h, buf_str(&text), text.len);
	enum asc_status status = buf_check(&text, e);
	buf_fini(&text);
	return status;
}

/* What a result has passed: a result of another verification is none. (Inputs and reference are in
 * the key of the problem.) */
static void hash_verification(struct hash *h, const struct binding *b)
{
	hash_add(h, &(int64_t){VERIFY_VERSION}, sizeof(int64_t));
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

/* ---- vendor libraries ---- */

struct vendor_question {
	const char *source, *function, *device;
};

struct vendor_answer {
	bool usable;
	char reason[512];   /* why it is not */
	char identity[512]; /* as vendor_identity() gives it, where it is */
};

/* A proc_apart_fn. */
static enum asc_status answer_vendor(const void *question, void *answer, struct asc_err *e)
{
	const struct vendor_question *q = question;
	struct vendor_answer *a = answer;
	struct buf text = {0};
	enum asc_status status = ASC_OK;

	a->usable = vendor_check(q->source, q->function, q->device, a->reason, sizeof a->reason);
	if (a->usable)
		status = vendor_identity(q->source, &text, e);
	snprintf(a->identity, sizeof a->identity, "%s", buf_str(&text));
	buf_fini(&text);
	return status;
}

/* Asked once for each implementation of a problem, in another process: libraries start threads and
 * touch the driver. */
static enum asc_status ask_vendor(const struct callable *c, const char *device,
				  struct vendor_answer *out, struct asc_err *e)
{
	const struct vendor_question q = {c->source, callable_entry(c, device), device};

	*out = (struct vendor_answer){0};
	return proc_apart(answer_vendor, &q, out, sizeof *out, e);
}

static enum asc_status make_key(const struct loop_options *o, const struct binding *b,
				const struct builder_ops *builder, struct arm *arm,
				struct asc_err *e)
{
	const struct implementation *i = arm->implementation;
	struct build_job job = {.workload = o->workload,
				.call = &i->call,
				.implementation = i,
				.binding = b,
				.device = o->device->name,
				.arch = o->info->arch,
				.entry = callable_entry(&i->call, o->device->name)};
	struct hash *h = hash_new();
	enum asc_status status;

	if (!h)
		return asc_err_nomem(e);
	hash_add_str(h, builder->name);
	hash_add_str(h, o->info->arch);
	hash_verification(h, b);
	status = hash_call(h, i, e);
	if (status == ASC_OK)
		status = builder->key(&job, h, e);
	if (!builder->command)
		hash_add_str(h, arm->toolchain);
	hash_print(h, arm->key);
	hash_free(h);
	return status;
}

/* The words of the builder. */
static enum asc_status find_toolchain(const struct builder_ops *builder, struct arm *arm,
				      struct asc_err *e)
{
	struct buf text = {0};

	if (!builder->command)
		return ASC_OK; /* check_builder() has found it */
	enum asc_status status = builder->toolchain(&text, e);

	if (status == ASC_OK)
		status = buf_check(&text, e);
	if (status == ASC_OK)
		arm->toolchain = buf_take(&text);
	buf_fini(&text);
	return status;
}

static const struct strategy_ops *choose_strategy(const struct loop_options *o,
						  const struct space *space)
{
	/* Time may end before the space does: then its first corner must not be all that was seen.
	 */
	bool covered = o->budget.ns == 0 &&
		       (o->budget.trials == 0 || space_count(space) <= o->budget.trials);

	if (o->strategy)
		return o->strategy;
	return strategy_find(covered ? "exhaustive" : "random");
}

/* What is not built has a library's words for its tool chain. */
static enum asc_status check_builder(const struct builder_ops *builder, const char *device,
				     struct arm *arm, char *reason, size_t size, struct asc_err *e)
{
	struct vendor_answer answer;

	if (!builder->check(reason, size))
		return ASC_OK;
	*reason = '\0';
	if (builder->command)
		return ASC_OK;
	if (ask_vendor(&arm->implementation->call, device, &answer, e))
		return e->status;
	if (!answer.usable)
		snprintf(reason, size, "%s", answer.reason);
	arm->toolchain = str_dup(answer.identity);
	return arm->toolchain ? ASC_OK : asc_err_nomem(e);
}

/* Why the implementation cannot take part; "" when it can. */
static enum asc_status find_obstacle(const struct binding *b, const struct builder_ops *builder,
				     struct arm *arm, char *reason, size_t size, struct asc_err *e)
{
	const struct implementation *i = arm->implementation;
	bool covers = false;

	reason[0] = '\0';
	if (binding_covers(b, i, &covers, reason, size, e))
		return e->status;
	if (covers && !builder)
		snprintf(reason, size, "this version has no builder %s", i->call.builder);
	else if (covers && !builder_serves(builder, b->device))
		snprintf(reason, size, "builder %s makes nothing for %s", builder->name, b->device);
	else if (covers)
		return check_builder(builder, b->device, arm, reason, size, e);
	return ASC_OK;
}

/* What is worth a warning about the space; in `reason` why there is nothing in it. */
static enum asc_status look_at_space(struct arm *arm, char *reason, size_t size, struct asc_err *e)
{
	struct buf text = {0};
	bool empty = !space_default(arm->space, &arm->preset);
	enum asc_status status = empty ? space_print_empty(arm->space, &text, e)
				       : space_print_doubts(arm->space, &text, e);

	if (empty)
		snprintf(reason, size, "%s", buf_str(&text));
	else if (text.len)
		log_print(LOG_WARN, "implementation %s: %s", arm->implementation->name,
			  buf_str(&text));
	buf_fini(&text);
	return status;
}

/* Why implementations do not take part. */
struct left_out {
	struct buf all;
	struct buf unexpected; /* of those that are meant for this class of device */
};

static void leave_out(const struct implementation *i, const char *device, const char *reason,
		      struct left_out *out)
{
	buf_print(&out->all, "%simplementation %s: %s", out->all.len ? "; " : "", i->name, reason);
	if (name_list_has(&i->devices, device))
		buf_print(&out->unexpected, "%simplementation %s: %s",
			  out->unexpected.len ? "; " : "", i->name, reason);
}

/* Leaves arm->strategy NULL, with the reason in `left_out`, when the implementation cannot take
 * part. */
static enum asc_status arm_open(const struct loop_options *o, const struct binding *b,
				struct arm *arm, struct left_out *left_out, struct asc_err *e)
{
	const struct implementation *i = arm->implementation;
	const struct builder_ops *builder = builder_find(i->call.builder);
	char reason[512];

	if (find_obstacle(b, builder, arm, reason, sizeof reason, e))
		return asc_err_wrap(e, "implementation %s", i->name);
	if (!*reason && binding_space(b, i, &arm->space, e))
		return asc_err_wrap(e, "implementation %s", i->name);
	if (!*reason && look_at_space(arm, reason, sizeof reason, e))
		return e->status;
	if (*reason) {
		leave_out(i, b->device, reason, left_out);
		return ASC_OK;
	}
	if (make_key(o, b, builder, arm, e) || find_toolchain(builder, arm, e))
		return asc_err_wrap(e, "implementation %s", i->name);
	arm->ops = choose_strategy(o, arm->space);
	return arm->ops->new (arm->space, o->seed, &arm->strategy, e);
}

static void arm_close(struct arm *arm)
{
	if (arm->strategy)
		arm->ops->free(arm->strategy);
	space_free(arm->space);
	free(arm->toolchain);
	*arm = (struct arm){0};
}

struct db_implementation arm_implementation(const struct arm *arm)
{
	return (struct db_implementation){arm->implementation->name, arm->implementation->index,
					  arm->key, arm->toolchain};
}

static enum asc_status open_each(const struct loop_options *o, const struct binding *b,
				 struct arms *out, struct left_out *left_out, struct asc_err *e)
{
	const struct workload *w = o->workload;
	const char *baseline = per_device_find(&w->baseline, o->device->name);

	for (size_t i = 0; i < w->n_implementations; i++) {
		struct arm *arm = &out->list[out->n];

		if (o->implementation && strcmp(w->implementations[i].name, o->implementation) != 0)
			continue;
		arm->implementation = &w->implementations[i];
		arm->baseline = baseline && strcmp(baseline, arm->implementation->name) == 0;
		enum asc_status status = arm_open(o, b, arm, left_out, e);

		if (status == ASC_OK && arm->strategy) {
			if (arm->baseline)
				out->turn = out->n;
			out->n++;
		} else
			arm_close(arm);
		if (status)
			return status;
	}
	return buf_check(&left_out->all, e);
}

static void note_left_out(struct buf *noted, const char *what)
{
	if (noted && strstr(buf_str(noted), what))
		return;
	log_print(LOG_NOTE, "left out: %s", what);
	if (noted)
		buf_print(noted, "%s\n", what);
}

/* ---- one configuration ---- */

static enum asc_status refuse_several(const struct arms *a, struct asc_err *e)
{
	struct buf names = {0};

	for (size_t i = 0; i < a->n; i++)
		buf_print(&names, "%s%s", i ? ", " : "", a->list[i].implementation->name);
	asc_err_set(e, ASC_INPUT, "several implementations can run: choose one (--impl) of %s",
		    buf_str(&names));
	buf_fini(&names);
	return e->status;
}

static enum asc_status refuse_config(const struct arm *arm, const struct config *c,
				     struct asc_err *e)
{
	struct buf why = {0}, text = {0};

	config_print(c, space_names(arm->space), &text);
	if (space_print_violations(arm->space, c, &why, e) == ASC_OK)
		asc_err_set(e, ASC_INPUT, "%s is not valid: %s", buf_str(&text), buf_str(&why));
	buf_fini(&why);
	buf_fini(&text);
	return e->status;
}

static enum asc_status choose_config(const struct arms *a, const char *text, struct asc_err *e)
{
	bool given[CONFIG_MAX_PARAMETERS];
	struct config c;

	if (a->n > 1)
		return refuse_several(a, e);
	struct arm *arm = &a->list[0];

	space_get(arm->space, arm->preset, &c);
	if (config_parse_over(text, space_names(arm->space), &c, given, e))
		return asc_err_wrap(e, "implementation %s", arm->implementation->name);
	if (!space_find(arm->space, &c, &arm->choice)) {
		refuse_config(arm, &c, e);
		return asc_err_wrap(e, "implementation %s", arm->implementation->name);
	}
	arm->chosen = true;
	return ASC_OK;
}

enum asc_status arms_open(const struct loop_options *o, const struct binding *b, struct arms *out,
			  struct asc_err *e)
{
	struct left_out left_out = {0};
	enum asc_status status;

	*out = (struct arms){.list = calloc(o->workload->n_implementations, sizeof *out->list)};
	if (!out->list)
		return asc_err_nomem(e);
	status = open_each(o, b, out, &left_out, e);
	if (status == ASC_OK && out->n == 0)
		status = asc_err_set(e, ASC_ABSENT, "nothing can run on %s: %s", o->device->name,
				     buf_str(&left_out.all));
	else if (status == ASC_OK && left_out.unexpected.len)
		note_left_out(o->noted, buf_str(&left_out.unexpected));
	if (status == ASC_OK && o->config)
		status = choose_config(out, o->config, e);
	buf_fini(&left_out.all);
	buf_fini(&left_out.unexpected);
	return status;
}

void arms_close(struct arms *a)
{
	for (size_t i = 0; i < a->n; i++)
		arm_close(&a->list[i]);
	free(a->list);
	*a = (struct arms){0};
}

uint64_t arms_budget(const struct arms *a, uint64_t trials)
{
	bool beside = a->n > 1 && a->list[a->turn].baseline;

	return trials == 1 && beside ? 2 : trials;
}

static bool arm_ask(struct arm *arm, uint64_t *index)
{
	if (arm->chosen) {
		arm->exhausted = true;
		*index = arm->choice;
		return true;
	}
	if (!arm->preset_asked) {
		arm->preset_asked = true;
		*index = arm->preset;
		arm->ops->tell(arm->strategy, arm->preset, RESULT_PLANNED, 0);
		return true;
	}
	arm->exhausted = !arm->ops->ask(arm->strategy, index);
	return !arm->exhausted;
}

bool arms_ask(struct arms *a, size_t *arm, uint64_t *index)
{
	for (size_t tried = 0; tried < a->n; tried++) {
		*arm = a->turn;
		a->turn = (a->turn + 1) % a->n;
		if (!a->list[*arm].exhausted && arm_ask(&a->list[*arm], index))
			return true;
	}
	return false;
}
