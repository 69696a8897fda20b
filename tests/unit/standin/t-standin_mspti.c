/* The stand-in's records of kernels: layout, order of calls, faults.
 * covers: standin_model.c standin_mspti.c */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mspti_case.h"
#include "standin_case.h"
#include "tests/tap.h"

enum { MOST = 4096, FIRST_STREAM = 3 /* number of the first one that a process makes */ };

/* What was received. */
static struct {
	struct record {
		uint32_t kind, stream;
		uint64_t begin, end, correlation, external;
		char name[32];
	} records[MOST];
	int n, buffers;
	const char *kept; /* pointer to a text of a buffer that was given back */
	size_t asked_bytes, offset;
	pthread_t thread;
} got = {.asked_bytes = MSPTI_BUFFER_BYTES};

static void request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	uint8_t *memory = NULL;

	if (posix_memalign((void **)&memory, 8, got.asked_bytes + 8) == 0)
		*buffer = memory + got.offset;
	*bytes = got.asked_bytes;
	*max_records = 0;
}

static void read_record(const uint8_t *at)
{
	struct record *r = &got.records[got.n++ % MOST];

	memcpy(&r->kind, at, 4);
	if (r->kind == MSPTI_KIND_EXTERNAL_CORRELATION) {
		memcpy(&r->external, at + MSPTI_AT_EXTERNAL_ID, 8);
		memcpy(&r->correlation, at + MSPTI_AT_EXTERNAL_CORRELATION, 8);
	}
	if (r->kind != MSPTI_KIND_KERNEL)
		return;
	memcpy(&r->begin, at + MSPTI_AT_START, 8);
	memcpy(&r->end, at + MSPTI_AT_END, 8);
	memcpy(&r->stream, at + MSPTI_AT_STREAM, 4);
	memcpy(&r->correlation, at + MSPTI_AT_CORRELATION, 8);
	memcpy(&got.kept, at + MSPTI_AT_NAME, sizeof got.kept);
	strncpy(r->name, got.kept, sizeof r->name - 1);
}

static void complete(uint8_t *buffer, size_t bytes, size_t used)
{
	void *record = NULL;

	(void)bytes;
	got.buffers++;
	got.thread = pthread_self();
	while (prof.next(buffer, used, &record) == MSPTI_OK)
		read_record(record);
	free(buffer - got.offset);
}

static struct msptiSubscriber_st *subscriber;

static void begin(void)
{
	mspti_case_open();
	GIVES((int)prof.subscribe(&subscriber, NULL, NULL), MSPTI_OK);
	GIVES((int)prof.callbacks(request, complete), MSPTI_OK);
	GIVES((int)prof.enable(MSPTI_KIND_KERNEL), MSPTI_OK);
}

/* Launches `nothing` n times and waits; the stream. */
static void *launch_many(int n)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("nothing");
	struct standin_block b;

	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	for (int i = 0; i < n; i++) {
		GIVES((int)prof.push(MSPTI_EXTERNAL_CUSTOM, (uint64_t)i + 100), MSPTI_OK);
		GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
		GIVES((int)prof.pop(MSPTI_EXTERNAL_CUSTOM, NULL), MSPTI_OK);
	}
	GIVES(acl.stream_synchronize(stream), 0);
	return stream;
}

static int kernels_in_order(void)
{
	int n = 0;

	for (int i = 1; i < got.n; i++)
		n += got.records[i].correlation > got.records[i - 1].correlation;
	return n;
}

static void records(void)
{
	begin();
	(void)launch_many(3);
	HOLDS(got.n == 0); /* none before a flush */
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 3 && got.buffers == 1 && pthread_equal(got.thread, pthread_self()));
	for (int i = 0; i < 3; i++) {
		HOLDS(strcmp(got.records[i].name, "nothing") == 0);
		HOLDS(got.records[i].stream == FIRST_STREAM);
		HOLDS(got.records[i].end > got.records[i].begin + 1000);
	}
	HOLDS(kernels_in_order() == 2);
	HOLDS(got.records[1].begin >= got.records[0].end);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 3);
	HOLDS(got.kept && strcmp(got.kept, "???????") == 0); /* texts end with their buffer */
	GIVES((int)prof.disable(MSPTI_KIND_KERNEL), MSPTI_OK);
	GIVES(acl.finalize(), 0);
	(void)launch_many(1);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 3);
	GIVES((int)prof.unsubscribe(subscriber), MSPTI_OK);
}

