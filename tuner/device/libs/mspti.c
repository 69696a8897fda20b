#include "tuner/device/libs/mspti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/array.h"
#include "tuner/base/units.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/libs/mspti_abi.h"
#include "tuner/device/libs/work.h"

/* Time for records that are late: much until some were complete, then by how late these were. */
enum {
	LATE_UNKNOWN_NS = 200000000,
	LATE_LEAST_NS = 2500000,
	LATE_STEP_NS = 500000,
	LATE_FACTOR = 4
};

struct mspti {
#define X(member, symbol, result, parameters) result(*member) parameters;
	MSPTI_LIST(X)
#undef X
};

static struct mspti mspti;

const struct library_symbol mspti_symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, offsetof(struct mspti, member), false},
	MSPTI_LIST(X)
#undef X
		{0}};

static const char *const files[] = {"libmspti.so", NULL};
static struct library library = {
	.files = files, .toolkit = &toolkit_cann, .symbols = mspti_symbols, .table = &mspti};

/* ---- records ---- */

struct record_list {
	struct mspti_kernel *kernels;
	struct mspti_link *links;
	struct work *work; /* all of it, in place of kernels, while it is watched */
	size_t n_kernels, n_links, n_work, kernel_capacity, link_capacity, work_capacity;
};

/* Records collected so far. Buffers come back on a thread of the library, or on the caller's inside
 * a flush; a record that is not kept is counted. */
static struct {
	pthread_mutex_t lock;
	struct record_list list, taken;
	size_t lost;
	bool watched;            /* all work is kept, in place of kernels alone */
	uint64_t latest, before; /* largest correlation of all records; of those before the watch */
	bool transfers;          /* records of copies and fills are enabled */
	bool marks;              /* the begin of the watch is marked */
	bool broken;             /* where the library's cursor stands is unknown */
	struct msptiSubscriber_st *subscriber;
	bool calls; /* records of calls are enabled, which are not kept */
	bool ends;  /* mspti_stop() is called when the process ends */
} collected = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t read_u64(const uint8_t *record, size_t at)
{
	uint64_t v;

	memcpy(&v, record + at, sizeof v);
	return v;
}

static uint32_t read_u32(const uint8_t *record, size_t at)
{
	uint32_t v;

	memcpy(&v, record + at, sizeof v);
	return v;
}

/* Reads a record of a kernel, a copy or a fill of which `room` bytes are there; false: it is none.
 */
static bool parse_work(const uint8_t *record, size_t room, struct work *out)
{
	const uint32_t kind = read_u32(record, MSPTI_AT_KIND);
	const char *name;

	if (kind == MSPTI_KIND_KERNEL && room >= MSPTI_KERNEL_BYTES) {
		*out = (struct work){.kind = WORK_KERNEL,
				     .start = read_u64(record, MSPTI_AT_START),
				     .end = read_u64(record, MSPTI_AT_END),
				     .correlation = read_u64(record, MSPTI_AT_CORRELATION)};
		memcpy(&name, record + MSPTI_AT_NAME, sizeof name);
		work_set_name(out, name);
		return true;
	}
	if ((kind != MSPTI_KIND_MEMCPY && kind != MSPTI_KIND_MEMSET) || room < MSPTI_TRANSFER_BYTES)
		return false;
	*out = (struct work){.kind = kind == MSPTI_KIND_MEMCPY ? WORK_COPY : WORK_FILL,
			     .start = read_u64(record, MSPTI_AT_TRANSFER_START),
			     .end = read_u64(record, MSPTI_AT_TRANSFER_END),
			     .correlation = read_u64(record, MSPTI_AT_TRANSFER_CORRELATION),
			     .bytes = read_u64(record, MSPTI_AT_TRANSFER_BYTES)};
	return true;
}

