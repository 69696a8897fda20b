/* The stand-in's other records, of calls, copies, fills and ranges.
 * covers: standin_mspti_record.c standin_mstx.c */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mspti_case.h"
#include "standin_case.h"
#include "tests/tap.h"

enum { MOST = 512, FIRST_STREAM = 3 /* number of the first one that a process makes */ };

/* Records as they came; texts at an offset are copied while they live. */
static struct record {
	unsigned char bytes[64];
	char text[32], second[32];
} got[MOST];
static int n_got;

static uint32_t u32(const struct record *r, size_t at)
{
	uint32_t value;

	memcpy(&value, r->bytes + at, sizeof value);
	return value;
}

static uint64_t u64(const struct record *r, size_t at)
{
	uint64_t value;

	memcpy(&value, r->bytes + at, sizeof value);
	return value;
}

static void request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	*bytes = MSPTI_BUFFER_BYTES;
	*buffer = aligned_alloc(8, *bytes);
	*max_records = 0;
}

static void keep_text(char out[32], const struct record *r, size_t at)
{
	const char *text;

	memcpy(&text, r->bytes + at, sizeof text);
	strncpy(out, text, 31);
}

static void complete(uint8_t *buffer, size_t bytes, size_t used)
{
	static const size_t sizes[] = {0, 56, 56, 48, 56, 64, 56, 56, 24, 72, 48, 48, 48};
	void *at = NULL;

	(void)bytes;
	while (prof.next(buffer, used, &at) == MSPTI_OK && n_got < MOST) {
		struct record *r = &got[n_got++];
		uint32_t kind;

		memcpy(&kind, at, sizeof kind);
		memcpy(r->bytes, at, sizes[kind]);
		if (kind == MSPTI_KIND_MARKER)
			keep_text(r->second, r, 44);
		if (sizes[kind] == 48 || kind == MSPTI_KIND_MARKER)
			keep_text(r->text, r, 36);
	}
	free(buffer);
}

static struct msptiSubscriber_st *subscriber;

static void *begin(void)
{
	mspti_case_open();
	GIVES((int)prof.subscribe(&subscriber, NULL, NULL), MSPTI_OK);
	GIVES((int)prof.callbacks(request, complete), MSPTI_OK);
	return standin_case_begin();
}

static void preload(void)
{
	setenv("LD_PRELOAD", "/cann/lib64/libmspti.so", 1);
}

static void *launch(void *stream, int n)
{
	static void *f, *to;
	struct standin_block b;

	if (!f) {
		f = standin_case_load("nothing");
		GIVES(acl.alloc(&to, 64, 0), 0);
	}
	standin_block_init(&b, NULL, to, 1, 1);
	for (int i = 0; i < n; i++)
		GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	return to;
}

/* ---- calls ---- */

/* Each launch has a record of its call with the kernel's number. */
static void calls(void)
{
	void *stream = begin();
	int launches = 0, linked = 0, others = 0;

	GIVES((int)prof.enable(MSPTI_KIND_KERNEL), MSPTI_OK);
	GIVES((int)prof.enable(MSPTI_KIND_ACL_API), MSPTI_OK);
	(void)launch(stream, 3);
	GIVES((int)prof.disable(MSPTI_KIND_ACL_API), MSPTI_OK);
	(void)launch(stream, 1);
	GIVES((int)prof.flush(1), MSPTI_OK);
	for (int i = 0; i < n_got; i++) {
		const struct record *r = &got[i];

		if (u32(r, 0) != MSPTI_KIND_ACL_API)
			continue;
		HOLDS(u64(r, 12) >= u64(r, 4) && u32(r, 20) == (uint32_t)getpid());
		HOLDS(u32(r, 24) == (uint32_t)syscall(SYS_gettid));
		if (strcmp(r->text, "aclrtLaunchKernelWithHostArgs") != 0) {
			others += u64(r, 28) == 0;
			continue;
		}
		launches++;
		for (int k = 0; k < n_got; k++)
			linked += u32(&got[k], 0) == MSPTI_KIND_KERNEL &&
				  u64(&got[k], MSPTI_AT_CORRELATION) == u64(r, 28);
	}
	HOLDS(launches == 3 && linked == 3 && others > 3);
}

