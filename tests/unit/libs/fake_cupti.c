/* A libcupti that has the records which a test gives it: it asks for buffers and hands them back on
 * a thread of its own, as CUPTI does. */
#include "tests/unit/libs/fake_cupti.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct fake_records given;
static size_t lost;
static unsigned forced;

/* Functions of CUPTI that are opened by name; CUpti_Activity and CUcontext are opaque. */
typedef void requested_fn(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void completed_fn(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
			  size_t used);
unsigned cuptiGetVersion(uint32_t *version);
unsigned cuptiGetResultString(unsigned rc, const char **text);
unsigned cuptiActivityRegisterCallbacks(requested_fn *requested, completed_fn *completed);
unsigned cuptiActivityEnable(unsigned kind);
unsigned cuptiActivityDisable(unsigned kind);
unsigned cuptiActivityFlushAll(uint32_t flag);
unsigned cuptiFinalize(void);
unsigned cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
unsigned cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record);

static requested_fn *request;
static completed_fn *complete;

void fake_cupti_give(const struct fake_records *records, size_t n_lost)
{
	given = *records;
	lost = n_lost;
}

unsigned fake_cupti_forced(void)
{
	return forced;
}

unsigned cuptiGetVersion(uint32_t *version)
{
	*version = 130000;
	return 0;
}

unsigned cuptiGetResultString(unsigned rc, const char **text)
{
	(void)rc;
	*text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
	return 0;
}

static bool refuses;
static unsigned leavings;

void fake_cupti_refuse(void)
{
	refuses = true;
}

unsigned fake_cupti_left(void)
{
	return leavings;
}

static bool refuse(void)
{
	const bool now = refuses;

	refuses = false;
	return now;
}

unsigned cuptiActivityRegisterCallbacks(requested_fn *requested, completed_fn *completed)
{
	if (refuse())
		return 39; /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
	request = requested;
	complete = completed;
	return 0;
}

static unsigned enabled; /* a bit each */

unsigned fake_cupti_enabled(void)
{
	return enabled;
}

static bool is_known(unsigned kind)
{
	return kind == FAKE_KIND_KERNEL || kind == FAKE_KIND_COPY || kind == FAKE_KIND_FILL;
}

unsigned cuptiActivityDisable(unsigned kind)
{
	if (!is_known(kind))
		return 1;
	enabled &= ~(1U << kind);
	return 0;
}

unsigned cuptiActivityEnable(unsigned kind)
{
	if (!is_known(kind))
		return 1;
	enabled |= 1U << kind;
	return 0;
}

/* As many whole records as fit go into each buffer. */
static void *hand_over(void *user)
{
	const uint32_t *const flag = user;
	const size_t left = *flag == FAKE_FLUSH_FORCED ? 0 : given.incomplete;

	while (request && given.n > left) {
		uint8_t *buffer = NULL;
		size_t bytes = 0, most = 0, used = 0;

		request(&buffer, &bytes, &most);
		while (buffer && given.n > left && used + FAKE_RECORD_BYTES <= bytes) {
			memcpy(buffer + used, given.data, FAKE_RECORD_BYTES);
			used += FAKE_RECORD_BYTES;
			given.data += FAKE_RECORD_BYTES;
			given.n--;
		}
		if (!buffer)
			break;
		complete(NULL, 0, buffer, bytes, used);
	}
	return NULL;
}

unsigned cuptiActivityFlushAll(uint32_t flag)
{
	pthread_t thread;

	if (flag > FAKE_FLUSH_FORCED)
		return 1;
	forced += flag;
	if (pthread_create(&thread, NULL, hand_over, &flag) != 0)
		return 1;
	return pthread_join(thread, NULL) == 0 ? 0 : 1;
}

/* Forgets its client, as CUPTI does: records end until it registers again. */
unsigned cuptiFinalize(void)
{
	leavings++;
	if (refuse())
		return 39;
	request = NULL;
	complete = NULL;
	enabled = 0;
	return 0;
}

unsigned cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
	(void)context, (void)stream;
	*n = lost;
	lost = 0;
	return 0;
}

unsigned cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + FAKE_RECORD_BYTES : buffer;

	if (next + FAKE_RECORD_BYTES > buffer + bytes)
		return 1; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
	*record = next;
	return 0;
}
