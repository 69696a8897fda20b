/* libmspti.so of the stand-in. Kernels are queued here with the core's lock held; a thread of the
 * library, or the caller of a flush, makes records of them. */
#include "tuner/standin/standin_mspti.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tuner/base/rng.h"
#include "tuner/base/thread.h"
#include "tuner/base/units.h"
#include "tuner/standin/standin_core.h"
#include "tuner/standin/standin_listener.h"
#include "tuner/standin/standin_mspti_buffer.h"

enum { N_KINDS = 13, MAX_EXTERNAL = 64, INVALID = 1, DRIFT_STEP_AT = 50 };

/* Marker records. */
enum {
	AT_FLAG = 4,
	AT_SOURCE = 8,
	AT_MARK_TIME = 12,
	AT_MARK_ID = 20,
	AT_PROCESS = 28,
	AT_THREAD = 32,
	AT_MARK_NAME = 36,
	AT_MARK_DOMAIN = 44,
	MARKER_BYTES = 56
};

#define DRIFT         50e-6
#define DRIFT_STEP_NS INT64_C(1000000)

struct entry {
	struct entry *next;
	struct mspti_record record;
};

static struct {
	pthread_mutex_t lock;    /* of all but the queue: held while callbacks run */
	pthread_mutex_t queuing; /* of the queue */
	pthread_cond_t queued;
	struct entry *first, **last, *held_back;
	bool enabled[N_KINDS], thread_runs;
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

/* ---- the queue ---- */

static void append(struct entry *e)
{
	e->next = NULL;
	*mspti.last = e;
	mspti.last = &e->next;
}

/* Adds a record; every second one goes before the one ahead of it with the fault `reorder`. */
static void enqueue(const struct mspti_record *r)
{
	struct entry *e = malloc(sizeof *e), *held = NULL;

	if (!e)
		return;
	e->record = *r;
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

		mspti_buffer_add(&e->record);
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

static void put(struct mspti_record *r, size_t at, const void *value, size_t n)
{
	memcpy(r->bytes + at, value, n);
}

static void put_text(struct mspti_record *r, size_t at, const char *text)
{
	r->offsets[r->n_texts] = at;
	strncpy(r->texts[r->n_texts], text, sizeof r->texts[0] - 1);
	r->n_texts++;
}

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

static void put_kernel(const struct standin_record *k, int64_t begin_ns, int64_t end_ns)
{
	const uint32_t kind = MSPTI_KIND_KERNEL, device = (uint32_t)k->device,
		       stream = (uint32_t)k->stream;
	struct mspti_record r = {.size = MSPTI_KERNEL_BYTES};
	const bool zero = standin_find_fault(STANDIN_ZERO) != NULL;
	const int64_t start = zero ? 0 : drifted(begin_ns);

	/* The clock steps back while the kernel of that number runs. */
	mspti.kernels++;
	const int64_t end = zero ? 0 : drifted(end_ns);
	put(&r, MSPTI_AT_KIND, &kind, sizeof kind);
	put(&r, MSPTI_AT_START, &start, sizeof start);
	put(&r, MSPTI_AT_END, &end, sizeof end);
	put(&r, MSPTI_AT_DEVICE, &device, sizeof device);
	put(&r, MSPTI_AT_STREAM, &stream, sizeof stream);
	put(&r, MSPTI_AT_CORRELATION, &k->correlation, sizeof k->correlation);
	put_text(&r, MSPTI_AT_TYPE, k->type);
	put_text(&r, MSPTI_AT_NAME, k->name);
	enqueue(&r);
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
		put_kernel(k, k->begin_ns, k->end_ns);
		return;
	}
	put_kernel(k, k->begin_ns, middle_ns);
	put_kernel(k, middle_ns, k->end_ns);
}

static void on_launch(uint64_t correlation)
{
	const uint32_t kind = MSPTI_KIND_EXTERNAL_CORRELATION;

	for (size_t i = 0; i < pushed.n && mspti.enabled[kind]; i++) {
		struct mspti_record r = {.size = MSPTI_EXTERNAL_BYTES};
		const uint32_t of = pushed.kinds[i];

		put(&r, MSPTI_AT_KIND, &kind, sizeof kind);
		put(&r, MSPTI_AT_EXTERNAL_KIND, &of, sizeof of);
		put(&r, MSPTI_AT_EXTERNAL_ID, &pushed.ids[i], sizeof pushed.ids[i]);
		put(&r, MSPTI_AT_EXTERNAL_CORRELATION, &correlation, sizeof correlation);
		enqueue(&r);
	}
}

static void on_mark(const struct standin_mark *m)
{
	const uint32_t kind = MSPTI_KIND_MARKER, process = (uint32_t)getpid(),
		       thread = (uint32_t)syscall(SYS_gettid);
	struct mspti_record r = {.size = MARKER_BYTES};

	if (!mspti.enabled[kind])
		return;
	put(&r, MSPTI_AT_KIND, &kind, sizeof kind);
	put(&r, AT_FLAG, &m->flag, sizeof m->flag);
	put(&r, AT_MARK_TIME, &m->at_ns, sizeof m->at_ns);
	put(&r, AT_MARK_ID, &m->id, sizeof m->id);
	put(&r, AT_PROCESS, &process, sizeof process);
	put(&r, AT_THREAD, &thread, sizeof thread);
	put_text(&r, AT_MARK_NAME, m->message);
	put_text(&r, AT_MARK_DOMAIN, "default");
	enqueue(&r);
}

static const struct standin_listener listener = {
	.kernel = on_kernel, .launch = on_launch, .mark = on_mark};

/* ---- calls ---- */

static void unlock(void)
{
	if (mspti.alone >= 0)
		(void)close(mspti.alone);
	mspti.alone = -1;
}

unsigned msptiSubscribe(struct msptiSubscriber_st **out, mspti_callback_fn *callback, void *user)
{
	unsigned code = MSPTI_OK;

	(void)callback;
	(void)user;
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	if (!out)
		code = INVALID;
	else if (mspti.subscriber || !standin_lock_alone(&mspti.alone))
		code = MSPTI_SECOND_SUBSCRIBER;
	else
		*out = mspti.subscriber = standin_new(STANDIN_SUBSCRIBER, sizeof **out);
	if (code == MSPTI_SECOND_SUBSCRIBER && !mspti.subscriber)
		unlock();
	return (unsigned)standin_leave(__func__, (int)code, "%s", "");
}

unsigned msptiUnsubscribe(struct msptiSubscriber_st *subscriber)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	const unsigned code = subscriber && subscriber == mspti.subscriber ? MSPTI_OK : INVALID;

