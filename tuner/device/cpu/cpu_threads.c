#include "tuner/device/cpu/cpu_threads.h"

#include <fenv.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_fault.h"
#include "tuner/process/thread.h"

/* ---- processors ---- */

/* Number of a core: the first processor that the kernel lists for it. */
static int find_core(int cpu)
{
	char path[96], text[32] = "";

	(void)snprintf(path, sizeof path,
		       "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	FILE *f = fopen(path, "re");
	if (!f)
		return cpu;
	char *end = text;
	long first = fgets(text, sizeof text, f) ? strtol(text, &end, 10) : cpu;

	fclose(f);
	return end > text && first >= 0 && first < CPU_SETSIZE ? (int)first : cpu;
}

void cpu_places_choose(struct cpu_places *p, const cpu_set_t *allowed, int (*core_of)(int cpu))
{
	bool taken[CPU_SETSIZE] = {false};
	int sharing[CPU_SETSIZE];
	size_t n_sharing = 0;

	p->n = 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, allowed))
			continue;
		/* Two threads on one core share its units: those come last. */
		int core = core_of(cpu);
		if (taken[core])
			sharing[n_sharing++] = cpu;
		else
			p->order[p->n++] = cpu;
		taken[core] = true;
	}
	for (size_t i = 0; i < n_sharing; i++)
		p->order[p->n++] = sharing[i];
}

void cpu_places_read(struct cpu_places *p)
{
	cpu_set_t allowed;

	p->n = 0;
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
		cpu_places_choose(p, &allowed, find_core);
}

bool cpu_places_find(const struct cpu_places *p, size_t index, cpu_set_t *out)
{
	CPU_ZERO(out);
	if (p->n > 0)
		CPU_SET(p->order[index % p->n], out);
	return p->n > 0;
}

void cpu_places_pin(const struct cpu_places *p, size_t index, cpu_set_t *before)
{
	cpu_set_t one;

	CPU_ZERO(before);
	if (!cpu_places_find(p, index, &one) || sched_getaffinity(0, sizeof *before, before) ||
	    !CPU_ISSET(p->order[index % p->n], before))
		return;
	(void)sched_setaffinity(0, sizeof one, &one);
}

void cpu_places_unpin(const cpu_set_t *before)
{
	if (CPU_COUNT(before) > 0)
		(void)sched_setaffinity(0, sizeof *before, before);
}

/* ---- the team ---- */

/* A waiting thread looks out as long as the host is busy between two launches, to compare what the
 * first has left, to make the next ready, and to read the state of the machine. A thread that
 * sleeps then takes 20 to 90 us to wake in a virtual machine, which would be part of the time of a
 * kernel that may last 10. */
static const int64_t LOOK_NS = 100000;

enum { SPINS = 256 /* between two looks at the clock */, LINE = 64, STACK_BYTES = 8 << 20 };

struct signal_word {
	_Atomic uint32_t value;
	atomic_bool sleeping;
};

struct member { /* one thread, on a cache line of its own because its word is polled */
	_Alignas(LINE) struct signal_word go;
	struct cpu_threads *team;
	size_t index;
	pthread_t thread;
};

