#include "tuner/device/cpu_flush.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/device/cpu_info.h"
#include "tuner/device/cpu_threads.h"
#include "tuner/device/device.h"

static const size_t UNKNOWN_BYTES = (size_t)64 << 20;

static size_t fact(const struct device_info *info, enum fact f, size_t otherwise)
{
	return info->facts.known[f] ? (size_t)info->facts.value[f] : otherwise;
}

static enum asc_status prepare(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e)
{
	struct device_info info;

	if (cpu_info_read(&info, e))
		return e->status;
	f->bytes = 2 * fact(&info, FACT_LLC_BYTES, UNKNOWN_BYTES / 2);
	f->threads = fact(&info, FACT_THREADS, 1);
	if (f->threads > CPU_THREADS_MAX)
		f->threads = CPU_THREADS_MAX;
	if (cpu_threads_reserve(threads, f->threads, e))
		return e->status;
	f->data = malloc(f->bytes);
	return f->data ? ASC_OK : asc_err_nomem(e);
}

static void write_part(void *user, size_t index)
{
	struct cpu_flush *f = user;
	size_t from = f->bytes / f->threads * index;
	size_t to = index + 1 == f->threads ? f->bytes : f->bytes / f->threads * (index + 1);

	memset(f->data + from, f->byte, to - from);
}

enum asc_status cpu_flush_run(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e)
{
	if (!f->data && prepare(f, threads, e))
		return e->status;
	f->byte = (f->byte + 1) & 0xff;
	cpu_threads_run(threads, f->threads, write_part, f);
	return ASC_OK;
}

void cpu_flush_fini(struct cpu_flush *f)
{
	free(f->data);
	*f = (struct cpu_flush){0};
}
