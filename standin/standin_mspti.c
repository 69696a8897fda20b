/* libmspti.so of the stand-in. Records are queued with the core's lock held; a thread of the
 * library, or the caller of a flush, puts them into the caller's buffers. */
#include "standin/standin_abi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin/standin_core.h"
#include "standin/standin_listener.h"
#include "standin/standin_mspti_record.h"
#include "tuner/base/stats/rng.h"
#include "tuner/process/thread.h"

enum { MAX_EXTERNAL = 64, INVALID = 1, QUEUE_EMPTY = 5, DRIFT_STEP_AT = 50 };
enum { MAX_TEXTS = 65536, FULL_PERCENT = 80 }; /* of a buffer: from there on it is given back */

#define DRIFT         50e-6
#define DRIFT_STEP_NS INT64_C(1000000)

struct entry {
	struct entry *next;
	struct mspti_record record;
};

static struct {
	pthread_mutex_t lock;    /* held while callbacks run */
	pthread_mutex_t queuing; /* of the queue */
	pthread_cond_t queued;
	struct entry *first, **last, *held_back;
	/* The core's lock guards the rest. */
	bool enabled[MSPTI_N_KINDS], thread_runs;
	struct msptiSubscriber_st *subscriber;
	int alone; /* file that this process has locked; -1: none */
	int64_t kernels, drift_from_ns;
} mspti = {.lock = PTHREAD_MUTEX_INITIALIZER,
	   .queuing = PTHREAD_MUTEX_INITIALIZER,
	   .queued = PTHREAD_COND_INITIALIZER,
	   .last = &mspti.first,
	   .alone = -1};

struct msptiSubscriber_st {
	struct standin_object object;
};

static __thread struct {
	uint64_t ids[MAX_EXTERNAL];
	unsigned kinds[MAX_EXTERNAL];
	size_t n;
} pushed;

/* ---- the buffer: requested by the caller's callback, filled back to back, and given back by its
 * other one; mspti.lock is held ---- */

static mspti_request_fn *request;
static mspti_complete_fn *complete;

static struct {
	uint8_t *data; /* NULL: there is none */
	size_t size, used;
	char *texts[MAX_TEXTS];
	size_t n_texts;
} filling;

/* Texts are overwritten when their buffer was given back, so that a pointer which was kept reads
 * something else, and freed when the next buffer is wanted. */
static void overwrite_texts(void)
{
	for (size_t i = 0; i < filling.n_texts; i++)
		memset(filling.texts[i], '?', strlen(filling.texts[i]));
}

static void free_texts(void)
{
	while (filling.n_texts > 0)
		free(filling.texts[--filling.n_texts]);
}

/* Texts that records point to end with the buffer. */
static void give_back(void)
{
	if (!filling.data || !complete)
		return;
	uint8_t *data = filling.data;

	filling.data = NULL;
	complete(data, filling.size, filling.used);
	overwrite_texts();
}

static bool request_buffer(void)
{
	size_t max_records = 0;

	free_texts();
	filling.data = NULL;
	filling.used = filling.size = 0;
	if (request)
		request(&filling.data, &filling.size, &max_records);
	if (filling.data && (uintptr_t)filling.data % MSPTI_BUFFER_ALIGN == 0)
		return true;
	standin_log("warning: %s buffer for records", filling.data ? "an unaligned" : "no");
	give_back();
	return false;
}

/* Writes the addresses of copies of the texts into the record. */
static bool add_texts(const struct mspti_record *r, unsigned char *bytes)
{
	for (size_t i = 0; i < r->n_texts; i++) {
		char *copy = filling.n_texts < MAX_TEXTS ? strdup(r->texts[i]) : NULL;

		if (!copy)
			return false;
		filling.texts[filling.n_texts++] = copy;
		memcpy(bytes + r->offsets[i], &copy, sizeof copy);
	}
	return true;
}