struct cpu_threads {
	_Alignas(LINE) struct signal_word left; /* number of members that have not returned */
	cpu_threads_fn *fn;
	void *user;
	atomic_bool ending;
	/* Number of threads that look out while they wait, the first ones: those of the newest run.
	 * On a line that look_out() alone writes during runs, since all that wait read it. */
	_Alignas(LINE) atomic_size_t looking;
	struct cpu_places places;
	cpu_set_t before; /* processors that the caller's thread was allowed before it was pinned */
	int pins;         /* of that thread, one within another */
	size_t n;         /* number of threads, the caller's included; member[0] is unused */
	struct member *member[CPU_THREADS_MAX];
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static atomic_bool sleep_at_once;

static bool looks_out(const struct cpu_threads *t, size_t index)
{
	return index < atomic_load_explicit(&t->looking, memory_order_relaxed) &&
	       !atomic_load_explicit(&sleep_at_once, memory_order_relaxed);
}

/* Returns once the word is no longer `old`; thread `index` of the team waits for it. Sleeping is
 * announced before the word is read again, and signal_wake() looks for sleepers after the word has
 * changed, so that no wake-up is lost. */
static void signal_wait(const struct cpu_threads *t, size_t index, struct signal_word *w,
			uint32_t old)
{
	int64_t until_ns = INT64_MAX;

	for (int64_t i = 1; looks_out(t, index); i++) {
		if (atomic_load_explicit(&w->value, memory_order_acquire) != old)
			return;
		pause_briefly();
		if (i % SPINS != 0)
			continue;
		const int64_t now_ns = clock_now_ns();

		if (now_ns >= until_ns)
			break;
		until_ns = i == SPINS ? now_ns + LOOK_NS : until_ns;
	}
	atomic_store(&w->sleeping, true);
	while (atomic_load(&w->value) == old)
		syscall(SYS_futex, &w->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
	atomic_store(&w->sleeping, false);
}

static void signal_wake(struct signal_word *w)
{
	if (atomic_load(&w->sleeping))
		syscall(SYS_futex, &w->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void *member_main(void *argument)
{
	struct member *m = argument;
	struct cpu_threads *t = m->team;
	cpu_set_t before;

	cpu_fault_watch_thread();
	cpu_places_pin(&t->places, m->index, &before);
	for (uint32_t seen = 0;; seen++) {
		signal_wait(t, m->index, &m->go, seen);
		if (atomic_load(&t->ending))
			return NULL;
		cpu_float_reset();
		t->fn(t->user, m->index);
		/* Only the last one wakes the caller, which would go back to sleep. */
		if (atomic_fetch_sub(&t->left.value, 1) == 1)
			signal_wake(&t->left);
	}
}

enum asc_status cpu_threads_new(struct cpu_threads **out, struct asc_err *e)
{
	struct cpu_threads *t = aligned_alloc(LINE, sizeof *t);

	*out = t;
	if (!t)
		return asc_err_nomem(e);
	memset(t, 0, sizeof *t);
	t->n = 1;
	cpu_places_read(&t->places);
	return ASC_OK;
}

void cpu_threads_free(struct cpu_threads *t)
{
	if (!t)
		return;
	atomic_store(&t->ending, true);
	for (size_t i = 1; i < t->n; i++) {
		atomic_fetch_add(&t->member[i]->go.value, 1);
		signal_wake(&t->member[i]->go);
		pthread_join(t->member[i]->thread, NULL);
		free(t->member[i]);
	}
	free(t);
}

static enum asc_status add_member(struct cpu_threads *t, struct asc_err *e)
{
	struct member *m = aligned_alloc(LINE, sizeof *m);

	if (!m)
		return asc_err_nomem(e);
	memset(m, 0, sizeof *m);
	m->team = t;
	m->index = t->n;
	/* As much stack as a main thread has, for kernels that put their tiles there. */
	pthread_attr_t attributes;
	int failure = pthread_attr_init(&attributes);
	if (!failure) {
		pthread_attr_setstacksize(&attributes, STACK_BYTES);
		failure = thread_start(&m->thread, &attributes, member_main, m);
		pthread_attr_destroy(&attributes);
	}
	if (failure) {
		free(m);
		return asc_err_set(e, ASC_NOMEM, "cannot start thread %zu: %s", t->n + 1,
				   strerror(failure));
	}
	t->member[t->n++] = m;
	return ASC_OK;
}

enum asc_status cpu_threads_reserve(struct cpu_threads *t, size_t n, struct asc_err *e)
{
	if (n < 1 || n > CPU_THREADS_MAX)
		return asc_err_set(e, ASC_LIMIT, "%zu threads: expected 1 to %d", n,
				   CPU_THREADS_MAX);
	while (t->n < n) {
		enum asc_status s = add_member(t, e);
		if (s)
			return s;
	}
	return ASC_OK;
}

void cpu_threads_pin(struct cpu_threads *t)
{
	if (t->pins++ == 0)
		cpu_places_pin(&t->places, 0, &t->before);
}

void cpu_threads_unpin(struct cpu_threads *t)
{
	if (--t->pins == 0)
		cpu_places_unpin(&t->before);
}

const struct cpu_places *cpu_threads_places(const struct cpu_threads *t)
{
	return &t->places;
}

void cpu_threads_sleep_at_once(bool on)
{
	atomic_store(&sleep_at_once, on);
}

/* Has the first n threads look out while they wait. Those that do so already find nothing written.
 */
static void look_out(struct cpu_threads *t, size_t n)
{
	if (atomic_load_explicit(&t->looking, memory_order_relaxed) != n)
		atomic_store_explicit(&t->looking, n, memory_order_relaxed);
}

void cpu_threads_rest(struct cpu_threads *t)
{
	look_out(t, 0);
}

void cpu_threads_run(struct cpu_threads *t, size_t n, cpu_threads_fn *fn, void *user)
{
	/* A spinning thread would keep a working one from running where there are more threads than
	 * processors. */
	look_out(t, n <= t->places.n ? n : 0);
	/* All that a member reads, before the word that lets it go. */
	t->fn = fn;
	t->user = user;
	atomic_store(&t->left.value, (uint32_t)(n - 1));
	for (size_t i = 1; i < n; i++) {
		atomic_fetch_add(&t->member[i]->go.value, 1);
		signal_wake(&t->member[i]->go);
	}
	fn(user, 0);
	/* Returns of the others may come one by one: each changes the number that is waited for. */
	for (uint32_t left;
	     (left = atomic_load_explicit(&t->left.value, memory_order_acquire)) != 0;)
		signal_wait(t, 0, &t->left, left);
}

#if defined(__x86_64__)

/* Values of both registers at a program's start by the System V ABI for AMD64 (3.2.3): round to
 * nearest, every exception masked, subnormals kept, x87 with 64 bits. */
enum { MXCSR_START = 0x1F80, MXCSR_FLAGS = 0x3F, X87_START = 0x37F };

void cpu_float_reset(void)
{
	uint16_t control;

	if ((_mm_getcsr() & ~(unsigned)MXCSR_FLAGS) != MXCSR_START)
		_mm_setcsr(MXCSR_START);
	__asm__ volatile("fnstcw %0" : "=m"(control));
	if (control != X87_START)
		__asm__ volatile("fninit");
}
#else

void cpu_float_reset(void)
{
	(void)fesetenv(FE_DFL_ENV);
}
#endif