static int count_kind(uint32_t kind, const char *text)
{
	int n = 0;

	for (int i = 0; i < n_got; i++)
		n += u32(&got[i], 0) == kind && strcmp(got[i].text, text) == 0;
	return n;
}

/* The kind of all calls, and none of a library that has not been called. */
static void all_calls(void)
{
	void *stream = begin();

	GIVES((int)prof.enable(MSPTI_KIND_API), MSPTI_OK);
	GIVES((int)prof.enable(MSPTI_KIND_RUNTIME_API), MSPTI_OK);
	GIVES((int)prof.enable(MSPTI_KIND_NODE_API), MSPTI_OK);
	(void)launch(stream, 2);
	GIVES((int)prof.flush(1), MSPTI_OK);
	HOLDS(count_kind(MSPTI_KIND_API, "aclrtLaunchKernelWithHostArgs") == 2);
	HOLDS(count_kind(MSPTI_KIND_API, "aclrtSynchronizeStream") == 1);
	HOLDS(count_kind(MSPTI_KIND_API, "msptiActivityFlushAll") == 0);
	for (int i = 0; i < n_got; i++)
		HOLDS(u32(&got[i], 0) == MSPTI_KIND_API);
}

/* ---- copies and fills ---- */

static void transfers(void)
{
	char host[64] = "";

	preload();
	void *stream = begin(), *at = NULL;
	GIVES((int)prof.enable(MSPTI_KIND_MEMCPY), MSPTI_OK);
	GIVES((int)prof.enable(MSPTI_KIND_MEMSET), MSPTI_OK);
	GIVES(acl.alloc(&at, 64, 0), 0);
	GIVES(acl.copy(at, 64, host, 40, NPU_HOST_TO_DEVICE), 0);
	GIVES(acl.copy(host, 64, at, 41, NPU_DEVICE_TO_HOST), 0);
	GIVES(acl.set(at, 64, 7, 42, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES((int)prof.flush(1), MSPTI_OK);
	if (!HOLDS(n_got == 3))
		return;
	static const uint32_t kinds[] = {7, 7, 6}, what[] = {2, 3, 7}, later[] = {0, 0, 1};
	for (uint32_t i = 0; i < 3; i++) {
		HOLDS(u32(&got[i], 0) == kinds[i] && u32(&got[i], 4) == what[i]);
		HOLDS(u64(&got[i], 8) == 40 + i && u64(&got[i], 24) > u64(&got[i], 16));
		HOLDS(u32(&got[i], 32) == 0 && u64(&got[i], 40) > 0);
		HOLDS(u32(&got[i], 36) == (later[i] ? FIRST_STREAM : 0xFFFFFFFF));
		HOLDS(got[i].bytes[48] == later[i]);
	}
}

/* Memory that is freed under queued work loses the device: the fill waits for a slow kernel. */
static void freed(void)
{
	void *stream = standin_case_begin(), *f = standin_case_load("slow"), *at = NULL, *to = NULL;
	struct standin_block b;

	GIVES(acl.alloc(&at, 64, 0), 0);
	GIVES(acl.alloc(&to, 64, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.set(at, 64, 0, 64, stream), 0);
	GIVES(acl.free(at), 0);
	GIVES(acl.stream_synchronize(stream), 507015);
}

/* Nor may memory be freed, or a binary unloaded, while a kernel is at work. */
static void in_use(bool unload)
{
	void *stream = standin_case_begin(), *binary = NULL, *f = NULL, *to = NULL;
	struct standin_block b;

	GIVES(acl.binary_load(TWIN_ADD, NULL, &binary), 0);
	GIVES(acl.binary_function(binary, "slow", &f), 0);
	GIVES(acl.alloc(&to, 64, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	usleep(50000);
	GIVES(unload ? acl.binary_unload(binary) : acl.free(to), 507015);
	GIVES(acl.stream_synchronize(stream), 507015);
}

static void frees_used(void)
{
	in_use(false);
}

static void unloads_used(void)
{
	in_use(true);
}

/* ---- marks ---- */

static void marks(void)
{
	void *stream = begin();

	GIVES((int)prof.enable(MSPTI_KIND_MARKER), MSPTI_OK);
	const uint64_t of_host = prof.range_start("host", NULL);
	prof.range_end(of_host);
	const uint64_t range = prof.range_start("both", stream);
	(void)launch(stream, 1);
	prof.range_end(range);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES((int)prof.flush(1), MSPTI_OK);
	if (!HOLDS(n_got == 6))
		return;
	static const uint32_t flags[] = {2, 4, 16, 16, 32, 32}, on_device[] = {0, 0, 0, 1, 0, 1};
	uint64_t times[2] = {0};
	for (int i = 0; i < 6; i++) {
		const struct record *r = &got[i];

		HOLDS(u32(r, 4) == flags[i] && u32(r, 8) == on_device[i]);
		HOLDS(u64(r, 20) == (i < 2 ? of_host : range));
		HOLDS(u32(r, 28) == (on_device[i] ? 0 : (uint32_t)getpid()));
		HOLDS(u32(r, 32) == (on_device[i] ? FIRST_STREAM : (uint32_t)syscall(SYS_gettid)));
		HOLDS(strcmp(r->second, "default") == 0);
		if (on_device[i])
			times[i / 5] = u64(r, 12);
	}
	HOLDS(strcmp(got[0].text, "host") == 0 && strcmp(got[3].text, "both") == 0);
	HOLDS(times[1] > times[0] + 2000); /* a kernel lies between them */
	HOLDS(of_host + 1 == range);
	prof.range_end(range); /* it has ended */
}

/* ---- calls that fail ---- */

/* The first call of a process, so that its number is known. */
static void failing_subscription(void)
{
	void *library = standin_case_open("head", "libmspti.so");
	struct msptiSubscriber_st *s = NULL;

	*(void **)&prof.subscribe = dlsym(library, "msptiSubscribe");
	*(void **)&prof.push = dlsym(library, "msptiActivityPushExternalCorrelationId");
	*(void **)&prof.pop = dlsym(library, "msptiActivityPopExternalCorrelationId");
	GIVES((int)prof.push(MSPTI_EXTERNAL_CUSTOM, 1), MSPTI_OK);
	HOLDS(prof.subscribe(&s, NULL, NULL) == 999 && !s);
	GIVES((int)prof.pop(MSPTI_EXTERNAL_CUSTOM, NULL), MSPTI_OK);
	GIVES((int)prof.subscribe(&s, NULL, NULL), MSPTI_OK);
}

static void failing_push(void)
{
	uint64_t id = 9;
	void *library = standin_case_open("head", "libmspti.so");

	*(void **)&prof.push = dlsym(library, "msptiActivityPushExternalCorrelationId");
	*(void **)&prof.pop = dlsym(library, "msptiActivityPopExternalCorrelationId");
	HOLDS(prof.push(MSPTI_EXTERNAL_CUSTOM, 1) == 999);
	HOLDS(prof.pop(MSPTI_EXTERNAL_CUSTOM, &id) == 5 && id == 9);
}

int main(void)
{
	standin_case("head", "", calls, "calls of libascendcl.so");
	standin_case("head", "", all_calls, "all calls");
	standin_case("head", "", transfers, "copies and fills");
	standin_case("head", "", freed, "memory that is freed under queued work");
	tap_int(standin_case_count("error: memory was freed while"), 1, "is in the log");
	standin_case("head", "", frees_used, "memory that is freed under a kernel");
	standin_case("head", "", unloads_used, "a binary that is unloaded under a kernel");
	standin_case("head", "", marks, "ranges of host and stream");
	tap_has(standin_case_log(), "balance ranges: 2 made, 2 freed", "ranges balance");
	tap_int(standin_case_count("error: "), 1, "what is no range is in the log");
	standin_case("head", "fault=err=999@2", failing_subscription, "a subscription that fails");
	standin_case("head", "fault=err=999@1", failing_push, "a call around a launch that fails");
	return tap_done();
}
