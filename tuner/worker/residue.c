#include "tuner/worker/residue.h"

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/process/orphans.h"
#include "tuner/process/thread.h"

/* A folder has a link for itself, one from its parent, and one from each folder in it. */
static long count_threads(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) == 0 ? (long)st.st_nlink - 2 : 0;
}

/* True when a timer is set; those of POSIX are listed where the kernel was built to. */
static bool has_timers(void)
{
	static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
	struct itimerval t;
	char byte;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (getitimer(kinds[i], &t) == 0 && (t.it_value.tv_sec || t.it_value.tv_usec))
			return true;
	int fd = open("/proc/self/timers", O_RDONLY | O_CLOEXEC);
	bool some = fd >= 0 && read(fd, &byte, 1) == 1;
	if (fd >= 0)
		close(fd);
	return some;
}

static void *handler_of(int signal)
{
	struct sigaction a;
	void *handler = NULL;

	if (sigaction(signal, NULL, &a) == 0) /* handler and action share their place */
		memcpy(&handler, &a.sa_handler, sizeof handler);
	return handler;
}

static struct residue_place place_of(const char *path)
{
	struct stat st = {0};

	(void)stat(path, &st);
	return (struct residue_place){st.st_dev, st.st_ino};
}

static bool same_place(struct residue_place a, struct residue_place b)
{
	return a.device == b.device && a.file == b.file;
}

void residue_look(struct residue *r)
{
	siginfo_t info;

	memset(r, 0, sizeof *r);
	/* Threads of asctune's own come and go; libraries' threads that were there before are part
	 * of what is compared with. */
	r->threads = count_threads() - thread_started();
	r->timers = has_timers();
	/* Looks only, so that whoever has started a child still learns how it ended. */
	r->children = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
	for (int i = 1; i <= RESIDUE_SIGNALS; i++)
		r->handlers[i] = handler_of(i);
	/* Settings that a process has for all of itself. */
	(void)pthread_sigmask(SIG_SETMASK, NULL, &r->blocked);
	(void)sched_getaffinity(0, sizeof r->processors, &r->processors);
	r->policy = sched_getscheduler(0);
	r->niceness = getpriority(PRIO_PROCESS, 0);
	r->folder = place_of(".");
	r->root = place_of("/");
	r->mask = umask(0); /* the mask can be read only by setting another one */
	(void)umask(r->mask);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		(void)getrlimit((__rlimit_resource_t)i, &r->limits[i]);
	r->user = geteuid();
	r->group = getegid();
	r->session = getsid(0);
	r->processes = getpgrp();
	(void)prctl(PR_GET_PDEATHSIG, &r->parent_signal);
}

static bool same_mask(const sigset_t *a, const sigset_t *b)
{
	for (int i = 1; i <= RESIDUE_SIGNALS; i++)
		if (sigismember(a, i) != sigismember(b, i))
			return false;
	return true;
}

const char *residue_left(const struct residue *before)
{
	struct residue now;

	residue_look(&now);
	/* In the order in which a kernel's author would look for it: threads first. */
	const struct {
		bool left;
		const char *what;
	} all[] = {
		{now.threads > before->threads, "a thread"},
		{now.timers && !before->timers, "a timer"},
		{now.children && !before->children, "a process"},
		{memcmp(now.handlers, before->handlers, sizeof now.handlers) != 0,
		 "a signal handler"},
		{!same_mask(&now.blocked, &before->blocked), "a changed signal mask"},
		{!CPU_EQUAL(&now.processors, &before->processors), "changed processors"},
		{now.policy != before->policy || now.niceness != before->niceness,
		 "a changed priority"},
		{!same_place(now.folder, before->folder), "a changed working folder"},
		{!same_place(now.root, before->root), "a changed root folder"},
		{now.mask != before->mask, "a changed file mask"},
		{memcmp(now.limits, before->limits, sizeof now.limits) != 0, "a changed limit"},
		{now.user != before->user || now.group != before->group, "a changed user"},
		{now.session != before->session || now.processes != before->processes,
		 "a changed process group"},
		{now.parent_signal != before->parent_signal, "a changed end with its parent"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].left)
			return all[i].what;
	return NULL;
}

/* ---- forks ---- */

static int guarded = -1;
static bool forked;

static void close_in_child(void)
{
	forked = true;
	close(guarded);
}

void residue_guard(int fd)
{
	if (guarded < 0)
		(void)pthread_atfork(NULL, NULL, close_in_child);
	guarded = fd;
	orphans_adopt();
}

bool residue_is_fork(void)
{
	return forked;
}