/* Correlation of the call that a record comes from; 0: its kind has none, or it does not fit. */
static uint64_t read_correlation(const uint8_t *record, size_t room)
{
	static const struct {
		uint32_t kind;
		size_t at, bytes;
	} kinds[] = {{MSPTI_KIND_KERNEL, MSPTI_AT_CORRELATION, MSPTI_KERNEL_BYTES},
		     {MSPTI_KIND_EXTERNAL_CORRELATION, MSPTI_AT_EXTERNAL_CORRELATION,
		      MSPTI_EXTERNAL_BYTES},
		     {MSPTI_KIND_MEMCPY, MSPTI_AT_TRANSFER_CORRELATION, MSPTI_TRANSFER_BYTES},
		     {MSPTI_KIND_MEMSET, MSPTI_AT_TRANSFER_CORRELATION, MSPTI_TRANSFER_BYTES}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (room >= kinds[i].bytes && read_u32(record, MSPTI_AT_KIND) == kinds[i].kind)
			return read_u64(record, kinds[i].at);
	return 0;
}

/* Copies a record out of a buffer that ends `room` bytes behind its begin; one of another kind, or
 * that does not fit, is passed over. */
static void collect(const uint8_t *record, size_t room)
{
	const uint32_t kind = room >= sizeof kind ? read_u32(record, MSPTI_AT_KIND) : 0;
	struct record_list *l = &collected.list;
	const uint64_t correlation = read_correlation(record, room);
	struct work work;

	if (correlation > collected.latest)
		collected.latest = correlation;
	if (collected.watched && room >= sizeof kind && parse_work(record, room, &work)) {
		if (array_room(&l->work, l->n_work, &l->work_capacity, sizeof work))
			l->work[l->n_work++] = work;
		else
			collected.lost++;
	} else if (kind == MSPTI_KIND_KERNEL && room >= MSPTI_KERNEL_BYTES) {
		if (array_room(&l->kernels, l->n_kernels, &l->kernel_capacity, sizeof *l->kernels))
			l->kernels[l->n_kernels++] = (struct mspti_kernel){
				.start = read_u64(record, MSPTI_AT_START),
				.end = read_u64(record, MSPTI_AT_END),
				.correlation = read_u64(record, MSPTI_AT_CORRELATION)};
		else
			collected.lost++;
	} else if (kind == MSPTI_KIND_EXTERNAL_CORRELATION && room >= MSPTI_EXTERNAL_BYTES) {
		/* Other profilers push numbers of kinds of their own. */
		if (read_u32(record, MSPTI_AT_EXTERNAL_KIND) != MSPTI_EXTERNAL_CUSTOM)
			return;
		if (array_room(&l->links, l->n_links, &l->link_capacity, sizeof *l->links))
			l->links[l->n_links++] = (struct mspti_link){
				.correlation = read_u64(record, MSPTI_AT_EXTERNAL_CORRELATION),
				.number = read_u64(record, MSPTI_AT_EXTERNAL_ID)};
		else
			collected.lost++;
	}
}

/* Gives the library a buffer. Without memory it drops records, and does not count them. */
static void buffer_requested(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	*buffer = aligned_alloc(MSPTI_BUFFER_ALIGN, MSPTI_BUFFER_BYTES);
	*bytes = *buffer ? MSPTI_BUFFER_BYTES : 0;
	*max_records = 0; /* no limit but the size */
}

/* Walks a buffer to its end: the library's cursor belongs to the thread and stands in the middle of
 * the next buffer otherwise, as it does after a record of an unknown kind. */
static void buffer_completed(uint8_t *buffer, size_t bytes, size_t used)
{
	void *record = NULL;
	unsigned rc = MSPTI_END_OF_BUFFER;

	(void)pthread_mutex_lock(&collected.lock);
	used = used < bytes ? used : bytes;
	if (used > 0 && !collected.broken)
		while ((rc = mspti.next(buffer, used, &record)) == MSPTI_OK)
			collect(record, used - (size_t)((uint8_t *)record - buffer));
	collected.broken |= rc != MSPTI_END_OF_BUFFER;
	(void)pthread_mutex_unlock(&collected.lock);
	free(buffer);
}

/* ---- collecting ---- */

/* Makes `failure` of a code without words of its own. */
static enum asc_status check(unsigned rc, const char *what, enum asc_status failure,
			     struct asc_err *e)
{
	static const struct {
		unsigned rc;
		const char *words;
	} known[] = {{MSPTI_SECOND_SUBSCRIBER, "another profiler is at work"},
		     {MSPTI_NOT_PRELOADED, "LD_PRELOAD has no libmspti.so, which this version "
					   "needs"}};

	if (rc == MSPTI_OK)
		return ASC_OK;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].rc == rc)
			return asc_err_set(e, ASC_ABSENT, "%s: %s (%u)", what, known[i].words, rc);
	return asc_err_set(e, failure, "%s: error %u", what, rc);
}

