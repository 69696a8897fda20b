#include "tuner/run/worker_inputs.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/json.h"
#include "tuner/run/inputs.h"
#include "tuner/run/worker_problem.h"

struct task { /* one tensor being filled */
	const struct binding *binding;
	uint64_t seed;
	size_t tensor;
	void *out;
	pthread_t thread;
	bool running;
	enum asc_status status;
	struct asc_err failure;
};

static void *fill(void *user)
{
	struct task *t = user;

	t->status = inputs_fill(t->binding, t->tensor, t->seed, NULL, t->out, &t->failure);
	return NULL;
}

/* Signals stay with the threads of the program. Where there is no thread to be had it is done here.
 */
static void start(struct task *t)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	t->running = pthread_create(&t->thread, NULL, fill, t) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!t->running)
		(void)fill(t);
}

static enum asc_status finish(struct task *t, struct asc_err *e)
{
	if (t->running)
		(void)pthread_join(t->thread, NULL);
	if (t->status)
		*e = t->failure;
	return t->status;
}

static enum asc_status
call_function(const struct task *t, const struct worker_problem_request *request, struct asc_err *e)
{
	const char *name = t->binding->workload->tensors[t->tensor].name, *artifact = NULL;
	const struct json_node *n = json_find(request->fills, name);
	char what[160];

	if (!n || json_get_string(n, &artifact, e))
		return asc_err_set(e, ASC_PROTOCOL, "no artifact for the fill of tensor %s", name);
	(void)snprintf(what, sizeof what, "the fill function of tensor %s", name);
	if (request->doing(request->user, what, e))
		return e->status;
	return inputs_fill(t->binding, t->tensor, t->seed, artifact, t->out, e);
}

/* All that was started is waited for, whatever fails. */
static enum asc_status make_all(struct task *tasks, size_t n,
				const struct worker_problem_request *request, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	struct asc_err other;

	for (size_t i = 0; i < n; i++)
		if (tasks[i].binding->workload->tensors[tasks[i].tensor].fill.kind != FILL_FUNCTION)
			start(&tasks[i]);
		else if (!s)
			s = call_function(&tasks[i], request, e);
	for (size_t i = 0; i < n; i++) {
		enum asc_status own = finish(&tasks[i], s ? &other : e);
		s = s ? s : own;
	}
	return s;
}

enum asc_status worker_inputs_make(const struct binding *b,
				   const struct worker_problem_request *request,
				   void *const inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e)
{
	struct task *tasks = calloc(WORKLOAD_MAX_TENSORS, sizeof *tasks);
	size_t n = 0;

	if (!tasks)
		return asc_err_nomem(e);
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++)
		if (inputs[i])
			tasks[n++] = (struct task){
				.binding = b, .seed = request->seed, .tensor = i, .out = inputs[i]};
	enum asc_status s = make_all(tasks, n, request, e);
	free(tasks);
	return s;
}