static void refusals(void)
{
	struct msptiSubscriber_st *second = NULL;
	uint64_t last = 0;

	begin();
	GIVES((int)prof.subscribe(&second, NULL, NULL), MSPTI_SECOND_SUBSCRIBER);
	GIVES((int)prof.callbacks(NULL, complete), 1);
	GIVES((int)prof.enable(0), 1);
	GIVES((int)prof.enable(13), 1);
	for (unsigned kind = MSPTI_KIND_HCCL; kind <= MSPTI_KIND_MEMCPY; kind++)
		GIVES((int)prof.enable(kind), MSPTI_NOT_PRELOADED);
	setenv("LD_PRELOAD", "/usr/lib/libmspti.so", 1);
	GIVES((int)prof.enable(MSPTI_KIND_MEMSET), MSPTI_OK);
	GIVES((int)prof.pop(MSPTI_EXTERNAL_CUSTOM, &last), 5);
	GIVES((int)prof.unsubscribe(subscriber), MSPTI_OK);
	GIVES((int)prof.unsubscribe(subscriber), 1);
}

/* The position is the thread's, over all buffers; an unknown kind ends a walk where it stands. */
static void walk(void)
{
	uint8_t buffer[112] = {0};
	const uint32_t kernel = MSPTI_KIND_KERNEL, unknown = 77;
	void *record = NULL;

	begin();
	memcpy(buffer, &kernel, 4);
	memcpy(buffer + 56, &kernel, 4);
	GIVES((int)prof.next(buffer, 112, &record), MSPTI_OK);
	HOLDS(record == buffer);
	GIVES((int)prof.next(buffer, 112, &record), MSPTI_OK);
	HOLDS(record == buffer + 56);
	GIVES((int)prof.next(buffer, 112, &record), MSPTI_END_OF_BUFFER);
	GIVES((int)prof.next(buffer, 112, &record), MSPTI_OK);
	memcpy(buffer + 56, &unknown, 4);
	GIVES((int)prof.next(buffer, 112, &record), MSPTI_BROKEN_BUFFER);
	GIVES((int)prof.next(buffer, 112, &record), MSPTI_BROKEN_BUFFER);
}

static void unaligned(void)
{
	got.offset = 4;
	begin();
	(void)launch_many(2);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 0);
}

/* Buffers that are four fifths full come on another thread. */
static void full_buffers(void)
{
	got.asked_bytes = 560;
	begin();
	(void)launch_many(100);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 100 && got.buffers >= 11);
	HOLDS(kernels_in_order() == 99);
}

static void external(void)
{
	begin();
	GIVES((int)prof.enable(MSPTI_KIND_EXTERNAL_CORRELATION), MSPTI_OK);
	(void)launch_many(4);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 8);
	int linked = 0;
	for (int i = 0; i < got.n; i++)
		for (int k = 0; k < got.n; k++)
			linked += got.records[i].kind == MSPTI_KIND_EXTERNAL_CORRELATION &&
				  got.records[k].kind == MSPTI_KIND_KERNEL &&
				  got.records[i].correlation == got.records[k].correlation &&
				  got.records[i].external >= 100;
	HOLDS(linked == 4);
}

static void ranges(void)
{
	begin();
	GIVES((int)prof.enable(MSPTI_KIND_MARKER), MSPTI_OK);
	const uint64_t id = prof.range_start("configuration", NULL);
	HOLDS(id != 0 && prof.range_start(NULL, NULL) == 0);
	prof.range_end(id);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 2 && got.records[0].kind == MSPTI_KIND_MARKER);
}

/* ---- faults ---- */

static int want_records;

static void count_records(void)
{
	begin();
	(void)launch_many(10);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == want_records);
}

static void without_times(void)
{
	begin();
	(void)launch_many(2);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 2 && got.records[0].begin == 0 && got.records[0].end == 0);
}

static void some_lost(void)
{
	begin();
	(void)launch_many(400);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n > 300 && got.n < 397);
}

static void out_of_order(void)
{
	begin();
	(void)launch_many(10);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(got.n == 10 && kernels_in_order() < 9);
}

/* One kernel ends before it begins; the others are not shorter than 0. */
static void drifting(void)
{
	int reversed = 0;

	begin();
	(void)launch_many(200);
	GIVES((int)prof.flush(1), MSPTI_OK);
	for (int i = 0; i < got.n; i++)
		reversed += got.records[i].end < got.records[i].begin;
	HOLDS(got.n == 200 && reversed == 1);
}

/* Makes an event behind a kernel in the stream; the kernel's end by its record, in ns. Queued
 * behind fills of 80 ms, so that the event does not wait for the host. */
