#include "tuner/process/proc_user.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/process/proc.h"
#include "tuner/process/proc_spawn.h"

/* Signals that people and job controllers end a command with, or talk to it by. */
static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static enum asc_status start(const char *const *argv, const char *const *variables,
			     const sigset_t *mask, pid_t *pid, struct asc_err *e)
{
	const struct proc_options o = {.variables = variables};
	const char *const none[] = {NULL};
	const char **environment = proc_environment_new(&o, none);
	posix_spawnattr_t attributes;
	int failure = environment ? posix_spawnattr_init(&attributes) : ENOMEM;

	if (failure == 0) {
		/* The command begins with the signals that this process was started with. */
		failure = posix_spawnattr_setsigmask(&attributes, mask);
		if (failure == 0)
			failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		if (failure == 0)
			failure = posix_spawnp(pid, argv[0], NULL, &attributes, proc_strings(argv),
					       proc_strings(environment));
		posix_spawnattr_destroy(&attributes);
	}
	free(environment);
	if (failure == ENOMEM)
		return asc_err_nomem(e);
	if (failure == ENOENT)
		return asc_err_set(e, ASC_NOTFOUND, "there is no program %s", argv[0]);
	return failure ? asc_err_set(e, ASC_LIMIT, "cannot start %s: %s", argv[0],
				     strerror(failure))
		       : ASC_OK;
}

enum asc_status proc_run_user(const char *const *argv, const char *const *variables, int *status,
			      struct asc_err *e)
{
	sigset_t wanted, before;
	pid_t pid = 0;
	siginfo_t info;

	sigemptyset(&wanted);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		sigaddset(&wanted, passed[i]);
	sigaddset(&wanted, SIGCHLD);
	sigprocmask(SIG_BLOCK, &wanted, &before);
	if (start(argv, variables, &before, &pid, e)) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return e->status;
	}
	while (waitpid(pid, status, WNOHANG) != pid) {
		const int signal = sigwaitinfo(&wanted, &info);

		/* A terminal sends signals to all of its processes, the command among them. */
		if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL)
			kill(pid, signal);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ASC_OK;
}