/* Callbacks are not enabled, but subscribing takes a function. */
static void ignore_callback(void *user, unsigned domain, uint32_t id, const void *data)
{
	(void)user, (void)domain, (void)id, (void)data;
}

enum asc_status mspti_start(struct asc_err *e)
{
	if (collected.subscriber)
		return ASC_OK;
	if (library_once(&library, e) ||
	    check(mspti.subscribe(&collected.subscriber, ignore_callback, NULL), "msptiSubscribe",
		  ASC_ABSENT, e))
		return e->status;
	if (!collected.ends)
		collected.ends = atexit(mspti_stop) == 0;
	if (check(mspti.callbacks(buffer_requested, buffer_completed),
		  "msptiActivityRegisterCallbacks", ASC_ABSENT, e) ||
	    check(mspti.enable(MSPTI_KIND_KERNEL), "msptiActivityEnable", ASC_ABSENT, e) ||
	    check(mspti.enable(MSPTI_KIND_EXTERNAL_CORRELATION), "msptiActivityEnable", ASC_ABSENT,
		  e))
		mspti_stop();
	return collected.subscriber ? ASC_OK : e->status;
}

bool mspti_enable_calls(void)
{
	const bool first = !collected.calls;

	collected.calls = true;
	return first && mspti.enable(MSPTI_KIND_API) == MSPTI_OK;
}

void mspti_stop(void)
{
	if (!collected.subscriber)
		return;
	if (collected.calls)
		(void)mspti.disable(MSPTI_KIND_API);
	collected.calls = false;
	(void)mspti.disable(MSPTI_KIND_EXTERNAL_CORRELATION);
	(void)mspti.disable(MSPTI_KIND_KERNEL);
	(void)mspti.unsubscribe(collected.subscriber);
	collected.subscriber = NULL;
}

void mspti_abandon(void)
{
	collected.subscriber = NULL;
}

bool mspti_check(char *reason, size_t size)
{
	struct asc_err e;

	const bool begun = collected.subscriber != NULL;

	if (mspti_start(&e) == ASC_OK) {
		if (!begun)
			mspti_stop();
		return true;
	}
	(void)snprintf(reason, size, "%s", e.text);
	return false;
}

enum asc_status mspti_push(uint64_t number, struct asc_err *e)
{
	return check(mspti.push(MSPTI_EXTERNAL_CUSTOM, number),
		     "msptiActivityPushExternalCorrelationId", ASC_IO, e);
}

enum asc_status mspti_pop(struct asc_err *e)
{
	uint64_t last;

	return check(mspti.pop(MSPTI_EXTERNAL_CUSTOM, &last),
		     "msptiActivityPopExternalCorrelationId", ASC_IO, e);
}