static double end_twice(void *stream, void *f, struct standin_block *b, void **event)
{
	enum { FILLS = 20 };
	static const size_t bytes = (size_t)2 << 30;
	static void *large;

	if (!large)
		GIVES(acl.alloc(&large, bytes, 0), 0);
	GIVES(acl.event_create(event), 0);
	for (int i = 0; i < FILLS; i++)
		GIVES(acl.set(large, bytes, 0, bytes, stream), 0);
	GIVES(acl.launch(f, 1, stream, NULL, b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.event_record(*event, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES((int)prof.flush(1), MSPTI_OK);
	return (double)got.records[got.n - 1].end;
}

/* The clock of records is 50 ppm off that of events, which have ticks of 20 ns. */
static void off(void)
{
	void *events[2] = {NULL, NULL};
	float ms = 0;

	begin();
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("nothing");
	struct standin_block b;
	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	const double first = end_twice(stream, f, &b, &events[0]);
	usleep(400000);
	const double second = end_twice(stream, f, &b, &events[1]);
	GIVES(acl.event_elapsed(&ms, events[0], events[1]), 0);
	const double apart = second - first - (double)ms * 1e6;
	HOLDS(fabs(apart - 50e-6 * (double)ms * 1e6) < 2000 && apart > 15000);
}

enum { KERNEL_NS = 2500 }; /* of one program that does nothing (standin_model) */

/* Durations of kernels that do nothing: the mean of those from `from` on, and the longest. */
static double durations(int from, double *longest)
{
	double all = 0;

	*longest = 0;
	for (int i = from; i < got.n; i++) {
		const double ns = (double)(got.records[i].end - got.records[i].begin);

		all += ns;
		*longest = ns > *longest ? ns : *longest;
	}
	return all / (got.n - from);
}

static void steady(void)
{
	double longest;

	begin();
	(void)launch_many(400);
	GIVES((int)prof.flush(1), MSPTI_OK);
	const double mean = durations(0, &longest);
	HOLDS(mean > 0.99 * KERNEL_NS && mean < 1.01 * KERNEL_NS && longest < 1.05 * mean);
}

static void spiky(void)
{
	double longest;

	begin();
	(void)launch_many(400);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(durations(0, &longest) < 3 * KERNEL_NS && longest > 18 * KERNEL_NS);
}

/* At 60 % of the clock a kernel takes 5/3 of its time, two seconds later its time. */
static void rising(void)
{
	double longest;

	begin();
	(void)launch_many(1);
	GIVES((int)prof.flush(1), MSPTI_OK);
	const double first = durations(0, &longest);
	HOLDS(first > 1.6 * KERNEL_NS && first < 1.72 * KERNEL_NS);
	usleep(2100000);
	GIVES(acl.finalize(), 0);
	(void)launch_many(1);
	GIVES((int)prof.flush(1), MSPTI_OK);
	const double second = durations(1, &longest);
	HOLDS(got.n == 2 && second > 0.97 * KERNEL_NS && second < 1.03 * KERNEL_NS);
}

static void needs_preload(void)
{
	mspti_case_open();
	GIVES((int)prof.enable(MSPTI_KIND_KERNEL), MSPTI_NOT_PRELOADED);
}

int main(void)
{
	standin_case("head", "", records, "records of kernels");
	tap_has(standin_case_log(), "balance subscribers: 1 made, 1 freed", "subscribers balance");
	standin_case("head", "", refusals, "what is refused");
	standin_case("head", "", walk, "a walk over records");
	standin_case("head", "", unaligned, "an unaligned buffer");
	tap_has(standin_case_log(), "unaligned buffer", "is in the log");
	standin_case("head", "", full_buffers, "buffers that are full");
	standin_case("head", "", external, "numbers of calls");
	standin_case("head", "", ranges, "ranges");
	want_records = 0;
	standin_case("head", "fault=rows=0", count_records, "rows=0");
	want_records = 20;
	standin_case("head", "fault=rows=2", count_records, "rows=2");
	want_records = 10;
	standin_case("head", "", count_records, "a record for each kernel");
	standin_case("head", "fault=zero", without_times, "zero");
	standin_case("head", "fault=drop=0.1", some_lost, "drop=0.1");
	standin_case("head", "fault=reorder", out_of_order, "reorder");
	standin_case("head", "fault=drift", drifting, "drift");
	standin_case("head", "fault=drift", off, "drift, against events");
	standin_case("head", "", steady, "durations");
	standin_case("head", "fault=spike=0.02", spiky, "spike=0.02");
	standin_case("head", "fault=ramp", rising, "ramp");
	standin_case("head", "fault=preload", needs_preload, "preload");
	return tap_done();
}
