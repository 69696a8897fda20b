#include "tests/inject/inject_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"

enum { GRACE_MS = 5000 }; /* what a killed coordinator's children may take to end */

bool injector_open(struct injector *i, const char *folder, const char *library)
{
	i->library = library;
	snprintf(i->path, sizeof i->path, "%s/state", folder);
	int fd = open(i->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *map = MAP_FAILED;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (fd >= 0 && ftruncate(fd, sizeof *i->state) == 0)
		map = mmap(NULL, sizeof *i->state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		tap_note("%s: %s", i->path, strerror(errno));
	else
		i->state = map;
	return i->state;
}

void injector_close(struct injector *i)
{
	if (i->state)
		munmap(i->state, sizeof *i->state);
	i->state = NULL;
}

/* ---- the child ---- */

static void redirect(const char *path, int to)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(127);
	close(fd);
}

static void become(const struct injector *i, const char *folder, const char *const *argv)
{
	union {
		const char *const *borrowed;
		char *const *taken;
	} words = {.borrowed = argv};

	if (chdir(folder) != 0)
		_exit(127);
	redirect("/dev/null", STDIN_FILENO);
	redirect("stdout", STDOUT_FILENO);
	redirect("stderr", STDERR_FILENO);
	setenv("INJECT_STATE", i->path, 1);
	setenv("ASCTUNE_PASS_ENV", "INJECT_STATE", 1); /* children are injected, too */
	setenv("LD_PRELOAD", i->library, 1);
	execvp(argv[0], words.taken);
	_exit(127);
}

/* ---- its end ---- */

/* True when the process ended in time; it is still to be reaped. */
static bool await(pid_t pid, int limit_s)
{
	struct pollfd fd = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	const bool ended = poll(&fd, 1, limit_s * 1000) == 1;

	close(fd.fd);
	return ended;
}

/* Kills the processes that have become children of this one. */
static void kill_left(void)
{
	DIR *all = opendir("/proc");

	for (struct dirent *one; all && (one = readdir(all)) != NULL;) {
		char path[300], line[512] = "";
		int parent = 0;
		const pid_t pid = (pid_t)strtol(one->d_name, NULL, 10);

		snprintf(path, sizeof path, "/proc/%s/stat", one->d_name);
		FILE *f = pid > 0 ? fopen(path, "re") : NULL;
		const char *name_end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;

		if (name_end && sscanf(name_end, ") %*c %d", &parent) == 1 && parent == getpid()) {
			tap_note("left behind: %s", line);
			kill(pid, SIGKILL);
		}
		if (f)
			fclose(f);
	}
	if (all)
		closedir(all);
}

/* Reaps all children; how many had to be killed. */
static int reap_left(void)
{
	int ms = 0, killed = 0;

	for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) >= 0;) {
		killed += pid > 0 && ms > GRACE_MS;
		if (pid > 0)
			continue;
		usleep(1000);
		if (ms++ >= GRACE_MS)
			kill_left();
	}
	return killed;
}

static void read_text(const char *folder, const char *name, struct buf *out)
{
	struct asc_err e;
	char *path = path_join(folder, name);

	if (path && file_read(path, 0, out, &e) != ASC_OK)
		tap_note("%s", e.text);
	free(path);
}

void inject_run(struct injector *i, const struct injection *what, const char *folder,
		const char *const *argv, int limit_s, struct injected *out)
{
	*out = (struct injected){0};
	memset(i->state, 0, sizeof *i->state);
	i->state->process = what->process;
	i->state->call = what->call;
	i->state->n = what->n;
	i->state->error = what->error;
	i->state->ever = what->ever;
	i->state->trace = what->trace;
	const pid_t pid = fork();

	if (pid == 0)
		become(i, folder, argv);
	out->hung = !await(pid, limit_s);
	if (out->hung)
		kill(pid, SIGKILL);
	waitpid(pid, &out->status, 0);
	out->left = reap_left();
	out->failed = i->state->failed;
	read_text(folder, "stdout", &out->output);
	read_text(folder, "stderr", &out->messages);
}

void injected_fini(struct injected *r)
{
	buf_fini(&r->output);
	buf_fini(&r->messages);
}
