#include "standin/standin_launch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin/standin_arguments.h"
#include "standin/standin_context.h"
#include "standin/standin_done.h"
#include "standin/standin_listener.h"
#include "standin/standin_memory.h"
#include "standin/standin_model.h"
#include "standin/standin_operator.h"
#include "tuner/process/thread.h"

static int64_t launches; /* of the process that have run */

static uint64_t next_correlation(void)
{
	const uint64_t correlation = standin_correlate();

	STANDIN_NOTIFY(launch, correlation);
	return correlation;
}

struct launch_task {
	struct standin_task task;
	struct standin_function *function;
	uint32_t blocks;
	size_t bytes; /* of the block */
	uint64_t correlation;
	unsigned char block[STANDIN_MAX_BLOCK];
};

/* Number of the newest write to a tensor of the kernel. */
static uint64_t newest_write(const struct standin_arguments *a)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < a->n; i++)
		if (a->device[i] && standin_memory_written(a->device[i]) > newest)
			newest = standin_memory_written(a->device[i]);
	return newest;
}

/* Key of a launch: its function, grid and argument block, where the addresses of tensors are. */
static struct standin_key key_of(const struct launch_task *t)
{
	struct standin_key k = {0};

	standin_key_add(&k, t->function->number);
	standin_key_add(&k, t->blocks);
	standin_key_add_bytes(&k, t->block, t->bytes);
	return k;
}

/* ---- faults ---- */

static bool is_meant(const struct standin_fault_set *f, const struct launch_task *t)
{
	if (!f || f->where != STANDIN_OF_KERNEL)
		return false;
	return f->blocks ? f->blocks == (int64_t)t->blocks : f->number == t->function->number;
}

/* Element of 2 or 4 bytes that no kernel computes, in every type of 16 or 32 bits: 6.25 in f16,
 * 12288 and more in bf16 and f32; and a NaN in all of them. */
static const unsigned char wrong_value[] = {0x40, 0x46, 0x40, 0x46},
			   nan_value[] = {0xff, 0x7f, 0xff, 0x7f};

/* Bytes of the output and of its part that belongs to a block which is not full. */
static int64_t output_bytes(const struct twin_kernel *k, const struct standin_arguments *a,
			    int64_t *partial)
{
	*partial = 0;
	return k->output ? k->output(a->values, partial) : (int64_t)sizeof wrong_value;
}

/* True where the output's first element, or its last one, is to be wrong. */
static bool is_wrong(const struct launch_task *t, bool last_one, int64_t partial)
{
	const struct standin_fault_set *f = standin_find_fault(STANDIN_WRONG);

	if (last_one)
		return f && f->where == STANDIN_OF_TAIL && partial > 0;
	return is_meant(f, t) || (f && f->where == STANDIN_OF_GRID &&
				  (int64_t)t->blocks > standin_model_cores(t->function->kernel));
}

static void spoil(const struct launch_task *t, const struct standin_arguments *a)
{
	const struct twin_kernel *k = t->function->kernel;
	int64_t partial = 0;
	const int64_t bytes = output_bytes(k, a, &partial);
	char *out = standin_arguments_output(k, a);

	if (!out || bytes < (int64_t)sizeof wrong_value)
		return;
	if (is_wrong(t, false, partial) && standin_spend_once())
		memcpy(out, wrong_value, sizeof wrong_value);
	if (is_wrong(t, true, partial) && standin_spend_once())
		memcpy(out + bytes - (int64_t)sizeof wrong_value, wrong_value, sizeof wrong_value);
	if (is_meant(standin_find_fault(STANDIN_NAN), t) && standin_spend_once())
		memcpy(out, nan_value, sizeof nan_value);
}

static void hang(struct standin_stream *s)
{
	standin_log("stream %d hangs", s->id);
	s->hangs = true;
	pthread_cond_broadcast(&standin_progress);
	while (!s->stop)
		pthread_cond_wait(&standin_progress, &standin_lock);
}

/* ---- programs: of a large launch, by as many threads as there are processors ---- */

/* Model's time from which a launch is shared: a processor needs thousands of times as long. */
#define SHARED_NS 10000

enum { MAX_THREADS = 64 };

struct work {
	const struct twin_kernel *kernel;
	const union twin_argument *arguments;
	int64_t programs;
	_Atomic int64_t next;
};

static void *run_some(void *user)
{
	struct work *w = user;

	for (int64_t p = atomic_fetch_add(&w->next, 1); p < w->programs;
	     p = atomic_fetch_add(&w->next, 1))
		w->kernel->run(w->arguments, p, w->programs);
	return NULL;
}

/* Runs programs 0 to `programs` - 1, in any order. `ns`: the model's time, from which it follows
 * whether threads are worth their start. */
static void run_programs(const struct twin_kernel *k, const union twin_argument *a,
			 int64_t programs, double ns)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct work w = {.kernel = k, .arguments = a, .programs = programs};
	pthread_t threads[MAX_THREADS];
	long n = 0;

	while (ns >= SHARED_NS && n + 1 < processors && n + 1 < programs && n < MAX_THREADS &&
	       thread_start(&threads[n], NULL, run_some, &w) == 0)
		n++;
	(void)run_some(&w);
	while (n > 0)
		pthread_join(threads[--n], NULL);
}

/* ---- the launch's turn ---- */

/* Counts a kernel in or out where its tensors are. */
static void use_memory(const struct standin_arguments *a, int users)
{
	for (size_t i = 0; i < a->n; i++)
		standin_memory_use(a->device[i], users);
}

/* True where an output is the memory of an input, so that what is written depends on what was
 * there. */