	if (code == MSPTI_OK) {
		standin_free(subscriber);
		mspti.subscriber = NULL;
		unlock();
	}
	return (unsigned)standin_leave(__func__, (int)code, "%s", "");
}

unsigned msptiActivityRegisterCallbacks(mspti_request_fn *requested, mspti_complete_fn *completed)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	const unsigned code = requested && completed ? MSPTI_OK : INVALID;

	if (code == MSPTI_OK)
		mspti_buffer_set(requested, completed);
	return (unsigned)standin_leave(__func__, (int)code, "%s", "");
}

static bool is_preloaded(void)
{
	const char *list = getenv("LD_PRELOAD");

	return list && strstr(list, "libmspti.so");
}

static unsigned check_kind(unsigned kind)
{
	const bool needs = kind >= MSPTI_KIND_HCCL && kind <= MSPTI_KIND_MEMCPY;

	if (kind == 0 || kind >= N_KINDS)
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
	standin_listeners[STANDIN_MSPTI] = &listener;
}

unsigned msptiActivityEnable(unsigned kind)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	const unsigned code = check_kind(kind);

	if (code == MSPTI_OK) {
		mspti.enabled[kind] = true;
		start_thread();
	}
	return (unsigned)standin_leave(__func__, (int)code, "%u", kind);
}

unsigned msptiActivityDisable(unsigned kind)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	const unsigned code = check_kind(kind);

	if (code == MSPTI_OK)
		mspti.enabled[kind] = false;
	return (unsigned)standin_leave(__func__, (int)code, "%u", kind);
}

bool msptiActivityIsEnabled(unsigned kind)
{
	return kind < N_KINDS && mspti.enabled[kind];
}

unsigned msptiActivityFlushPeriod(uint32_t ms)
{
	(void)ms;
	return MSPTI_OK;
}

unsigned msptiActivityFlushAll(uint32_t flag)
{
	(void)standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	(void)standin_leave(__func__, STANDIN_OK, "%u", flag);
	pthread_mutex_lock(&mspti.lock);
	deliver(true);
	mspti_buffer_give_back();
	pthread_mutex_unlock(&mspti.lock);
	return MSPTI_OK;
}

unsigned msptiActivityPushExternalCorrelationId(unsigned kind, uint64_t id)
{
	if (pushed.n == MAX_EXTERNAL)
		return INVALID;
	pushed.kinds[pushed.n] = kind;
	pushed.ids[pushed.n++] = id;
	return MSPTI_OK;
}

unsigned msptiActivityPopExternalCorrelationId(unsigned kind, uint64_t *last)
{
	enum { QUEUE_EMPTY = 5 };

	if (pushed.n == 0 || pushed.kinds[pushed.n - 1] != kind)
		return QUEUE_EMPTY;
	pushed.n--;
	if (last)
		*last = pushed.ids[pushed.n];
	return MSPTI_OK;
}

/* Size of a record of a kind; 0: there is no such kind. */
static size_t record_size(uint32_t kind)
{
	static const size_t sizes[N_KINDS] = {
		[1] = 56, [2] = 56, [3] = 48, [4] = 56,  [5] = 64,  [6] = 56,
		[7] = 56, [8] = 24, [9] = 72, [10] = 48, [11] = 48, [12] = 48};

	return kind < N_KINDS ? sizes[kind] : 0;
}

unsigned msptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record)
{
	static __thread size_t position; /* of all buffers */
	uint32_t kind;

	if (!buffer || !record)
		return INVALID;
	if (position >= used) {
		position = 0;
		return MSPTI_END_OF_BUFFER;
	}
	memcpy(&kind, buffer + position, sizeof kind);
	if (record_size(kind) == 0)
		return MSPTI_BROKEN_BUFFER;
	*record = buffer + position;
	position += record_size(kind);
	return MSPTI_OK;
}
