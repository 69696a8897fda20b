#include "tuner/device/libs/cupti.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/device/libs/cupti_abi.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/libs/work.h"

/* Versions of the interface: 22 is that of CUDA 12.4; from 13.0 on the version is the toolkit's,
 * 130000. */
enum { OLDEST = 22, NEWEST = 139999, SPARES = 4, FIRST_CAPACITY = 256 };

/* CUDA 12.6: with an older one, a process that has graphs dies when CUPTI comes back a second time
 * (PyTorch, pull request 146604). */
enum { OLDEST_LEAVES = 24 };

/* Three hundred records: CUPTI writes all of a new buffer within the launch that needs it, which
 * takes 55 us per MB there (H200, CUDA 13). */
enum { BUFFER_BYTES = 64 << 10 };

#define NAME(symbol)    NAME_OF(symbol)
#define NAME_OF(symbol) #symbol

static const struct library_symbol symbols[] = {
#define X(member, symbol, parameters) {#symbol, offsetof(struct cupti, member), false},
	CUPTI_LIST(X)
#undef X
		{NAME(CUPTI_NEXT), offsetof(struct cupti, next), false},
	{CUPTI_NEWER, offsetof(struct cupti, newer), true},
#define X(member, symbol, there, bytes) {#symbol, offsetof(struct cupti, member), true},
	CUPTI_RANGE_LIST(X)
#undef X
		{0}};

static const char *const files[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};

static struct cupti cupti;

/* Records collected so far. CUPTI hands buffers back on a thread of its own, or on the caller's
 * inside a flush. */
static struct {
	pthread_mutex_t lock;
	struct cupti_kernel *list;
	size_t n, capacity, lost;
	bool started;
	struct cupti_kernel *taken; /* records that the last caller borrows */
	size_t taken_capacity;
	bool watched;             /* all work is collected, in `work`, in place of kernels alone */
	struct work *work, *seen; /* seen: what the last caller borrows */
	size_t n_work, work_capacity, seen_capacity;
	uint8_t *spare[SPARES]; /* buffers that came back: new ones would be mapped page by page */
	size_t n_spare;
} collected = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum asc_status begin(struct asc_err *e)
{
	uint32_t version = 0;

	/* Not called without a driver: those of CUDA 13.2 die in cuptiGetVersion then, and newer
	 * ones answer everything with an error. */
	if (cupti.newer && !dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))
		return asc_err_set(e, ASC_ABSENT,
				   "libcupti of CUDA 13.2 or newer works with a driver only: no "
				   "libcuda.so.1");
	(void)cupti.version(&version);
	if (version >= OLDEST && version <= NEWEST)
		return ASC_OK;
	return asc_err_set(e, ASC_ABSENT,
			   "libcupti has version %u, whose records are not known here: "
			   "expected %d (CUDA 12.4) to %d",
			   version, OLDEST, NEWEST);
}

static struct library library = {.variable = "ASCTUNE_CUPTI",
				 .loaded = "libcupti",
				 .files = files,
				 .toolkit = &toolkit_cuda,
				 .symbols = symbols,
				 .table = &cupti,
				 .begin = begin};

enum asc_status cupti_get(const struct cupti **out, struct asc_err *e)
{
	*out = &cupti;
	return library_once(&library, e);
}

bool cupti_check(char *reason, size_t size)
{
	return library_check(&library, reason, size);
}

/* ---- records ---- */

void cupti_kernel_parse(const void *record, struct cupti_kernel *out)
{
	const char *at = record;

	memcpy(&out->start, at + CUPTI_AT_START, sizeof out->start);
	memcpy(&out->end, at + CUPTI_AT_END, sizeof out->end);
	memcpy(&out->correlation, at + CUPTI_AT_CORRELATION, sizeof out->correlation);
}

enum asc_status cupti_find_span(const struct cupti_kernel *kernels, size_t n, int64_t *ns,
				struct asc_err *e)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct cupti_kernel *k = &kernels[i];

		/* A time of 0 would make the kernel the fastest of all. */
		if (k->end == 0)
			return asc_err_set(e, ASC_IO, "CUPTI did not time a launch");
		if (k->end < k->start)
			return asc_err_set(e, ASC_IO,
					   "CUPTI timed a launch from %" PRIu64 " ns to %" PRIu64
					   " ns",
					   k->start, k->end);
		start = k->start < start ? k->start : start;
		end = k->end > end ? k->end : end;
	}
	if (end - start > INT64_MAX)
		return asc_err_set(e, ASC_IO,
				   "CUPTI timed launches from %" PRIu64 " ns to %" PRIu64 " ns",
				   start, end);
	*ns = (int64_t)(end - start);
	return ASC_OK;
}

static bool reserve(struct cupti_kernel **list, size_t *capacity, size_t n)
{
	size_t wanted = *capacity ? *capacity : FIRST_CAPACITY;

	while (wanted < n)
		wanted *= 2;
	if (wanted == *capacity)
		return true;
	struct cupti_kernel *grown = realloc(*list, wanted * sizeof **list);
	if (!grown)
		return false;
	*list = grown;
	*capacity = wanted;
	return true;
}

