
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tuner/base/json/json.h"
#include "tuner/process/thread.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/worker_problem.h"

enum { MAX_HANDS = 64 };

struct work { /* shared by all threads */
	const struct binding *binding;
	const struct worker_problem_request *request;
	void *const *inputs;
	atomic_size_t next; /* next part that no thread has begun */
};

struct hand {
	struct work *work;
	pthread_t thread;
	bool running;
	enum asc_status status;
	struct asc_err failure;
};

static bool is_function(const struct work *w, size_t i)
{
	return w->binding->workload->tensors[i].fill.kind == FILL_FUNCTION;
}

static size_t parts_of(const struct work *w, size_t i)
{
	return w->inputs[i] && !is_function(w, i) ? inputs_parts(w->binding, i) : 0;
}

static size_t count_parts(const struct work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->binding->workload->n_tensors; i++)
		n += parts_of(w, i);
	return n;
}

/* Takes the next part; false when there is none. */
static bool take_part(struct work *w, size_t *tensor, size_t *part)
{
	*part = atomic_fetch_add(&w->next, 1);
	for (*tensor = 0; *tensor < w->binding->workload->n_tensors; ++*tensor) {
		size_t n = parts_of(w, *tensor);
		if (*part < n)
			return true;
		*part -= n;
	}
	return false;
}

static void *fill(void *user)
{
	struct hand *h = user;
	struct work *w = h->work;
	size_t tensor, part;

	while (!h->status && take_part(w, &tensor, &part))
		h->status = inputs_fill_part(w->binding, tensor, w->request->seed, part,
					     w->inputs[tensor], &h->failure);
	return NULL;
}

static void start(struct hand *h, struct work *w)
{
	*h = (struct hand){.work = w};
	h->running = thread_start(&h->thread, NULL, fill, h) == 0;
}

static enum asc_status finish(struct hand *h, struct asc_err *e)
{
	if (h->running)
		(void)pthread_join(h->thread, NULL);
	if (h->status)
		*e = h->failure;
	return h->status;
}

static enum asc_status call_function(const struct work *w, size_t i, struct asc_err *e)
{
	const struct worker_problem_request *request = w->request;
	const char *name = w->binding->workload->tensors[i].name, *artifact = NULL;
	const struct json_node *n = json_find(request->fills, name);
	char what[160];

	if (!n || json_get_string(n, &artifact, e))
		return asc_err_set(e, ASC_PROTOCOL, "no artifact for the fill of tensor %s", name);
	(void)snprintf(what, sizeof what, "the fill function of tensor %s", name);
	if (request->doing(request->user, what, e))
		return e->status;
	return inputs_fill(w->binding, i, request->seed, artifact, w->inputs[i], e);
}

static enum asc_status call_functions(const struct work *w, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; !s && i < w->binding->workload->n_tensors; i++)
		if (w->inputs[i] && is_function(w, i))
			s = call_function(w, i, e);
	return s;
}

static size_t count_hands(size_t parts)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = processors > 1 ? (size_t)processors : 1;

	if (n > MAX_HANDS)
		n = MAX_HANDS;
	return n < parts ? n : parts;
}

/* Waits for all threads that were started, whatever fails. This thread works too, and alone where
 * no others can be had. */
enum asc_status worker_inputs_make(const struct binding *b,
				   const struct worker_problem_request *request,
				   void *const inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e)
{
	struct work work = {.binding = b, .request = request, .inputs = inputs};
	struct hand hands[MAX_HANDS], own = {.work = &work};
	size_t n = count_hands(count_parts(&work));
	struct asc_err other;

	for (size_t i = 1; i < n; i++)
		start(&hands[i], &work);
	enum asc_status s = call_functions(&work, e);
	(void)fill(&own);
	if (!s && own.status)
		s = finish(&own, e);
	for (size_t i = 1; i < n; i++) {
		enum asc_status status = finish(&hands[i], s ? &other : e);
		s = s ? s : status;
	}
	return s;
}
