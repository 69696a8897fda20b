#include "standin/standin_context.h"

#include "standin/standin_stream.h"

static __thread struct standin_context *current;

struct standin_context *standin_context_current(void)
{
	return standin_is(STANDIN_CONTEXT, current) ? current : NULL;
}

int standin_device_check(int64_t device)
{
	const int n = standin_get_control()->devices;

	if (device >= 0 && device < n)
		return STANDIN_OK;
	return standin_fail(RT_INVALID_DEVICEID, "device %lld of %d", (long long)device, n);
}

int standin_context_use(struct standin_context *c)
{
	if (!standin_is(STANDIN_CONTEXT, c))
		return standin_fail(RT_CONTEXT_NULL, "%p is no context", (void *)c);
	current = c;
	return STANDIN_OK;
}

static void destroy(struct standin_context *c)
{
	standin_streams_end(c);
	if (current == c)
		current = NULL;
	standin_free(c);
}

static struct standin_context *find(int device)
{
	struct standin_context *c = standin_first(STANDIN_CONTEXT);

	while (c && c->device != device)
		c = (struct standin_context *)c->object.next;
	return c;
}

int standin_device_set(int device)
{
	const int code = standin_device_check(device);
	struct standin_context *c = code ? NULL : find(device);

	if (code)
		return code;
	if (!c) {
		c = standin_new(STANDIN_CONTEXT, sizeof *c);
		if (!c)
			return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a context");
		c->device = device;
	}
	current = c;
	return STANDIN_OK;
}

int standin_device_reset(int device)
{
	const int code = standin_device_check(device);
	struct standin_context *c = code ? NULL : find(device);

	if (code)
		return code;
	if (c)
		destroy(c);
	standin_recover();
	return STANDIN_OK;
}

void standin_contexts_end(void)
{
	struct standin_context *c;

	while ((c = standin_first(STANDIN_CONTEXT)) != NULL)
		destroy(c);
}