bool cupti_work_parse(const void *record, struct work *out)
{
	const char *at = record;
	const char *name = NULL;
	uint32_t kind, correlation;

	memcpy(&kind, at + CUPTI_AT_KIND, sizeof kind);
	if (kind != CUPTI_KIND_KERNEL && kind != CUPTI_KIND_COPY && kind != CUPTI_KIND_FILL)
		return false;
	*out = (struct work){.kind = kind == CUPTI_KIND_KERNEL ? WORK_KERNEL
				     : kind == CUPTI_KIND_COPY ? WORK_COPY
							       : WORK_FILL};
	memcpy(&out->start, at + CUPTI_AT_START, sizeof out->start);
	memcpy(&out->end, at + CUPTI_AT_END, sizeof out->end);
	memcpy(&correlation,
	       at + (kind == CUPTI_KIND_KERNEL ? CUPTI_AT_CORRELATION
					       : CUPTI_AT_TRANSFER_CORRELATION),
	       sizeof correlation);
	out->correlation = correlation;
	if (kind == CUPTI_KIND_KERNEL) {
		memcpy(out->grid, at + CUPTI_AT_GRID, sizeof out->grid);
		memcpy(&name, at + CUPTI_AT_NAME, sizeof name);
		work_set_name(out, name);
	} else {
		memcpy(&out->bytes, at + CUPTI_AT_BYTES, sizeof out->bytes);
	}
	return true;
}

/* Keeps a record, with the lock held. */
static void collect(const void *record)
{
	struct work work;
	uint32_t kind;

	if (collected.watched && cupti_work_parse(record, &work)) {
		if (array_room(&collected.work, collected.n_work, &collected.work_capacity,
			       sizeof work))
			collected.work[collected.n_work++] = work;
		else
			collected.lost++;
	}
	/* Other kinds come where somebody else has enabled them. */
	memcpy(&kind, (const char *)record + CUPTI_AT_KIND, sizeof kind);
	if (collected.watched || kind != CUPTI_KIND_KERNEL)
		return;
	if (reserve(&collected.list, &collected.capacity, collected.n + 1))
		cupti_kernel_parse(record, &collected.list[collected.n++]);
	else
		collected.lost++;
}

/* Gives CUPTI a buffer. Without memory CUPTI drops records and counts them. */
static void buffer_requested(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	(void)pthread_mutex_lock(&collected.lock);
	*buffer = collected.n_spare > 0 ? collected.spare[--collected.n_spare] : NULL;
	(void)pthread_mutex_unlock(&collected.lock);
	if (!*buffer)
		*buffer = aligned_alloc(64, BUFFER_BYTES);
	*bytes = *buffer ? BUFFER_BYTES : 0;
	*max_records = 0; /* no limit but the size */
}

static void buffer_completed(struct CUctx_st *context, uint32_t stream, uint8_t *buffer,
			     size_t bytes, size_t used)
{
	void *record = NULL;
	size_t dropped = 0;

	(void)bytes;
	(void)pthread_mutex_lock(&collected.lock);
	while (used > 0 && cupti.next(buffer, used, &record) == 0)
		collect(record);
	if (cupti.dropped(context, stream, &dropped) == 0)
		collected.lost += dropped;
	bool keep = collected.n_spare < SPARES;
	if (keep)
		collected.spare[collected.n_spare++] = buffer;
	(void)pthread_mutex_unlock(&collected.lock);
	if (!keep)
		free(buffer);
}

/* ---- collecting ---- */

static enum asc_status check(unsigned rc, const char *what, enum asc_status failure,
			     struct asc_err *e)
{
	const char *text = NULL;

	if (rc == 0)
		return ASC_OK;
	(void)cupti.text(rc, &text);
	return asc_err_set(e, failure, "%s: %s (%u)", what, text ? text : "unknown error", rc);
}

enum asc_status cupti_start(struct asc_err *e)
{
	if (library_once(&library, e))
		return e->status;
	if (collected.started)
		return ASC_OK;
	if (check(cupti.callbacks(buffer_requested, buffer_completed),
		  "cuptiActivityRegisterCallbacks", ASC_ABSENT, e) ||
	    check(cupti.enable(CUPTI_KIND_KERNEL), "cuptiActivityEnable", ASC_ABSENT, e))
		return e->status;
	collected.started = true;
	return ASC_OK;
}

enum asc_status cupti_leave(struct asc_err *e)
{
	uint32_t version = 0;

	if (!collected.started)
		return ASC_OK;
	(void)cupti.version(&version);
	if (version < OLDEST_LEAVES)
		return asc_err_set(e, ASC_ABSENT,
				   "libcupti has version %u: expected %d (CUDA 12.6) at least",
				   version, OLDEST_LEAVES);
	/* Records that CUPTI still has would go with it. */
	if (check(cupti.flush(CUPTI_FLUSH_FORCED), "cuptiActivityFlushAll", ASC_IO, e) ||
	    check(cupti.finalize(), "cuptiFinalize", ASC_IO, e))
		return e->status;
	collected.started = false;
	return ASC_OK;
}

