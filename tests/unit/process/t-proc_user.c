/* A command of the user's: its exit status, its environment, and signals that are passed on to it.
 * covers: proc_user.c */
#include "tuner/process/proc_user.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/tap.h"

static struct asc_err e;

static int run(const char *script, const char *variable)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const char *const variables[] = {variable, NULL};
	int status = -1;

	tap_int(proc_run_user(argv, variables, &status, &e), ASC_OK, "%s", script);
	return status;
}

int main(void)
{
	const char *const absent[] = {"no-such-program", NULL}, *const none[] = {NULL};
	sigset_t before, after;
	int status = 0;

	/* A shell cannot trap what is ignored as it starts, as SIGINT is behind nohup. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &before);
	status = run("exit 7", "A=1");
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "its exit status");
	setenv("INHERITED", "yes", 1);
	setenv("REPLACED", "old", 1);
	status = run("test \"$INHERITED $REPLACED\" = 'yes new'", "REPLACED=new");
	tap_int(status, 0, "inherited and replaced variables");
	status = run("kill -KILL $$", "A=1");
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the signal that ended it");

	/* The command signals this process, which passes that on to the command. */
	status = run("trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.01; done", "A=1");
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 5, "SIGTERM reaches it");
	status = run("trap 'exit 6' INT; kill -INT $PPID; while :; do sleep 0.01; done", "A=1");
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 6, "SIGINT of a process reaches it");
	sigprocmask(SIG_BLOCK, NULL, &after);
	tap_int(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM), "SIGTERM ends this");

	tap_int(proc_run_user(absent, none, &status, &e), ASC_NOTFOUND, "no program");
	tap_str(e.text, "there is no program no-such-program", "its name");
	return tap_done();
}