/* Records are lost, with a line in the log, where there is no buffer or it cannot be used. */
static void add_to_buffer(const struct mspti_record *r)
{
	if (!filling.data && !request_buffer())
		return;
	unsigned char bytes[sizeof r->bytes];
	memcpy(bytes, r->bytes, r->size);
	if (filling.used + r->size > filling.size || !add_texts(r, bytes)) {
		standin_log("warning: no room for a record");
		return;
	}
	memcpy(filling.data + filling.used, bytes, r->size);
	filling.used += r->size;
	if (filling.used >= filling.size / 100 * FULL_PERCENT || filling.n_texts + 2 > MAX_TEXTS)
		give_back();
}

/* ---- the queue ---- */

static void append(struct entry *e)
{
	e->next = NULL;
	*mspti.last = e;
	mspti.last = &e->next;
}

/* Adds a record; every second one goes before the one ahead of it with the fault `reorder`. */
static void enqueue(struct mspti_record record)
{
	struct entry *e = malloc(sizeof *e), *held = NULL;

	if (!e)
		return;
	e->record = record;
	pthread_mutex_lock(&mspti.queuing);
	held = mspti.held_back;
	mspti.held_back = NULL;
	if (standin_find_fault(STANDIN_REORDER) && !held) {
		mspti.held_back = e;
	} else {
		append(e);
		if (held)
			append(held);
	}
	pthread_cond_signal(&mspti.queued);
	pthread_mutex_unlock(&mspti.queuing);
}

/* Takes all that is queued; `all`: what is held back, too. */
static struct entry *take(bool all)
{
	pthread_mutex_lock(&mspti.queuing);
	if (all && mspti.held_back) {
		append(mspti.held_back);
		mspti.held_back = NULL;
	}
	struct entry *first = mspti.first;
	mspti.first = NULL;
	mspti.last = &mspti.first;
	pthread_mutex_unlock(&mspti.queuing);
	return first;
}

/* The caller holds mspti.lock. */
static void deliver(bool all)
{
	struct entry *e = take(all);

	while (e) {
		struct entry *next = e->next;

		add_to_buffer(&e->record);
		free(e);
		e = next;
	}
}

static void *serve(void *user)
{
	(void)user;
	for (;;) {
		pthread_mutex_lock(&mspti.queuing);
		while (!mspti.first)
			pthread_cond_wait(&mspti.queued, &mspti.queuing);
		pthread_mutex_unlock(&mspti.queuing);
		pthread_mutex_lock(&mspti.lock);
		deliver(false);
		pthread_mutex_unlock(&mspti.lock);
	}
	return NULL;
}

/* ---- records ---- */

/* Time of the records' own clock. */
static int64_t drifted(int64_t ns)
{
	if (!standin_find_fault(STANDIN_DRIFT))
		return ns;
	if (!mspti.drift_from_ns)
		mspti.drift_from_ns = ns;
	ns += (int64_t)((double)(ns - mspti.drift_from_ns) * DRIFT);
	return mspti.kernels >= DRIFT_STEP_AT ? ns - DRIFT_STEP_NS : ns;
}

static void add_kernel(struct standin_record k, int64_t begin_ns, int64_t end_ns)
{
	const bool zero = standin_find_fault(STANDIN_ZERO) != NULL;

	k.begin_ns = zero ? 0 : drifted(begin_ns);
	/* The clock steps back while the kernel of that number runs. */
	mspti.kernels++;
	k.end_ns = zero ? 0 : drifted(end_ns);
	enqueue(mspti_record_kernel(&k));
}

static bool is_dropped(void)
{
	const struct standin_fault_set *f = standin_find_fault(STANDIN_DROP);
	static struct rng r;
	static bool seeded;

	if (!seeded)
		rng_init(&r, standin_get_control()->seed);
	seeded = true;
	return f && rng_uniform(&r) < f->share;
}