static bool is_in_place(const struct twin_kernel *k, const struct standin_arguments *a)
{
	bool found = false;

	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < a->n; j++)
			found |= k->arguments[i] == 'o' && k->arguments[j] == 'p' && a->device[i] &&
				 a->device[i] == a->device[j];
	return found;
}

static double compute(const struct launch_task *t, const struct standin_arguments *a)
{
	const struct twin_kernel *k = t->function->kernel;
	const struct standin_key key = key_of(t);
	double ns;

	for (size_t i = 0; i < a->n; i++)
		standin_operator_settle(a->device[i]);
	if (k->pure && !is_in_place(k, a) && standin_done_find(&key, newest_write(a), &ns))
		return ns;
	use_memory(a, 1);
	pthread_mutex_unlock(&standin_lock);
	ns = standin_model_ns(k, a->values, t->blocks);
	run_programs(k, a->values, t->blocks, ns);
	pthread_mutex_lock(&standin_lock);
	use_memory(a, -1);
	standin_arguments_touch(k, a);
	spoil(t, a);
	standin_done_add(&key, newest_write(a), ns);
	return ns;
}

/* Moves the stream's end by a kernel of so many nanoseconds, and records it: without a type it is
 * one without records. Only the first task after a wait may begin later than the gap says. */
static void pass(struct standin_stream *s, int64_t queued_ns, double ns, const char *name,
		 const char *type, uint64_t correlation)
{
	int64_t begin = s->launches ? s->end_ns + STANDIN_GAP_NS : s->end_ns;

	if (begin < queued_ns + STANDIN_HOST_NS)
		begin = queued_ns + STANDIN_HOST_NS;
	s->end_ns = begin + standin_model_vary(ns, ++launches, begin);
	s->launches++;
	if (!type)
		return;
	const struct standin_record r = {.name = name,
					 .type = type,
					 .device = s->context->device,
					 .stream = s->id,
					 .correlation = correlation,
					 .begin_ns = begin,
					 .end_ns = s->end_ns};
	STANDIN_NOTIFY(kernel, &r);
}

static void run(struct standin_task *task, struct standin_stream *s)
{
	struct launch_task *t = (struct launch_task *)task;
	const struct twin_kernel *k = t->function->kernel;
	struct standin_arguments a;
	char why[160];

	if (is_meant(standin_find_fault(STANDIN_HANG), t) && standin_spend_once()) {
		hang(s);
		return;
	}
	if (is_meant(standin_find_fault(STANDIN_AICORE), t) && standin_spend_once())
		standin_lose(RT_AICORE_EXCEPTION, "kernel %s: fault aicore", k->name);
	else if (!standin_arguments_decode(k, t->block, t->bytes, t->blocks, &a, why, sizeof why))
		standin_lose(RT_AICORE_EXCEPTION, "kernel %s: %s", k->name, why);
	else
		pass(s, task->queued_ns, compute(t, &a), k->name,
		     strcmp(k->mix_mode, "aiv") == 0 ? "AI_VECTOR_CORE" : "MIX_AIC",
		     t->correlation);
}

static void release(struct standin_task *task)
{
	struct launch_task *t = (struct launch_task *)task;

	t->function->binary->launches--;
	free(t);
}

/* ---- calls ---- */

void *standin_sync_address(void)
{
	static char address; /* never read or written */

	return &address;
}

int standin_launch(struct standin_function *f, uint32_t blocks, const void *block, size_t bytes,
		   struct standin_stream *s)
{
	if (blocks == 0)
		return standin_fail(RT_PARAM_INVALID, "a launch of 0 blocks");
	if (bytes > STANDIN_MAX_BLOCK || (!block && bytes))
		return standin_fail(RT_PARAM_INVALID, "an argument block of %zu bytes at %p", bytes,
				    block);
	if (standin_memory_has(block))
		return standin_fail(RT_PARAM_INVALID, "an argument block in device memory");
	struct launch_task *t = calloc(1, sizeof *t);
	if (!t)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a launch");
	t->task.run = run;
	t->task.free = release;
	t->function = f;
	t->blocks = blocks;
	t->bytes = bytes;
	t->correlation = next_correlation();
	if (bytes)
		memcpy(t->block, block, bytes);
	f->binary->launches++;
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}

struct operator_task {
	struct standin_task task;
	const char *name;
	bool recorded;
	double (*compute)(void *user, struct standin_stream *s);
	void (*release)(void *user);
	void *user;
	uint64_t correlation;
};

static void run_operator(struct standin_task *task, struct standin_stream *s)
{
	struct operator_task *t = (struct operator_task *)task;
	const double ns = t->compute(t->user, s);

	if (!standin_lost())
		pass(s, task->queued_ns, ns, t->name, t->recorded ? "AI_VECTOR_CORE" : NULL,
		     t->correlation);
}

static void release_operator(struct standin_task *task)
{
	struct operator_task *t = (struct operator_task *)task;

	t->release(t->user);
	free(t);
}

int standin_launch_operator(const char *name, bool recorded,
			    double (*compute_ns)(void *user, struct standin_stream *s),
			    void (*release_user)(void *user), void *user, struct standin_stream *s)
{
	struct operator_task *t = calloc(1, sizeof *t);

	if (!t) {
		release_user(user);
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a launch");
	}
	*t = (struct operator_task){.task = {.run = run_operator, .free = release_operator},
				    .name = name,
				    .recorded = recorded,
				    .compute = compute_ns,
				    .release = release_user,
				    .user = user,
				    .correlation = next_correlation()};
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}
