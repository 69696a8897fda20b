/* Fibers: they take turns where they wait, each sees the descriptors that it waits for, also where
 * all of them are more than a process may wait for at once, and what is a fiber's own is in place
 * whenever it goes on.
 * covers: fiber.c */
#include "tuner/process/fiber.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/units.h"

static const int64_t LONG_NS = INT64_C(20000000000);

static char order[256]; /* one letter for each step of a fiber */

static void note(char letter)
{
	const size_t n = strlen(order);

	if (n + 1 < sizeof order)
		order[n] = letter;
}

/* ---- turns ---- */

struct speaker {
	char letter;
	int in, out; /* reads a byte, then writes one */
	int rounds;
	int own, *shared; /* what of `shared` is its own */
	bool disturbed;
};

static void enter(void *user)
{
	struct speaker *s = user;

	*s->shared = s->own;
}

static void leave(void *user)
{
	struct speaker *s = user;

	s->own = *s->shared;
}

static void speak(void *user)
{
	struct speaker *s = user;
	char byte;

	for (int i = 0; i < s->rounds; i++) {
		struct pollfd fd = {.fd = s->in, .events = POLLIN};
		const int before = *s->shared;

		if (fiber_poll(&fd, 1, LONG_NS) != 1 || !(fd.revents & POLLIN) ||
		    read(s->in, &byte, 1) != 1)
			return;
		s->disturbed |= *s->shared != before;
		++*s->shared;
		note(s->letter);
		if (write(s->out, &byte, 1) != 1)
			return;
	}
}