static void on_kernel(const struct standin_record *k)
{
	const struct standin_fault_set *rows = standin_find_fault(STANDIN_ROWS);
	const int64_t middle_ns = k->begin_ns + (k->end_ns - k->begin_ns) / 2;

	if (!mspti.enabled[MSPTI_KIND_KERNEL] || is_dropped() || (rows && rows->number == 0))
		return;
	if (!rows) {
		add_kernel(*k, k->begin_ns, k->end_ns);
		return;
	}
	add_kernel(*k, k->begin_ns, middle_ns);
	add_kernel(*k, middle_ns, k->end_ns);
}

static void on_transfer(const struct standin_transfer *t)
{
	struct standin_transfer copy = *t;

	if (!mspti.enabled[t->is_fill ? MSPTI_KIND_MEMSET : MSPTI_KIND_MEMCPY])
		return;
	copy.begin_ns = drifted(t->begin_ns);
	copy.end_ns = drifted(t->end_ns);
	enqueue(mspti_record_transfer(&copy));
}

static void on_launch(uint64_t correlation)
{
	for (size_t i = 0; i < pushed.n && mspti.enabled[MSPTI_KIND_EXTERNAL_CORRELATION]; i++)
		enqueue(mspti_record_external(pushed.kinds[i], pushed.ids[i], correlation));
}

/* Records a call under its function's own kind, and under that of all together. */
static void on_call(const struct standin_call *c)
{
	static const struct {
		const char *begin;
		uint32_t kind;
	} kinds[] = {{"aclnn", MSPTI_KIND_NODE_API},
		     {"acl", MSPTI_KIND_ACL_API},
		     {"rt", MSPTI_KIND_RUNTIME_API}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strncmp(c->name, kinds[i].begin, strlen(kinds[i].begin)) != 0)
			continue;
		if (mspti.enabled[kinds[i].kind])
			enqueue(mspti_record_call(kinds[i].kind, c));
		if (mspti.enabled[MSPTI_KIND_API])
			enqueue(mspti_record_call(MSPTI_KIND_API, c));
		return;
	}
}

static void on_mark(const struct standin_mark *m)
{
	if (mspti.enabled[MSPTI_KIND_MARKER])
		enqueue(mspti_record_mark(m));
}

static const struct standin_listener listener = {.kernel = on_kernel,
						 .transfer = on_transfer,
						 .launch = on_launch,
						 .call = on_call,
						 .mark = on_mark};

/* ---- calls ---- */

static unsigned enter(const char *name)
{
	return (unsigned)standin_enter(name, STANDIN_WHEN_LOST);
}

static unsigned leave(const char *name, unsigned code, unsigned long long argument)
{
	return (unsigned)standin_leave(name, (int)code, "%llu", argument);
}

static void unlock(void)
{
	if (mspti.alone >= 0)
		(void)close(mspti.alone);
	mspti.alone = -1;
}

/* Another subscriber of this process, or another process with one. */
static unsigned check_alone(void)
{
	if (mspti.subscriber)
		return MSPTI_SECOND_SUBSCRIBER;
	if (standin_lock_alone(&mspti.alone))
		return MSPTI_OK;
	unlock();
	return MSPTI_SECOND_SUBSCRIBER;
}

/* The callback is not called: it would be for functions that the program enables one by one. */
unsigned msptiSubscribe(struct msptiSubscriber_st **out, mspti_callback_fn *callback, void *user)
{
	unsigned code = enter(__func__);

	(void)callback, (void)user;
	code = code || out ? code : INVALID;
	code = code ? code : check_alone();
	if (!code)
		*out = mspti.subscriber = standin_new(STANDIN_SUBSCRIBER, sizeof **out);
	return leave(__func__, code, 0);
}

