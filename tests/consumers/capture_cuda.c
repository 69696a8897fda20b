/* The calls of libcuda that the recorder of captures makes, on memory of this process;
 * tests/consumers/capture.py compiles it. Prototypes are those of CUDA's driver API. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuStreamSynchronize(void *stream);
int cuThreadExchangeStreamCaptureMode(int *mode);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address);
void forbid_copies(int yes);

/* The stream of stub_driver.py. */
#define STREAM ((void *)0x7f0000000010)

static int forbidden, capture_mode, waits;

void forbid_copies(int yes)
{
	forbidden = yes;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
	if (forbidden || capture_mode != 2 || stream != STREAM)
		return 901;
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	waits = 1;
	return 0;
}

int cuStreamSynchronize(void *stream)
{
	return forbidden || stream != STREAM || !waits--;
}

int cuThreadExchangeStreamCaptureMode(int *mode)
{
	int before = capture_mode;

	capture_mode = *mode;
	*mode = before;
	return 0;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address)
{
	*base = address;
	*bytes = 1;
	return address >> 40 != 0x55;
}