enum asc_status cupti_pause(bool pause, struct asc_err *e)
{
	if (!collected.started)
		return ASC_OK;
	return pause ? check(cupti.disable(CUPTI_KIND_KERNEL), "cuptiActivityDisable", ASC_IO, e)
		     : check(cupti.enable(CUPTI_KIND_KERNEL), "cuptiActivityEnable", ASC_IO, e);
}

static int compare_launches(const void *a, const void *b)
{
	const struct cupti_kernel *x = a, *y = b;

	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static size_t count_collected(void)
{
	(void)pthread_mutex_lock(&collected.lock);
	const size_t n = collected.n;
	(void)pthread_mutex_unlock(&collected.lock);
	return n;
}

/* Has CUPTI hand over its buffers whose records are all complete, and the others by force only
 * where kernels are missing: the launch behind a forced flush takes the host 210 us, behind a plain
 * one 10 to 17, behind none 6 (H200, CUDA 13). */
static enum asc_status flush(size_t expected, struct asc_err *e)
{
	static const char what[] = "cuptiActivityFlushAll";

	if (!collected.started)
		return ASC_OK;
	if (expected < CUPTI_ALL && check(cupti.flush(0), what, ASC_IO, e))
		return e->status;
	return count_collected() < expected
		       ? check(cupti.flush(CUPTI_FLUSH_FORCED), what, ASC_IO, e)
		       : ASC_OK;
}

enum asc_status cupti_take(size_t expected, const struct cupti_kernel **records, size_t *n,
			   struct asc_err *e)
{
	*n = 0;
	if (flush(expected, e))
		return e->status;
	enum asc_status s = ASC_OK;

	(void)pthread_mutex_lock(&collected.lock);
	/* A time without one of its kernels would be too short: better none. */
	if (collected.lost > 0)
		s = asc_err_set(e, ASC_IO, "CUPTI dropped %zu records", collected.lost);
	else if (!reserve(&collected.taken, &collected.taken_capacity, collected.n))
		s = asc_err_nomem(e);
	else
		*n = collected.n;
	/* Copied, since CUPTI may add to the list meanwhile. */
	if (*n > 0)
		memcpy(collected.taken, collected.list, *n * sizeof *collected.taken);
	collected.n = collected.lost = 0;
	(void)pthread_mutex_unlock(&collected.lock);
	if (s)
		return s;
	/* Records come in the order in which kernels end. */
	if (*n > 0)
		qsort(collected.taken, *n, sizeof *collected.taken, compare_launches);
	*records = collected.taken;
	return ASC_OK;
}

/* ---- all work ---- */

/* Begins or ends records of copies and fills, which kernels that are timed alone do without. */
static enum asc_status record_transfers(bool record, struct asc_err *e)
{
	static const unsigned kinds[] = {CUPTI_KIND_COPY, CUPTI_KIND_FILL};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (record ? check(cupti.enable(kinds[i]), "cuptiActivityEnable", ASC_IO, e)
			   : check(cupti.disable(kinds[i]), "cuptiActivityDisable", ASC_IO, e))
			return e->status;
	return ASC_OK;
}

enum asc_status cupti_watch(struct asc_err *e)
{
	const struct cupti_kernel *kernels;
	size_t n;

	if (cupti_take(CUPTI_ALL, &kernels, &n, e) || record_transfers(true, e))
		return e->status;
	(void)pthread_mutex_lock(&collected.lock);
	collected.watched = true;
	collected.n_work = 0;
	(void)pthread_mutex_unlock(&collected.lock);
	return ASC_OK;
}

enum asc_status cupti_watched(const struct work **list, size_t *n, struct asc_err *e)
{
	enum asc_status s = flush(CUPTI_ALL, e);
	struct asc_err second;

	*n = 0;
	(void)pthread_mutex_lock(&collected.lock);
	/* Lists change places: CUPTI may add to its own one while the caller reads. */
	struct work *const seen = collected.work;
	const size_t capacity = collected.work_capacity, lost = collected.lost;

	*n = collected.n_work;
	collected.work = collected.seen;
	collected.work_capacity = collected.seen_capacity;
	collected.seen = seen;
	collected.seen_capacity = capacity;
	collected.n_work = collected.lost = 0;
	collected.watched = false;
	(void)pthread_mutex_unlock(&collected.lock);
	*list = seen;
	if (record_transfers(false, s ? &second : e) && !s)
		s = e->status;
	return !s && lost > 0 ? asc_err_set(e, ASC_IO, "CUPTI dropped %zu records", lost) : s;
}

const char *cupti_find_second(void)
{
	return library_find_loaded(library.loaded, 1);
}
