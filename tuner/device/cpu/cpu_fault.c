/* Only what a signal handler may call is called there: no printf, no allocation. */
#include "tuner/device/cpu/cpu_fault.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tuner/device/cpu/cpu_buffer.h"

enum {
	STACK_BYTES = 64 << 10, /* of the handlers; vector registers alone take up to 17 KiB */
	NEAR_BYTES = 64 << 10,  /* a stack pointer so near the stack's end is at it */
	FAR_BYTES = 64 << 20,   /* a frame that is larger is none */
	NULL_BYTES = 4096,      /* members and first elements of what begins at NULL */
	LINE_BYTES = 300,
	NUMBER_BYTES = 20
};

static const uint64_t NUMBERS_END = UINT64_C(1) << 32; /* nothing is mapped below, with a loader of
							  position-independent programs */

static pid_t owner; /* process that has the handlers; 0: none yet */
static struct sigaction before_segv, before_bus;
static _Thread_local bool watched;
static _Thread_local uintptr_t stack_low, stack_high; /* of the thread; 0: unknown */

/* ---- the line ---- */

struct line {
	char text[LINE_BYTES];
	size_t len;
};

static void put(struct line *l, const char *text)
{
	const size_t room = sizeof l->text - l->len, n = strlen(text);

	memcpy(l->text + l->len, text, n < room ? n : room);
	l->len += n < room ? n : room;
}

static void put_number(struct line *l, uint64_t n)
{
	char digits[NUMBER_BYTES + 1];
	size_t at = NUMBER_BYTES;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	put(l, digits + at);
}

static void put_bytes(struct line *l, uint64_t n)
{
	put_number(l, n);
	put(l, n == 1 ? " byte" : " bytes");
}

/* ---- what was tried ---- */

struct fault {
	const char *verb; /* read, write, call; "access" where that is unknown */
	uintptr_t at, stack_pointer;
	bool addressed; /* `at` is known */
};

#if defined(__x86_64__)

/* Bits of the error code of a page fault (Intel SDM volume 3, 4.7). */
enum { FAULT_WRITE = 1 << 1, FAULT_FETCH = 1 << 4 };

static void look(const ucontext_t *c, struct fault *f)
{
	const greg_t code = c->uc_mcontext.gregs[REG_ERR];

	f->stack_pointer = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
	if (f->addressed)
		f->verb = code & FAULT_FETCH ? "call" : code & FAULT_WRITE ? "write" : "read";
}

#elif defined(__aarch64__)

/* ESR_EL1 (Arm ARM, D19.2.37): class of the exception, and write-not-read of a data abort. */
enum { CLASS_SHIFT = 26, CLASS_FETCH = 0x20, CLASS_DATA = 0x24, DATA_WRITE = 1 << 6 };

static void look(const ucontext_t *c, struct fault *f)
{
	const unsigned char *at = (const unsigned char *)c->uc_mcontext.__reserved;
	const unsigned char *const end = at + sizeof c->uc_mcontext.__reserved;
	struct esr_context record;

	f->stack_pointer = (uintptr_t)c->uc_mcontext.sp;
	/* A list of records, each with its size; one of size 0 ends it. */
	while ((size_t)(end - at) >= sizeof record) {
		memcpy(&record, at, sizeof record);
		if (record.head.size == 0 || record.head.size > (size_t)(end - at))
			return;
		if (record.head.magic == ESR_MAGIC) {
			const unsigned class = (unsigned)(record.esr >> CLASS_SHIFT) & 0x3F;

			if (class == CLASS_FETCH)
				f->verb = "call";
			else if (class == CLASS_DATA)
				f->verb = record.esr & DATA_WRITE ? "write" : "read";
			return;
		}
		at += record.head.size;
	}
}

#else

static void look(const ucontext_t *c, struct fault *f)
{
	(void)c, (void)f;
}

#endif

/* ---- where it is ---- */

static void put_place(struct line *l, const struct fault *f, const struct cpu_buffer_place *p)
{
	const uintptr_t end = p->start + p->bytes;

	put(l, f->verb);
	if (f->at < p->start) {
		put(l, " ");
		put_bytes(l, p->start - f->at);
		put(l, " before the start of ");
	} else if (f->at == end) {
		put(l, " just past the end of ");
	} else if (f->at > end) {
		put(l, " ");
		put_bytes(l, f->at - end);
		put(l, " past the end of ");
	} else {
		put(l, " at byte ");
		put_number(l, f->at - p->start);
		put(l, " of ");
	}
	put(l, p->label);
	/* Within a buffer nothing but a write to a protected input faults. */
	if (f->at >= p->start && f->at < end && p->read_only)
		put(l, ", which is an input");
}

