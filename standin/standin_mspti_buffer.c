#include "standin/standin_mspti_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "standin/standin_core.h"

enum { MAX_TEXTS = 65536, FULL_PERCENT = 80 };

static mspti_request_fn *request;
static mspti_complete_fn *complete;

static struct {
	uint8_t *data; /* NULL: there is none */
	size_t size, used;
	char *texts[MAX_TEXTS];
	size_t n_texts;
} buffer;

void mspti_buffer_set(mspti_request_fn *requested, mspti_complete_fn *completed)
{
	request = requested;
	complete = completed;
}

/* Texts are overwritten when their buffer was given back, so that a pointer which was kept reads
 * something else, and freed when the next buffer is wanted. */
static void overwrite_texts(void)
{
	for (size_t i = 0; i < buffer.n_texts; i++)
		memset(buffer.texts[i], '?', strlen(buffer.texts[i]));
}

static void free_texts(void)
{
	while (buffer.n_texts > 0)
		free(buffer.texts[--buffer.n_texts]);
}

static bool request_buffer(void)
{
	size_t max_records = 0;

	free_texts();
	buffer.data = NULL;
	buffer.used = buffer.size = 0;
	if (request)
		request(&buffer.data, &buffer.size, &max_records);
	if (buffer.data && (uintptr_t)buffer.data % MSPTI_BUFFER_ALIGN == 0)
		return true;
	standin_log("warning: %s buffer for records", buffer.data ? "an unaligned" : "no");
	mspti_buffer_give_back();
	return false;
}

void mspti_buffer_give_back(void)
{
	if (!buffer.data || !complete)
		return;
	uint8_t *data = buffer.data;

	buffer.data = NULL;
	complete(data, buffer.size, buffer.used);
	overwrite_texts();
}

/* Writes the addresses of copies of the texts into the record. */
static bool add_texts(const struct mspti_record *r, unsigned char *bytes)
{
	for (size_t i = 0; i < r->n_texts; i++) {
		char *copy = buffer.n_texts < MAX_TEXTS ? strdup(r->texts[i]) : NULL;

		if (!copy)
			return false;
		buffer.texts[buffer.n_texts++] = copy;
		memcpy(bytes + r->offsets[i], &copy, sizeof copy);
	}
	return true;
}

void mspti_buffer_add(const struct mspti_record *r)
{
	if (!buffer.data && !request_buffer())
		return;
	unsigned char bytes[sizeof r->bytes];
	memcpy(bytes, r->bytes, r->size);
	if (buffer.used + r->size > buffer.size || !add_texts(r, bytes)) {
		standin_log("warning: no room for a record");
		return;
	}
	memcpy(buffer.data + buffer.used, bytes, r->size);
	buffer.used += r->size;
	if (buffer.used >= buffer.size / 100 * FULL_PERCENT || buffer.n_texts + 2 > MAX_TEXTS)
		mspti_buffer_give_back();
}
