#include "tuner/process/fiber.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/units.h"

/* An address sanitizer has to know which stack is in use. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define FIBER_SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FIBER_SANITIZED
#endif
#ifdef FIBER_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

#define SECOND INT64_C(1000000000)

/* Time between looks at descriptors that cannot be waited for together. */
static const int64_t LOOK_NS = 1000000;

/* Size of a stack: what Linux gives a thread. Pages that are never touched take no memory. */
static const size_t STACK_BYTES = 8 << 20;

struct fiber {
	struct fiber_start start;
	struct fibers *of;
	ucontext_t context;
	char *stack; /* its lowest page cannot be touched */
	void *fake;  /* the sanitizer's second stack of this fiber */
	bool ended;
	bool ready; /* goes on in this turn */
	/* Wait of the fiber, as fiber_poll() has it. */
	struct pollfd *fds;
	nfds_t n;
	int64_t until_ns; /* clock_now_ns() at which it ends */
	int answer;
};

struct fibers {
	struct fiber **list;
	size_t n, room;
	ucontext_t caller; /* of fibers_run() */
	const void *caller_stack;
	size_t caller_bytes;
	void *fake;         /* the sanitizer's second stack of the caller */
	struct pollfd *all; /* what all fibers wait for, in the order of `list` */
	size_t all_room;
};

/* The fiber that runs now; NULL: none does. */
static _Thread_local struct fiber *current;

/* ---- switching ---- */

static void switch_to(void **fake, const void *stack, size_t bytes, ucontext_t *from,
		      ucontext_t *to)
{
#ifdef FIBER_SANITIZED
	__sanitizer_start_switch_fiber(fake, stack, bytes);
#else
	(void)fake, (void)stack, (void)bytes;
#endif
	(void)swapcontext(from, to);
#ifdef FIBER_SANITIZED
	__sanitizer_finish_switch_fiber(fake ? *fake : NULL, NULL, NULL);
#endif
}

/* First function on a fiber's stack; `current` is the fiber. */
static void begin(void)
{
	struct fiber *const me = current;
	struct fibers *const f = me->of;

#ifdef FIBER_SANITIZED
	__sanitizer_finish_switch_fiber(NULL, &f->caller_stack, &f->caller_bytes);
#endif
	me->start.run(me->start.user);
	me->ended = true;
	/* Its stack is not used again: no fake one is kept for it. */
	switch_to(NULL, f->caller_stack, f->caller_bytes, &me->context, &f->caller);
}

static void go_on(struct fiber *x)
{
	struct fibers *const f = x->of;

	x->ready = false;
	current = x;
	if (x->start.enter)
		x->start.enter(x->start.user);
	switch_to(&f->fake, x->stack, STACK_BYTES, &f->caller, &x->context);
	if (x->start.leave)
		x->start.leave(x->start.user);
	current = NULL;
}

/* ---- waiting ---- */

static int wait_for(struct pollfd *fds, nfds_t n, int64_t wait_ns)
{
	const int64_t ns = wait_ns > 0 ? wait_ns : 0;
	const struct timespec time = {ns / SECOND, ns % SECOND};

	return ppoll(fds, n, &time, NULL);
}

int fiber_poll(struct pollfd *fds, nfds_t n, int64_t wait_ns)
{
	struct fiber *const me = current;

	if (!me)
		return wait_for(fds, n, wait_ns);
	me->fds = fds;
	me->n = n;
	me->until_ns = clock_now_ns() + (wait_ns > 0 ? wait_ns : 0);
	switch_to(&me->fake, me->of->caller_stack, me->of->caller_bytes, &me->context,
		  &me->of->caller);
	return me->answer;
}

/* Waits until a fiber can go on, and marks all that can: a descriptor that several wait for is seen
 * by each of them before any acts on it. */
static void wait_for_any(struct fibers *f)
{
	size_t n = 0, at = 0;
	int64_t until_ns = INT64_MAX;

	for (size_t i = 0; i < f->n; i++) {
		n += f->list[i]->n;
		if (f->list[i]->until_ns < until_ns)
			until_ns = f->list[i]->until_ns;
	}
	while (n > f->all_room && array_room(&f->all, f->all_room, &f->all_room, sizeof *f->all)) {
	}
	const bool room = n <= f->all_room;

	for (size_t i = 0; room && i < f->n; i++) {
		if (f->list[i]->n > 0)
			memcpy(f->all + at, f->list[i]->fds, f->list[i]->n * sizeof *f->all);
		at += f->list[i]->n;
	}
	const int found = room ? wait_for(f->all, at, until_ns - clock_now_ns()) : -1;
	const bool interrupted = room && found < 0 && errno == EINTR;
	/* All of them may be too many at once: for memory, or for ppoll(), which takes as many as a
	 * process may have open, and counts one again for each fiber that waits for it. */
	const bool one_by_one = found < 0 && !interrupted;

	if (one_by_one)
		(void)wait_for(NULL, 0, LOOK_NS);
	const int64_t now_ns = clock_now_ns();

	at = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct fiber *x = f->list[i];

		if (one_by_one) {
			x->answer = wait_for(x->fds, x->n, 0);
		} else {
			x->answer = 0;
			for (nfds_t k = 0; k < x->n; k++) {
				x->fds[k].revents = 0;
				if (found > 0)
					x->fds[k].revents = f->all[at + k].revents;
				x->answer += x->fds[k].revents != 0;
			}
			at += x->n;
		}
		x->ready = interrupted || x->answer != 0 || now_ns >= x->until_ns;
	}
}

/* ---- all of them ---- */

enum asc_status fibers_new(struct fibers **out, struct asc_err *e)
{
	*out = calloc(1, sizeof **out);
	return *out ? ASC_OK : asc_err_nomem(e);
}

static void fiber_free(struct fiber *x)
{
	if (x->stack)
		(void)munmap(x->stack, STACK_BYTES);
	free(x);
}

enum asc_status fibers_add(struct fibers *f, const struct fiber_start *start, struct asc_err *e)
{
	struct fiber *x;

	if (!array_room(&f->list, f->n, &f->room, sizeof(struct fiber *)) ||
	    !(x = calloc(1, sizeof *x)))
		return asc_err_nomem(e);
	*x = (struct fiber){.start = *start, .of = f, .ready = true};
	void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED) {
		fiber_free(x);
		return asc_err_nomem(e);
	}
	x->stack = stack;
	/* A stack that grows past its end ends the process; it does not change what lies there. */
	(void)mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
	(void)getcontext(&x->context); /* which fails on no system with this library */
	x->context.uc_stack.ss_sp = x->stack;
	x->context.uc_stack.ss_size = STACK_BYTES;
	makecontext(&x->context, begin, 0);
	f->list[f->n++] = x;
	return ASC_OK;
}

void fibers_run(struct fibers *f)
{
	assert(!current);
	while (f->n > 0) {
		size_t kept = 0;

		/* A fiber that is added meanwhile begins in this turn, too. */
		for (size_t i = 0; i < f->n; i++)
			if (f->list[i]->ready)
				go_on(f->list[i]);
		for (size_t i = 0; i < f->n; i++)
			if (f->list[i]->ended)
				fiber_free(f->list[i]);
			else
				f->list[kept++] = f->list[i];
		f->n = kept;
		if (f->n > 0)
			wait_for_any(f);
	}
}

void fibers_free(struct fibers *f)
{
	if (!f)
		return;
	assert(!current);
	for (size_t i = 0; i < f->n; i++)
		fiber_free(f->list[i]);
	free(f->list);
	free(f->all);
	free(f);
}