/* A byte goes round among three fibers: none runs before its turn, and none waits for another. */
static void take_turns(void)
{
	enum { N = 3, ROUNDS = 4 };
	int pipes[N][2], shared = 0;
	struct speaker s[N];
	struct fibers *f;
	struct asc_err e;

	if (!tap_int(fibers_new(&f, &e), ASC_OK, "there are fibers"))
		return;
	for (int i = 0; i < N; i++)
		if (pipe(pipes[i]) != 0)
			abort();
	for (int i = 0; i < N; i++) {
		s[i] = (struct speaker){.letter = (char)('a' + i),
					.in = pipes[i][0],
					.out = pipes[(i + 1) % N][1],
					.rounds = ROUNDS,
					.own = 100 * i,
					.shared = &shared};
		tap_int(fibers_add(f, &(struct fiber_start){speak, enter, leave, &s[i]}, &e),
			ASC_OK, "%c is added", 'a' + i);
	}
	memset(order, 0, sizeof order);
	if (write(pipes[0][1], "x", 1) != 1)
		abort();
	fibers_run(f);
	tap_str(order, "abcabcabcabc", "each goes on when its byte is there");
	for (int i = 0; i < N; i++) {
		tap_ok(!s[i].disturbed, "%c found its own state", 'a' + i);
		tap_int(s[i].own, 100 * i + ROUNDS, "and has changed it");
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	fibers_free(f);
}

/* ---- what several wait for ---- */

static void watch(void *user)
{
	struct pollfd fd = {.fd = *(int *)user, .events = POLLIN};

	if (fiber_poll(&fd, 1, LONG_NS) == 1)
		note('w');
}

static void see_the_same(void)
{
	int ends[2];
	struct fibers *f;
	struct asc_err e;

	if (pipe(ends) != 0 || fibers_new(&f, &e))
		abort();
	for (int i = 0; i < 2; i++)
		(void)fibers_add(f, &(struct fiber_start){.run = watch, .user = &ends[0]}, &e);
	memset(order, 0, sizeof order);
	if (write(ends[1], "x", 1) != 1)
		abort();
	fibers_run(f);
	tap_ok(strncmp(order, "ww", 2) == 0, "both are told of one byte: %s", order);
	close(ends[0]);
	close(ends[1]);
	fibers_free(f);
}

/* Waits for a descriptor so many times over that the limit of a process holds for one fiber, and
 * not for two. */
static void watch_often(void *user)
{
	struct pollfd fds[12];

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		fds[i] = (struct pollfd){.fd = *(int *)user, .events = POLLIN};
	if (fiber_poll(fds, 12, LONG_NS) == 12 && fds[11].revents & POLLIN)
		note('w');
}

static void write_late(void *user)
{
	(void)fiber_poll(NULL, 0, 5000000);
	note('x');
	if (write(*(int *)user, "x", 1) != 1)
		abort();
}

static void wait_for_many(void)
{
	struct rlimit before, few;
	int ends[2];
	struct fibers *f;
	struct asc_err e;

	if (pipe(ends) != 0 || fibers_new(&f, &e) || getrlimit(RLIMIT_NOFILE, &before) != 0)
		abort();
	for (int i = 0; i < 3; i++)
		(void)fibers_add(f,
				 &(struct fiber_start){.run = i ? watch_often : write_late,
						       .user = &ends[i == 0]},
				 &e);
	memset(order, 0, sizeof order);
	few = (struct rlimit){.rlim_cur = 16, .rlim_max = before.rlim_max};
	if (setrlimit(RLIMIT_NOFILE, &few) != 0)
		abort();
	fibers_run(f);
	(void)setrlimit(RLIMIT_NOFILE, &before);
	tap_str(order, "xww", "fibers that wait for more than a process may are told, too");
	close(ends[0]);
	close(ends[1]);
	fibers_free(f);
}

/* ---- time ---- */

struct sleeper {
	char letter;
	int64_t ns;
	struct fibers *adds; /* one more, when it wakes up; NULL: none */
	int wakes;           /* writes a byte there then; 0: nowhere */
};

static void rest(void *user)
{
	struct sleeper *s = user;
	static struct sleeper late = {'z', 0, NULL, 0};
	const struct fiber_start more = {.run = rest, .user = &late};
	const int64_t begin_ns = clock_now_ns();
	struct asc_err e;

	tap_int(fiber_poll(NULL, 0, s->ns), 0, "%c sleeps", s->letter);
	tap_ok(clock_now_ns() - begin_ns >= s->ns, "for its time at least");
	note(s->letter);
	if (s->adds)
		(void)fibers_add(s->adds, &more, &e);
	if (s->wakes && write(s->wakes, "x", 1) != 1)
		abort();
}

/* None sleeps while another one does: the first would else see no byte in all its time. */
static void sleep_apart(void)
{
	struct sleeper s = {'s', 10000000, NULL, 0};
	struct fibers *f;
	struct asc_err e;
	int ends[2];

	if (pipe(ends) != 0 || fibers_new(&f, &e))
		abort();
	s.adds = f;
	s.wakes = ends[1];
	(void)fibers_add(f, &(struct fiber_start){.run = watch, .user = &ends[0]}, &e);
	(void)fibers_add(f, &(struct fiber_start){.run = rest, .user = &s}, &e);
	memset(order, 0, sizeof order);
	fibers_run(f);
	tap_str(order, "swz",
		"one sleeps while another waits, and one that is added late runs, too");
	fibers_run(f);
	tap_str(order, "swz", "without fibers nothing runs");
	fibers_free(f);
	close(ends[0]);
	close(ends[1]);
	const int64_t begin_ns = clock_now_ns();

	tap_int(fiber_poll(NULL, 0, 20000000), 0, "outside of fibers");
	tap_ok(clock_now_ns() - begin_ns >= 20000000, "the thread waits");
}

/* ---- stacks ---- */

static uint64_t deep(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n == 0 ? (uint64_t)room[0] : deep(n - 1) + (room[0] != 0);
}

static void dig(void *user)
{
	*(uint64_t *)user = deep(1000);
	(void)fiber_poll(NULL, 0, 0);
}

static void have_room(void)
{
	enum { N = 300 };
	uint64_t answers[N] = {0}, wrong = 0;
	struct fibers *f;
	struct asc_err e;

	if (fibers_new(&f, &e))
		abort();
	for (size_t i = 0; i < N; i++)
		if (fibers_add(f, &(struct fiber_start){.run = dig, .user = &answers[i]}, &e))
			wrong++;
	fibers_run(f);
	for (size_t i = 0; i < N; i++)
		wrong += answers[i] != 997; /* 1000 without the multiples of 256 above 0 */
	tap_int(wrong, 0, "%d fibers have four megabytes of stack each", N);
	fibers_free(f);
	fibers_free(NULL);
}

int main(void)
{
	take_turns();
	see_the_same();
	wait_for_many();
	sleep_apart();
	have_room();
	return tap_done();
}
