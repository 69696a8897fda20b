#include "tuner/device/cpu/cpu_flush.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cpu/cpu_caches.h"
#include "tuner/device/cpu/cpu_threads.h"

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>

bool cpu_evict_works(void)
{
	return true;
}

static size_t line_bytes(void)
{
	return 64;
}

/* Intel's manual of instructions, CPUID leaf 7, EBX bit 23. Asked once: a virtual machine leaves to
 * its host for every CPUID, and every cold launch would ask several times. */
static bool has_clflushopt(void)
{
	static _Atomic int known; /* 0: not yet, 1: no, 2: yes */
	unsigned a, b, c, d;

	if (known == 0)
		known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1U << 23) ? 2 : 1;
	return known == 2;
}

static void evict_lines(const char *from, const char *to)
{
	/* clflushopt does not wait for the line before; clflush, which every processor has, does.
	 */
	const bool at_once = has_clflushopt();

	for (const char *line = from; line < to; line += line_bytes())
		if (at_once)
			__asm__ volatile("clflushopt (%0)" : : "r"(line) : "memory");
		else
			_mm_clflush(line);
	/* The lines are gone only behind the fence. */
	_mm_mfence();
}

#elif defined __aarch64__

/* Linux lets programs use DC CIVAC and read CTR_EL0 (Arm ARM, D24.2.34: bits 19:16 are the log2 of
 * the words of the smallest line). */
bool cpu_evict_works(void)
{
	return true;
}

static size_t line_bytes(void)
{
	uint64_t ctr;

	__asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
	return (size_t)4 << (ctr >> 16 & 0xf);
}

static void evict_lines(const char *from, const char *to)
{
	const size_t step = line_bytes();

	for (const char *line = from; line < to; line += step)
		__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
}

#else

bool cpu_evict_works(void)
{
	return false;
}

static size_t line_bytes(void)
{
	return 1;
}

static void evict_lines(const char *from, const char *to)
{
	(void)from;
	(void)to;
}

#endif

void cpu_evict(const void *at, size_t bytes)
{
	const char *from = at;

	if (bytes > 0)
		evict_lines(from - (uintptr_t)at % line_bytes(), from + bytes);
}

static const size_t UNKNOWN_BYTES = (size_t)64 << 20;

/* ---- who writes what ---- */

/* Turns the sizes in from[1 .. n] into ends. */
static void add_up(size_t *from, size_t n)
{
	from[0] = 0;
	for (size_t i = 0; i < n; i++)
		from[i + 1] += from[i];
}

static enum asc_status prepare(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e)
{
	const struct cpu_places *places = cpu_threads_places(threads);
	size_t n = places->n < 1 ? 1 : places->n;

	/* A thread for each processor, however many the kernel uses: caches of all may hold data.
	 */
	n = n < CPU_THREADS_MAX ? n : CPU_THREADS_MAX;
	if (cpu_threads_reserve(threads, n, e))
		return e->status;
	f->cores = calloc(n + 1, sizeof *f->cores);
	f->all = calloc(n + 1, sizeof *f->all);
	if (!f->cores || !f->all) {
		cpu_flush_fini(f);
		return asc_err_nomem(e);
	}
	cpu_caches_share_cores(CPU_CACHES_FOLDER, places, n, UNKNOWN_BYTES, f->cores + 1);
	cpu_caches_share(CPU_CACHES_FOLDER, places, n, UNKNOWN_BYTES, f->all + 1);
	add_up(f->cores, n);
	add_up(f->all, n);
	f->threads = n;
	return ASC_OK;
}

/* ---- one run ---- */

struct run {
	const struct cpu_flush *flush;
	const size_t *from;             /* begin of what each thread writes */
	const struct cpu_span *buffers; /* buffers of which each thread drops a part too */
	size_t n;
};

static void do_part(void *user, size_t index)
{
	const struct run *r = user;
	const struct cpu_flush *f = r->flush;

	for (size_t i = 0; i < r->n; i++) {
		const struct cpu_span *b = &r->buffers[i];
		size_t from = b->bytes / f->threads * index;
		size_t to = index + 1 < f->threads ? b->bytes / f->threads * (index + 1) : b->bytes;

		cpu_evict((const char *)b->at + from, to - from);
	}
	memset(f->data + r->from[index], f->byte, r->from[index + 1] - r->from[index]);
}

enum asc_status cpu_flush_run(struct cpu_flush *f, struct cpu_threads *threads,
			      const struct cpu_span *buffers, size_t n, struct asc_err *e)
{
	if (!f->threads && prepare(f, threads, e))
		return e->status;
	const size_t all = f->all[f->threads];
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += buffers[i].bytes;
	/* Line by line where that is less work than to write all caches full. */
	const bool by_line = n > 0 && cpu_evict_works() && bytes <= all;
	struct run r = {.flush = f,
			.from = by_line ? f->cores : f->all,
			.buffers = buffers,
			.n = by_line ? n : 0};

	const size_t wanted = r.from[f->threads];

	if (wanted > f->bytes) {
		/* Not grown: what is there need not be copied. */
		free(f->data);
		f->data = malloc(wanted);
		f->bytes = f->data ? wanted : 0;
		if (!f->data)
			return asc_err_nomem(e);
	}
	/* Another byte each time: a compiler, or a cache, could save a write of what is there. */
	f->byte = (f->byte + 1) & 0xff;
	cpu_threads_pin(threads);
	cpu_threads_run(threads, f->threads, do_part, &r);
	cpu_threads_unpin(threads);
	return ASC_OK;
}

void cpu_flush_fini(struct cpu_flush *f)
{
	free(f->data);
	free(f->cores);
	free(f->all);
	*f = (struct cpu_flush){0};
}
