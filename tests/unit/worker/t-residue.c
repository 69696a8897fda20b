/* Leftovers of a kernel in its process: each is left in a process of its own, and is to be named.
 * covers: residue.c */
#include "tuner/worker/residue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static void *sleep_on(void *user)
{
	for (;;)
		pause();
	return user;
}

static bool leave_nothing(void)
{
	return true;
}

static bool leave_thread(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, sleep_on, NULL) == 0;
}

static bool leave_timer(void)
{
	return setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = 60}}, NULL) == 0;
}

static bool leave_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid > 0;
}

static bool leave_handler(void)
{
	return signal(SIGSEGV, SIG_IGN) != SIG_ERR;
}

static bool leave_mask(void)
{
	sigset_t all;

	sigfillset(&all);
	return sigprocmask(SIG_BLOCK, &all, NULL) == 0;
}

static bool leave_processors(void)
{
	cpu_set_t one, all;

	if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2)
		return false;
	CPU_ZERO(&one);
	for (int i = 0; CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	return sched_setaffinity(0, sizeof one, &one) == 0;
}

static bool leave_class(void)
{
	return sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) == 0;
}

static bool leave_niceness(void)
{
	const int now = getpriority(PRIO_PROCESS, 0);

	return setpriority(PRIO_PROCESS, 0, now < 19 ? 19 : 18) == 0;
}

static bool leave_folder(void)
{
	return chdir("/proc") == 0;
}

static bool leave_root(void)
{
	return chroot("/proc") == 0;
}

static bool leave_file_mask(void)
{
	(void)umask(umask(0) ^ 0700);
	return true;
}

static bool leave_limit(void)
{
	struct rlimit now;

	return getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur > 16 &&
	       setrlimit(RLIMIT_NOFILE, &(struct rlimit){16, now.rlim_max}) == 0;
}

static bool leave_user(void)
{
	return geteuid() == 0 && setuid(65534) == 0;
}

static bool leave_session(void)
{
	return setsid() >= 0;
}

static bool leave_group(void)
{
	return setpgid(0, 0) == 0;
}

static bool leave_parent(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0;
}

static const struct leftover {
	bool (*leave)(void); /* false: that cannot be had here */
	const char *what;
} leftovers[] = {
	{leave_nothing, ""},
	{leave_thread, "a thread"},
	{leave_timer, "a timer"},
	{leave_process, "a process"},
	{leave_handler, "a signal handler"},
	{leave_mask, "a changed signal mask"},
	{leave_processors, "changed processors"},
	{leave_class, "a changed priority"},
	{leave_niceness, "a changed priority"},
	{leave_folder, "a changed working folder"},
	{leave_root, "a changed root folder"},
	{leave_file_mask, "a changed file mask"},
	{leave_limit, "a changed limit"},
	{leave_user, "a changed user"},
	{leave_session, "a changed process group"},
	{leave_group, "a changed process group"},
	{leave_parent, "a changed end with its parent"},
};

enum { NAMED, OTHER, NOT_HERE };

static int try(const struct leftover *l)
{
	struct residue before;

	residue_look(&before);
	if (!l->leave())
		return NOT_HERE;
	const char *left = residue_left(&before);
	if (left && strcmp(left, l->what) != 0)
		tap_note("found: %s", left);
	return strcmp(left ? left : "", l->what) == 0 ? NAMED : OTHER;
}

int main(void)
{
	for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0)
			_exit(try(&leftovers[i]));
		(void)waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_HERE)
			tap_skip("cannot be left here: %s", leftovers[i].what);
		else
			tap_int(status, NAMED, "%s",
				*leftovers[i].what ? leftovers[i].what : "nothing");
	}
	return tap_done();
}
