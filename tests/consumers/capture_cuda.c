/* The calls of libcuda that the recorder of captures makes, on memory of this process. Compiled by
 * tests/consumers/capture.py, whose program says when a graph is recorded. Prototypes are those of
 * CUDA's driver API. */
#include <stdint.h>
#include <string.h>

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamIsCapturing(void *stream, int *status);
int cuThreadExchangeStreamCaptureMode(int *mode);
int cuEventCreate(void **event, unsigned flags);
int cuEventRecord(void *event, void *stream);
int cuEventQuery(void *event);
int cuEventElapsedTime(float *ms, void *start, void *end);
int cuEventDestroy_v2(void *event);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address);
int cuCtxGetDevice(int *device);
int cuInit(unsigned flags);
int cuDeviceGetName(char *name, int bytes, int device);
void is_recording(int yes);

enum { INVALID = 1, NOT_PERMITTED = 800, INVALIDATED = 901 };
#define STREAM ((void *)0x7f0000000010)

static int recording, capture_mode, n_events;
static struct {
	int live, recorded;
} events[64];

void is_recording(int yes)
{
	recording = yes;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
	if (recording || capture_mode != 2)
		return INVALIDATED;
	if (stream != STREAM)
		return INVALID;
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	return 0;
}

int cuStreamSynchronize(void *stream)
{
	return recording || stream != STREAM;
}

int cuStreamIsCapturing(void *stream, int *status)
{
	*status = recording;
	return stream != STREAM;
}

int cuThreadExchangeStreamCaptureMode(int *mode)
{
	int before = capture_mode;

	capture_mode = *mode;
	*mode = before;
	return 0;
}

int cuEventCreate(void **event, unsigned flags)
{
	if (flags || n_events == 64)
		return INVALID;
	events[n_events].live = 1;
	*event = &events[n_events++];
	return 0;
}

int cuEventRecord(void *event, void *stream)
{
	if (recording || stream != STREAM)
		return NOT_PERMITTED;
	events[(size_t)((char *)event - (char *)events) / sizeof *events].recorded = 1;
	return 0;
}

int cuEventQuery(void *event)
{
	size_t i = (size_t)((char *)event - (char *)events) / sizeof *events;

	return !events[i].live || !events[i].recorded;
}

/* A launch takes a quarter of a millisecond. */
int cuEventElapsedTime(float *ms, void *start, void *end)
{
	*ms = 0.25F;
	return cuEventQuery(start) || cuEventQuery(end);
}

int cuEventDestroy_v2(void *event)
{
	size_t i = (size_t)((char *)event - (char *)events) / sizeof *events;
	int dead = !events[i].live;

	events[i].live = 0;
	return dead;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
	*base = address;
	*bytes = 1;
	return address >> 40 == 0x55 ? 0 : INVALID;
}

int cuCtxGetDevice(int *device)
{
	*device = 3;
	return 0;
}

int cuInit(unsigned flags)
{
	return (int)flags;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
	if (device != 3 || bytes < 16)
		return INVALID;
	strcpy(name, "Device of a test");
	return 0;
}
