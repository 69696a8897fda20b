/* A libmspti that has the records which a test gives it. As the real one, it has one cursor in each
 * thread for all buffers, and hands buffers back on a thread of its own. */
#include "tests/unit/libs/fake_mspti.h"

#include <pthread.h>
#include <string.h>

/* Codes, kinds and sizes of abi.md, not those of the header under test. */
enum { CODE_END = 3, CODE_SECOND = 2, CODE_UNKNOWN = 999 };

typedef void request_fn(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void complete_fn(uint8_t *buffer, size_t bytes, size_t used);
unsigned msptiSubscribe(void **out, void *callback, void *user);
unsigned msptiUnsubscribe(void *subscriber);
unsigned msptiActivityRegisterCallbacks(request_fn *requested, complete_fn *completed);
unsigned msptiActivityEnable(unsigned kind);
unsigned msptiActivityDisable(unsigned kind);
unsigned msptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record);
unsigned msptiActivityFlushAll(uint32_t flag);
unsigned msptiActivityPushExternalCorrelationId(unsigned kind, uint64_t id);
unsigned msptiActivityPopExternalCorrelationId(unsigned kind, uint64_t *last);

static struct fake_mspti_plan plan;
static struct fake_mspti_calls calls;
static request_fn *request;
static complete_fn *complete;
static int subscriber;
static _Thread_local size_t cursor;

void fake_mspti_give(const struct fake_mspti_plan *p)
{
	plan = *p;
}

void fake_mspti_read_calls(struct fake_mspti_calls *out)
{
	*out = calls;
}

unsigned msptiSubscribe(void **out, void *callback, void *user)
{
	(void)user;
	if (calls.subscribed > calls.unsubscribed || !callback)
		return CODE_SECOND;
	calls.subscribed++;
	*out = &subscriber;
	return 0;
}

unsigned msptiUnsubscribe(void *s)
{
	calls.unsubscribed++;
	return s == &subscriber ? 0 : 1;
}

unsigned msptiActivityRegisterCallbacks(request_fn *requested, complete_fn *completed)
{
	request = requested;
	complete = completed;
	return 0;
}

unsigned msptiActivityEnable(unsigned kind)
{
	if (plan.refusal)
		return plan.refusal;
	calls.enabled |= (size_t)1 << kind;
	return 0;
}

unsigned msptiActivityDisable(unsigned kind)
{
	calls.disabled |= (size_t)1 << kind;
	return 0;
}

static size_t record_bytes(const uint8_t *at)
{
	uint32_t kind;

	memcpy(&kind, at, sizeof kind);
	return kind == 2 || kind == 1 || kind == 6 || kind == 7 ? 56 : kind == 8 ? 24 : 0;
}

unsigned msptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record)
{
	if (cursor >= used) {
		cursor = 0;
		return CODE_END;
	}
	const size_t n = record_bytes(buffer + cursor);

	if (n == 0)
		return CODE_UNKNOWN;
	*record = buffer + cursor;
	cursor += n;
	return 0;
}

/* Whole records that fit, at least one. */
static size_t take_records(uint8_t *buffer, size_t bytes)
{
	size_t used = 0;

	while (plan.bytes > 0) {
		size_t n = record_bytes(plan.records);

		n = n > 0 ? n : plan.bytes;
		if (used + n > bytes || (used > 0 && used + n > plan.buffer_bytes))
			break;
		memcpy(buffer + used, plan.records, n);
		used += n;
		plan.records += n;
		plan.bytes -= n;
	}
	return used;
}

static void *hand_over(void *unused)
{
	while (plan.bytes > 0) {
		uint8_t *buffer = NULL;
		size_t bytes = 0, most = 0;

		request(&buffer, &bytes, &most);
		if (!buffer || bytes < (size_t)2 << 20 || (uintptr_t)buffer % 8 != 0)
			break;
		const size_t used = take_records(buffer, bytes);

		complete(buffer, bytes, used);
		calls.buffers++;
		calls.unwalked += cursor != 0;
	}
	return unused;
}

unsigned msptiActivityFlushAll(uint32_t flag)
{
	pthread_t thread;

	(void)flag;
	if (plan.late > 0) {
		plan.late--;
		return 0;
	}
	if (pthread_create(&thread, NULL, hand_over, NULL) != 0)
		return 1;
	return pthread_join(thread, NULL) == 0 ? 0 : 1;
}

unsigned msptiActivityPushExternalCorrelationId(unsigned kind, uint64_t id)
{
	calls.pushed++;
	calls.last_number = id;
	return kind == 2 ? 0 : 1;
}

unsigned msptiActivityPopExternalCorrelationId(unsigned kind, uint64_t *last)
{
	calls.popped++;
	*last = calls.last_number;
	return kind == 2 ? 0 : 1;
}