static int compare_links(const void *a, const void *b)
{
	const struct mspti_link *x = a, *y = b;

	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* Begin of a launch among the records of a watch. */
struct watch_begin {
	uint64_t since; /* correlation from which on work is the launch's; 0: any */
	bool marked;    /* the mark's record is there */
};

/* Finds it behind the mark; without a record of that, at this thread's first call with the number:
 * then work that others asked for before is not known from that of before the watch. */
static struct watch_begin find_begin(const struct record_list *l, uint64_t number)
{
	struct watch_begin b = {0};

	for (size_t i = 0; i < l->n_work; i++) {
		const struct work *w = &l->work[i];

		if (w->kind != WORK_FILL || w->bytes != MSPTI_MARK_BYTES ||
		    w->correlation <= collected.before || (b.marked && w->correlation >= b.since))
			continue;
		b = (struct watch_begin){w->correlation + 1, true};
	}
	for (size_t i = 0; i < l->n_links && !b.marked; i++)
		if (l->links[i].number >= number &&
		    (b.since == 0 || l->links[i].correlation < b.since))
			b.since = l->links[i].correlation;
	return b;
}

/* True for work of a launch. Only calls that launch kernels have numbers: where nothing marks the
 * begin, a fill may come before. Records of kernels of before the watch may be late, those of
 * copies and fills were not made. */
static bool is_watched(const struct work *w, const struct watch_begin *b)
{
	return w->correlation >= b->since ||
	       (!b->marked && w->kind != WORK_KERNEL && w->correlation > collected.before);
}

/* Counts the work of a launch, once its mark is there, where there is to be one. */
static bool has_work(uint64_t number, size_t expected)
{
	const struct watch_begin b = find_begin(&collected.list, number);
	size_t work = 0;

	for (size_t i = 0; i < collected.list.n_work; i++)
		work += is_watched(&collected.list.work[i], &b);
	return work >= expected && (b.marked || !collected.marks);
}

/* Counts links of numbers from `first` on, and kernels launched since the first of these calls. */
static bool has_launches(uint64_t first, size_t expected)
{
	const struct record_list *l = &collected.list;
	uint64_t since = UINT64_MAX;
	size_t links = 0, kernels = 0;

	for (size_t i = 0; i < l->n_links; i++) {
		if (l->links[i].number < first)
			continue;
		links++;
		since = l->links[i].correlation < since ? l->links[i].correlation : since;
	}
	for (size_t i = 0; i < l->n_kernels; i++)
		kernels += l->kernels[i].correlation >= since;
	return links >= expected && kernels >= expected;
}

static bool has_records(uint64_t first, size_t expected)
{
	(void)pthread_mutex_lock(&collected.lock);
	const bool has =
		collected.watched ? has_work(first, expected) : has_launches(first, expected);
	(void)pthread_mutex_unlock(&collected.lock);
	return has;
}

/* Brings in what the library has, again and again until it is complete or too late. */
static enum asc_status flush(uint64_t first, size_t expected, struct asc_err *e)
{
	static int64_t longest_ns; /* that complete records were late; 0: none were yet */
	const int64_t start = clock_now_ns();
	const int64_t most = longest_ns == 0 ? LATE_UNKNOWN_NS : LATE_FACTOR * longest_ns;
	const struct timespec pause = {.tv_nsec = LATE_STEP_NS};
	int64_t late = 0;

	for (; late < most; late = clock_now_ns() - start) {
		if (check(mspti.flush(1), "msptiActivityFlushAll", ASC_IO, e))
			return e->status;
		if (has_records(first, expected))
			break;
		(void)nanosleep(&pause, NULL);
	}
	/* The wait of later batches follows how late complete records have been so far. */
	if (expected > 0 && late < most && longest_ns < late + LATE_LEAST_NS)
		longest_ns = late + LATE_LEAST_NS;
	return ASC_OK;
}

enum asc_status mspti_take(struct mspti_records *out, uint64_t first, size_t expected,
			   struct asc_err *e)
{
	*out = (struct mspti_records){0};
	/* Without a subscription there are no records, as before the first launch. */
	if (!collected.subscriber)
		return ASC_OK;
	if (flush(first, expected, e))
		return e->status;
	/* The list is handed out, and the one that was taken before is filled next: records may
	 * come while the caller reads. */
	(void)pthread_mutex_lock(&collected.lock);
	const struct record_list now = collected.list;
	const size_t lost = collected.lost;
	const bool broken = collected.broken;

	collected.list = collected.taken;
	collected.list.n_kernels = collected.list.n_links = collected.list.n_work = 0;
	collected.taken = now;
	collected.lost = 0;
	(void)pthread_mutex_unlock(&collected.lock);
	if (broken)
		return asc_err_set(e, ASC_IO,
				   "MSPTI hands out a record of a kind that it does not "
				   "know itself: no time is known from there on");
	if (lost > 0)
		return asc_err_set(e, ASC_NOMEM, "no memory for %zu records of MSPTI", lost);
	const struct record_list *l = &collected.taken;

	if (l->n_links > 0)
		qsort(l->links, l->n_links, sizeof *l->links, compare_links);
	*out = (struct mspti_records){l->kernels, l->links, l->n_kernels, l->n_links};
	return ASC_OK;
}

/* ---- all work ---- */

/* Enables or disables records of copies and fills; without them a launch is its kernels. */
static void record_transfers(bool record)
{
	static const unsigned kinds[] = {MSPTI_KIND_MEMCPY, MSPTI_KIND_MEMSET};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && record; i++)
		collected.transfers |= mspti.enable(kinds[i]) == MSPTI_OK;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !record && collected.transfers; i++)
		(void)mspti.disable(kinds[i]);
	collected.transfers &= record;
}