unsigned msptiUnsubscribe(struct msptiSubscriber_st *subscriber)
{
	unsigned code = enter(__func__);

	if (!code && (!subscriber || subscriber != mspti.subscriber))
		code = INVALID;
	if (!code) {
		standin_free(subscriber);
		mspti.subscriber = NULL;
		unlock();
	}
	return leave(__func__, code, 0);
}

static bool is_preloaded(void)
{
	const char *list = getenv("LD_PRELOAD");

	return list && strstr(list, "libmspti.so");
}

unsigned msptiActivityRegisterCallbacks(mspti_request_fn *requested, mspti_complete_fn *completed)
{
	unsigned code = enter(__func__);

	if (!code && (!requested || !completed))
		code = INVALID;
	if (!code) {
		request = requested;
		complete = completed;
	}
	return leave(__func__, code, 0);
}

static unsigned check_kind(unsigned kind)
{
	const bool needs = kind >= MSPTI_KIND_HCCL && kind <= MSPTI_KIND_MEMCPY;

	if (kind == 0 || kind >= MSPTI_N_KINDS)
		return INVALID;
	if ((needs || standin_find_fault(STANDIN_PRELOAD)) && !is_preloaded())
		return MSPTI_NOT_PRELOADED;
	return MSPTI_OK;
}

static void start_thread(void)
{
	pthread_t thread;

	if (mspti.thread_runs)
		return;
	mspti.thread_runs = thread_start(&thread, NULL, serve, NULL) == 0;
	if (mspti.thread_runs)
		pthread_detach(thread);
	standin_listener = &listener;
}

static unsigned enable_kind(const char *name, unsigned kind, bool enable)
{
	unsigned code = enter(name);

	code = code ? code : check_kind(kind);
	if (!code)
		mspti.enabled[kind] = enable;
	if (!code && enable)
		start_thread();
	return leave(name, code, kind);
}

unsigned msptiActivityEnable(unsigned kind)
{
	return enable_kind(__func__, kind, true);
}

unsigned msptiActivityDisable(unsigned kind)
{
	return enable_kind(__func__, kind, false);
}

unsigned msptiActivityFlushAll(uint32_t flag)
{
	const unsigned code = leave(__func__, enter(__func__), flag);

	if (code)
		return code;
	pthread_mutex_lock(&mspti.lock);
	deliver(true);
	give_back();
	pthread_mutex_unlock(&mspti.lock);
	return MSPTI_OK;
}

unsigned msptiActivityPushExternalCorrelationId(unsigned kind, uint64_t id)
{
	unsigned code = enter(__func__);

	if (!code && pushed.n == MAX_EXTERNAL)
		code = INVALID;
	if (!code) {
		pushed.kinds[pushed.n] = kind;
		pushed.ids[pushed.n++] = id;
	}
	return leave(__func__, code, id);
}

unsigned msptiActivityPopExternalCorrelationId(unsigned kind, uint64_t *last)
{
	unsigned code = enter(__func__);

	if (!code && (pushed.n == 0 || pushed.kinds[pushed.n - 1] != kind))
		code = QUEUE_EMPTY;
	if (!code) {
		pushed.n--;
		if (last)
			*last = pushed.ids[pushed.n];
	}
	return leave(__func__, code, kind);
}

/* Next record behind a position, which is the thread's, over all buffers. */
static unsigned next_record(uint8_t *buffer, size_t used, void **record)
{
	static __thread size_t position;
	uint32_t kind;

	if (!buffer || !record)
		return INVALID;
	if (position >= used) {
		position = 0;
		return MSPTI_END_OF_BUFFER;
	}
	memcpy(&kind, buffer + position, sizeof kind);
	if (mspti_record_size(kind) == 0)
		return MSPTI_BROKEN_BUFFER;
	*record = buffer + position;
	position += mspti_record_size(kind);
	return MSPTI_OK;
}

unsigned msptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record)
{
	unsigned code = enter(__func__);

	code = code ? code : next_record(buffer, used, record);
	return leave(__func__, code, used);
}
