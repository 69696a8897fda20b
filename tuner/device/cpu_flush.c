#include "tuner/device/cpu_flush.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/device/cpu_caches.h"
#include "tuner/device/cpu_places.h"
#include "tuner/device/cpu_threads.h"

static const size_t UNKNOWN_BYTES = (size_t)64 << 20;

/* from[0 .. n] of the threads' shares. */
static void divide(size_t *from, const struct cpu_places *places, size_t n)
{
	cpu_caches_share(CPU_CACHES_FOLDER, places, n, UNKNOWN_BYTES, from + 1);
	from[0] = 0;
	for (size_t i = 0; i < n; i++)
		from[i + 1] += from[i];
}

static enum asc_status prepare(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e)
{
	const struct cpu_places *places = cpu_threads_places(threads);

	f->threads = places->n < 1 ? 1 : places->n;
	if (f->threads > CPU_THREADS_MAX)
		f->threads = CPU_THREADS_MAX;
	if (cpu_threads_reserve(threads, f->threads, e))
		return e->status;
	free(f->from);
	f->from = malloc((f->threads + 1) * sizeof *f->from);
	if (!f->from)
		return asc_err_nomem(e);
	divide(f->from, places, f->threads);
	f->data = malloc(f->from[f->threads]);
	return f->data ? ASC_OK : asc_err_nomem(e);
}

static void write_part(void *user, size_t index)
{
	struct cpu_flush *f = user;

	memset(f->data + f->from[index], f->byte, f->from[index + 1] - f->from[index]);
}

enum asc_status cpu_flush_run(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e)
{
	if (!f->data && prepare(f, threads, e))
		return e->status;
	f->byte = (f->byte + 1) & 0xff;
	cpu_threads_pin(threads);
	cpu_threads_run(threads, f->threads, write_part, f);
	cpu_threads_unpin(threads);
	return ASC_OK;
}

void cpu_flush_fini(struct cpu_flush *f)
{
	free(f->data);
	free(f->from);
	*f = (struct cpu_flush){0};
}