enum asc_status mspti_watch(uint64_t number, mspti_mark_fn *mark, void *user, struct asc_err *e)
{
	struct mspti_records before;

	if (mspti_take(&before, 0, 0, e))
		return e->status;
	record_transfers(true);
	(void)pthread_mutex_lock(&collected.lock);
	collected.watched = true;
	collected.marks = collected.transfers && mark;
	collected.before = collected.latest;
	(void)pthread_mutex_unlock(&collected.lock);
	/* Without the number: where a runtime fills by a kernel, it is none of the launch's. */
	if (collected.marks && mark(user, e))
		return e->status;
	return mspti_push(number, e);
}

enum asc_status mspti_watched(uint64_t number, size_t expected, const struct work **list, size_t *n,
			      struct asc_err *e)
{
	struct mspti_records r = {0};
	struct asc_err second;

	*n = 0;
	enum asc_status s = mspti_pop(e);

	if (mspti_take(&r, number, expected > 0 ? expected : SIZE_MAX, s ? &second : e) && !s)
		s = e->status;
	record_transfers(false);
	(void)pthread_mutex_lock(&collected.lock);
	collected.watched = false;
	(void)pthread_mutex_unlock(&collected.lock);
	struct record_list *const l = &collected.taken;
	const struct watch_begin begin = find_begin(l, number);

	for (size_t i = 0; i < l->n_work && !s; i++)
		if (is_watched(&l->work[i], &begin))
			l->work[(*n)++] = l->work[i];
	*list = l->work;
	return s;
}

/* ---- launches ---- */

void mspti_add_up(const struct mspti_records *r, uint64_t first, struct mspti_launch *launches,
		  size_t n)
{
	memset(launches, 0, n * sizeof *launches);
	for (size_t i = 0; i < r->n_kernels && r->n_links > 0; i++) {
		const struct mspti_link key = {.correlation = r->kernels[i].correlation};
		const struct mspti_link *link =
			bsearch(&key, r->links, r->n_links, sizeof key, compare_links);

		/* Records of earlier batches may be late; those of this one have its numbers. */
		if (!link || link->number < first || link->number - first >= n)
			continue;
		const struct mspti_kernel *k = &r->kernels[i];
		struct mspti_launch *l = &launches[link->number - first];
		const bool is_first = l->n_kernels++ == 0;

		/* A kernel that was not timed, or a clock that jumped: the launch has no time. */
		l->broken |= k->end == 0 || k->end < k->start || k->end - k->start > INT64_MAX / 2;
		l->start = is_first || k->start < l->start ? k->start : l->start;
		l->end = is_first || k->end > l->end ? k->end : l->end;
		l->broken |= l->end < l->start || l->end - l->start > INT64_MAX / 2;
		if (!l->broken)
			l->sum_ns += (int64_t)(k->end - k->start);
	}
}

/* ---- ranges ---- */

struct mstx {
#define X(member, symbol, result, parameters) result(*member) parameters;
	MSTX_LIST(X)
#undef X
};

static struct mstx mstx;
static uint64_t range; /* 0: none is open */

const struct library_symbol mstx_symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, offsetof(struct mstx, member), false},
	MSTX_LIST(X)
#undef X
		{0}};

static const char *const mstx_files[] = {"libms_tools_ext.so", NULL};
static struct library mstx_library = {
	.files = mstx_files, .toolkit = &toolkit_cann, .symbols = mstx_symbols, .table = &mstx};

void mstx_end(void)
{
	if (range)
		mstx.range_end(range);
	range = 0;
}

void mstx_begin(const char *message)
{
	struct asc_err e;

	mstx_end();
	if (library_once(&mstx_library, &e) == ASC_OK)
		range = mstx.range_start(message, NULL);
}