/* True where the thread's stack has grown out of its memory: into its guard, or beyond that, into
 * whatever lies there. */
static bool is_overflow(const struct fault *f, bool in_buffer)
{
	/* A kernel's own stack pointer may stand just above the guard without harm, where the
	 * address is one of a tensor's. */
	const uintptr_t end = stack_low + (in_buffer ? 0 : NEAR_BYTES);

	return stack_low && f->stack_pointer < end && f->stack_pointer > stack_low - FAR_BYTES &&
	       (f->stack_pointer < stack_low || (f->addressed && f->at < stack_high));
}

static void describe(const struct fault *f, struct line *l)
{
	struct cpu_buffer_place place;
	const bool in_buffer = f->addressed && cpu_buffer_find(f->at, &place);

	/* From the surest sign to the vaguest: a stack that has run over may hit anything. */
	if (is_overflow(f, in_buffer)) {
		put(l, "stack overflow");
	} else if (!f->addressed) {
		put(l, "access to an address that no memory can have: a number that is taken for a "
		       "pointer?");
	} else if (in_buffer) {
		put_place(l, f, &place);
	} else if (f->at < NUMBERS_END) {
		put(l, f->verb);
		put(l, " at address ");
		put_number(l, f->at);
		put(l, f->at < NULL_BYTES ? ": a null pointer"
					  : ": a number that is taken for a pointer?");
	} else {
		/* The address itself is another one in each process. */
		put(l, f->verb);
		put(l, " outside of all tensors and 16 MiB around them");
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	static atomic_flag taken = ATOMIC_FLAG_INIT;
	struct line l = {.len = 0};
	struct fault f = {.verb = "access",
			  .at = (uintptr_t)info->si_addr,
			  .addressed = info->si_code == SEGV_MAPERR ||
				       info->si_code == SEGV_ACCERR || sig == SIGBUS};
	const bool own = info->si_code > 0 && getpid() == owner;

	/* Only a fault of this process: a signal that was sent, or a fork, has no line. Threads
	 * that fault beside the first one wait for the end that it brings. */
	while (own && atomic_flag_test_and_set(&taken))
		(void)pause();
	if (own) {
		look(context, &f);
		describe(&f, &l);
		put(&l, "\n");
		(void)!write(STDERR_FILENO, l.text, l.len);
	}
	/* What ended the process without this handler does so now: the access is made again, a
	 * signal that was sent is sent again. */
	(void)sigaction(sig, sig == SIGBUS ? &before_bus : &before_segv, NULL);
	if (info->si_code <= 0)
		(void)raise(sig);
}

/* ---- the process ---- */

void cpu_fault_watch_thread(void)
{
	pthread_attr_t attributes;
	sigset_t signals;
	void *low = NULL;
	size_t bytes = 0;

	if (owner == 0 || watched)
		return;
	watched = true;
	/* The memory stays as long as the process, whatever the thread does. */
	void *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return;
	(void)sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = STACK_BYTES}, NULL);
	/* Asked now: the handler may not, and the stack may be full by then. */
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
			stack_low = (uintptr_t)low;
			stack_high = stack_low + bytes;
		}
		(void)pthread_attr_destroy(&attributes);
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGSEGV);
	sigaddset(&signals, SIGBUS);
	/* A blocked signal of a fault ends the process at once, past the handler. */
	(void)pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

/* sa_mask: no further signals. */
static const struct sigaction own_action = {.sa_sigaction = on_fault,
					    .sa_flags = SA_SIGINFO | SA_ONSTACK};

void cpu_fault_begin(void)
{
	if (owner == getpid())
		return;
	owner = getpid();
	(void)sigaction(SIGSEGV, &own_action, &before_segv);
	(void)sigaction(SIGBUS, &own_action, &before_bus);
	cpu_fault_watch_thread();
}

void cpu_fault_hold(struct cpu_fault_handlers *before)
{
	if (owner != getpid())
		return;
	(void)sigaction(SIGSEGV, &own_action, &before->segv);
	(void)sigaction(SIGBUS, &own_action, &before->bus);
}

void cpu_fault_let_go(const struct cpu_fault_handlers *before)
{
	if (owner != getpid())
		return;
	(void)sigaction(SIGSEGV, &before->segv, NULL);
	(void)sigaction(SIGBUS, &before->bus, NULL);
}
