#include "tuner/tune/evaluate/session.h"

#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/evaluator.h"

void session_init(struct session *s, const struct evaluator_ops *ops,
		  const struct evaluator_target *t, const struct policy *policy)
{
	*s = (struct session){.target = *t, .policy = *policy, .ops = ops};
	if (t->info->queues)
		policy_adapt_to_queue(&s->policy);
}

enum asc_status session_start(struct session *s, struct asc_err *e)
{
	s->target.session = s;
	return s->evaluator ? ASC_OK : s->ops->open(&s->target, &s->evaluator, e);
}

void session_warm(struct session *s, const struct workload *w, const char *implementation)
{
	if (s->evaluator && s->ops->warm)
		s->ops->warm(s->evaluator, w, implementation);
}

bool session_builds_ahead(const struct session *s)
{
	return s->evaluator && s->ops->build_ahead && !s->target.info->shares_host;
}

enum asc_status session_begin(struct session *s, const struct evaluator_problem *p,
			      struct asc_err *e)
{
	if (session_start(s, e))
		return e->status;
	s->busy = true;
	s->begun_ns = clock_now_ns();
	return s->ops->begin(s->evaluator, p, e);
}

void session_end(struct session *s)
{
	if (s->evaluator)
		s->ops->end(s->evaluator);
	if (s->busy)
		s->ended_ns = clock_now_ns();
	s->busy = false;
}

void session_write_beside(const struct session *s, struct json_writer *w)
{
	if (!s->name)
		return;
	json_write_string(w, "device", s->name);
	json_write_begin(w, "beside", '[');
	for (size_t i = 0; i < s->peers->n; i++) {
		const struct session *other = s->peers->list[i];

		if (other->name != s->name && (other->busy || other->ended_ns > s->begun_ns))
			json_write_string(w, NULL, other->name);
	}
	json_write_end(w, ']');
}

size_t session_count_lent(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; s->peers && i < s->peers->n; i++)
		n += s->peers->list[i]->lent_to == s;
	return n;
}

void session_fini(struct session *s)
{
	session_end(s);
	if (s->evaluator)
		s->ops->close(s->evaluator);
	s->evaluator = NULL;
}

/* ---- evaluators ---- */

const struct evaluator_ops *const evaluator_list[] = {&evaluator_worker, &evaluator_replay,
						      &evaluator_several, NULL};

const struct evaluator_ops *evaluator_find(const char *name)
{
	for (size_t i = 0; evaluator_list[i]; i++)
		if (strcmp(evaluator_list[i]->name, name) == 0)
			return evaluator_list[i];
	return NULL;
}
