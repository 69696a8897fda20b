#include "tuner/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/process/channel.h"
#include "tuner/process/guard.h"
#include "tuner/process/orphans.h"
#include "tuner/process/proc_spawn.h"
#include "tuner/process/sandbox.h"

enum {
	CHUNK_BYTES = 16384,
	CHUNKS_AT_ONCE = 64 /* 1 MiB, the largest pipe: a fast writer cannot delay the rest */
};

/* ---- finding a program ---- */

/* The path made absolute without resolving links: programs look at the name they are called by. */
static char *program_path(const char *path)
{
	struct stat st;

	/* Callers tell "no such program" from "no memory" by it. */
	errno = 0;
	/* A folder has the right of execution too. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || access(path, X_OK) != 0)
		return NULL;
	/* Somebody may have removed the current folder, which then has no name. */
	char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *absolute = here || *path == '/' ? path_join(here, path) : NULL;
	free(here);
	return absolute;
}

char *proc_find(const char *name)
{
	if (strchr(name, '/'))
		return program_path(name);
	const char *folder = getenv("PATH");
	errno = 0;
	for (size_t n; folder && *name; folder += n + 1) {
		n = strcspn(folder, ":");
		/* An empty entry is the current folder. */
		char *path = str_print("%.*s/%s", n ? (int)n : 1, n ? folder : ".", name);
		char *found = path ? program_path(path) : NULL;
		bool last = !path || errno == ENOMEM || folder[n] == '\0';
		free(path);
		if (found || last)
			return found;
	}
	return NULL;
}

/* ---- starting ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_all(struct proc *p)
{
	close_fd(&p->output);
	close_fd(&p->channel);
	close_fd(&p->input);
	close_fd(&p->end);
}

/* Descriptors 0 to 3 are set up anew in the child; what is copied there must lie above. */
static bool raise_fd(int *fd)
{
	if (*fd < 0 || *fd > CHANNEL_FD)
		return true;
	int raised = fcntl(*fd, F_DUPFD_CLOEXEC, CHANNEL_FD + 1);
	close_fd(fd);
	*fd = raised;
	return raised >= 0;
}

static bool open_ends(const struct proc_options *o, struct proc *p, struct proc_ends *child)
{
	int pair[2];
	if (o->capture) {
		if (pipe2(pair, O_CLOEXEC) != 0)
			return false;
		p->output = pair[0];
		child->output = pair[1];
		/* Collected beside other work, by whoever waits for several children. */
		if (fcntl(p->output, F_SETFL, O_NONBLOCK) != 0)
			return false;
	}
	if (o->feed) {
		if (pipe2(pair, O_CLOEXEC) != 0)
			return false;
		p->input = pair[1];
		child->input = pair[0];
	}
	if (o->channel) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
			return false;
		p->channel = pair[0];
		child->channel = pair[1];
	}
	return raise_fd(&child->output) && raise_fd(&child->channel) && raise_fd(&child->input);
}

/* A child in a sandbox is guarded, and has its temporary files in its own folder. */
static enum asc_status spawn(const char *path, const struct proc_options *o,
			     const struct proc_ends *child, pid_t *pid, struct asc_err *e)
{
	const struct sandbox *s = o->sandbox;
	struct sandbox_entry *entry = NULL;
	/* Before the child: one that is started before the guard would not be found by it. */
	const char *guarded = s ? guard_start() : NULL;
	char *temporary = s && s->own ? str_print("TMPDIR=%s", s->own) : NULL;
	const char *const own[] = {guarded ? guarded : temporary, guarded ? temporary : NULL, NULL};
	const char **environment = proc_environment_new(o, own);
	enum asc_status status = ASC_OK;
	int error = 0;

	if ((s && s->own && !temporary) || !environment)
		status = asc_err_nomem(e);
	else if (s)
		status = sandbox_prepare(s, path, &entry, e);
	if (status == ASC_OK)
		error = proc_spawn(path, o, child, environment, entry, pid);
	if (error == ENOEXEC)
		status =
			asc_err_set(e, ASC_ABSENT, "%s is no program for this machine", o->argv[0]);
	else if (error)
		status = asc_err_set(e, ASC_LIMIT, "cannot start %s%s%s: %s", o->argv[0],
				     o->folder ? " in " : "", o->folder ? o->folder : "",
				     strerror(error));
	sandbox_forget(entry);
	free(environment);
	free(temporary);
	return status;
}

enum asc_status proc_start(struct proc *p, const struct proc_options *o, struct asc_err *e)
{
	struct proc_ends child = {-1, -1, -1};
	enum asc_status s;

	*p = (struct proc){.output = -1, .channel = -1, .input = -1, .end = -1};
	/* Looked up here: the child could not say that its program is missing. */
	char *path = proc_find(o->argv[0]);
	if (!path && errno == ENOMEM)
		return asc_err_nomem(e);
	if (!path)
		return asc_err_set(e, ASC_NOTFOUND, "cannot find the program %s%s", o->argv[0],
				   strchr(o->argv[0], '/') ? "" : " in PATH");
	if (open_ends(o, p, &child))
		s = spawn(path, o, &child, &p->pid, e);
	else
		s = asc_err_set(e, ASC_LIMIT, "cannot start %s: %s", o->argv[0], strerror(errno));
	/* The child's ends are the child's alone: streams end when it does. */
	close_fd(&child.output);
	close_fd(&child.channel);
	close_fd(&child.input);
	free(path);
	/* A child that is not known would be killed as an orphan at the next child's end. */
	if (s == ASC_OK && !orphans_know(p->pid)) {
		proc_kill(p);
		s = asc_err_nomem(e);
	}
	if (s) {
		p->pid = 0;
		close_all(p);
		return s;
	}
#ifdef SYS_pidfd_open
	p->end = (int)syscall(SYS_pidfd_open, p->pid, 0);
#endif
	return ASC_OK;
}

void proc_feed(struct proc *p, const char *text)
{
	sigset_t pipe_only, before, waiting;

	/* SIGPIPE would end this process where it is not ignored: it is held back for this thread,
	 * and taken back where the write has raised it, and not somebody else before. */
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&waiting);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
	ssize_t n = write(p->input, text, strlen(text));
	if (n < 0 && errno == EPIPE && !sigismember(&waiting, SIGPIPE))
		(void)sigtimedwait(&pipe_only, NULL, &(struct timespec){0});
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close_fd(&p->input);
}

/* ---- ending ---- */

void proc_collect(struct proc *p, size_t max_bytes, struct buf *out)
{
	char chunk[CHUNK_BYTES];
	for (int i = 0; i < CHUNKS_AT_ONCE && p->output >= 0; i++) {
		ssize_t n = read(p->output, chunk, sizeof chunk);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			close_fd(&p->output);
			return;
		}
		/* Read and dropped beyond the limit: a pipe that is full would stop the child. */
		size_t room = out->len < max_bytes ? max_bytes - out->len : 0;
		buf_add(out, chunk, (size_t)n < room ? (size_t)n : room);
	}
}

/* Waits for the child without reaping it: as long as it is a zombie its number, which is the
 * group's too, belongs to nobody else, and a signal to the group cannot reach another process. */
static bool await(pid_t pid, int flags)
{
	siginfo_t info = {0};
	int result;
	do {
		result = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | flags);
	} while (result != 0 && errno == EINTR);
	return result != 0 || info.si_pid == pid;
}

bool proc_ended(const struct proc *p)
{
	if (p->pid == 0)
		return true;
	if (!await(p->pid, WNOHANG))
		return false;
	/* The rest of the group would keep its output open, and processors busy. */
	kill(-p->pid, SIGKILL);
	return true;
}

bool proc_reap(struct proc *p)
{
	if (!proc_ended(p))
		return false;
	if (p->pid == 0)
		return true;
	/* A child without a status (reaped elsewhere) counts as failed. */
	if (waitpid(p->pid, &p->status, 0) != p->pid)
		p->status = W_EXITCODE(255, 0);
	/* Its number is free from here on. Orphans after it: they have become this process's own
	 * children only with its end. */
	orphans_forget(p->pid);
	p->pid = 0;
	guard_end_orphans();
	close_all(p);
	return true;
}

void proc_signal_end(struct proc *p)
{
	if (p->pid == 0)
		return;
	kill(-p->pid, SIGKILL);
	kill(p->pid, SIGKILL); /* it may have left the group */
}

void proc_kill(struct proc *p)
{
	if (p->pid == 0)
		return;
	proc_signal_end(p);
	(void)await(p->pid, 0);
	(void)proc_reap(p);
}

/* ---- running to the end ---- */

enum { SLICE_MS = 10 }; /* time between two looks at a child whose end cannot be polled */

size_t proc_add_pollfds(const struct proc *p, struct pollfd *fds, size_t n, size_t max)
{
	const int own[PROC_POLLFDS] = {p->output, p->channel, p->end};

	for (size_t i = 0; p->pid && i < PROC_POLLFDS; i++)
		if (own[i] >= 0 && n < max)
			fds[n++] = (struct pollfd){.fd = own[i], .events = POLLIN};
	return n;
}

/* Collects into `output`, unless NULL. True when the child has ended, false when its time was over
 * before. */
static bool run_child(struct proc *p, int64_t limit_ns, size_t max_bytes, struct buf *output)
{
	const int64_t start = clock_now_ns();

	for (;;) {
		/* Asked first: what an ended child has written is all there to be collected. */
		const bool ended = proc_ended(p);

		if (output)
			proc_collect(p, max_bytes, output);
		const int64_t left = limit_ns - (clock_now_ns() - start);
		if (ended || left <= 0)
			return ended;
		/* Rounded up: a poll of 0 ms would spin through the last millisecond. */
		const int64_t ms = left / 1000000 + 1, most = p->end < 0 ? SLICE_MS : INT_MAX;
		struct pollfd fds[] = {{.fd = output ? p->output : -1, .events = POLLIN},
				       {.fd = p->end, .events = POLLIN}};

		(void)poll(fds, 2, (int)(ms < most ? ms : most));
	}
}

bool proc_await_end(struct proc *p, int64_t limit_ns)
{
	return run_child(p, limit_ns, 0, NULL);
}

enum asc_status proc_run(const char *const *argv, const struct sandbox *sandbox, int64_t limit_ns,
			 size_t max_output, struct buf *output, int *status, struct asc_err *e)
{
	const struct proc_options o = {.argv = argv, .capture = true, .sandbox = sandbox};

	return proc_run_options(&o, NULL, limit_ns, max_output, output, status, e);
}

enum asc_status proc_run_options(const struct proc_options *o, const char *input, int64_t limit_ns,
				 size_t max_output, struct buf *output, int *status,
				 struct asc_err *e)
{
	struct proc p;
	char limit[UNITS_TEXT_SIZE];
	size_t room = SIZE_MAX - output->len;
	enum asc_status result = proc_start(&p, o, e);
	if (result)
		return result;
	if (o->feed)
		proc_feed(&p, input);
	bool ended = run_child(&p, limit_ns, output->len + (max_output < room ? max_output : room),
			       output);
	/* Also one that has ended: this reaps it, and ends what it left. */
	proc_kill(&p);
	*status = p.status;
	if (!ended)
		return asc_err_set(e, ASC_TIMEOUT, "%s was stopped after %s", o->argv[0],
				   units_print_duration((double)limit_ns, limit));
	return buf_check(output, e);
}

/* Signals that end a process, in the words of the C library, which has no function for their names
 * before glibc 2.32. */
static const struct {
	int number;
	const char *name, *meaning;
} signals[] = {
	{SIGHUP, "HUP", "Hangup"},
	{SIGINT, "INT", "Interrupt"},
	{SIGQUIT, "QUIT", "Quit"},
	{SIGILL, "ILL", "Illegal instruction"},
	{SIGTRAP, "TRAP", "Trace/breakpoint trap"},
	{SIGABRT, "ABRT", "Aborted"},
	{SIGBUS, "BUS", "Bus error"},
	{SIGFPE, "FPE", "Floating point exception"},
	{SIGKILL, "KILL", "Killed"},
	{SIGUSR1, "USR1", "User defined signal 1"},
	{SIGSEGV, "SEGV", "Segmentation fault"},
	{SIGUSR2, "USR2", "User defined signal 2"},
	{SIGPIPE, "PIPE", "Broken pipe"},
	{SIGALRM, "ALRM", "Alarm clock"},
	{SIGTERM, "TERM", "Terminated"},
	{SIGSTKFLT, "STKFLT", "Stack fault"},
	{SIGXCPU, "XCPU", "CPU time limit exceeded"},
	{SIGXFSZ, "XFSZ", "File size limit exceeded"},
	{SIGVTALRM, "VTALRM", "Virtual timer expired"},
	{SIGPROF, "PROF", "Profiling timer expired"},
	{SIGIO, "POLL", "I/O possible"},
	{SIGPWR, "PWR", "Power failure"},
	{SIGSYS, "SYS", "Bad system call"},
};

enum { SIGNALS = sizeof signals / sizeof *signals };

const char *proc_print_status(int status, char *text, size_t size)
{
	if (WIFEXITED(status)) {
		(void)snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
	} else {
		const int number = WTERMSIG(status);
		size_t i = 0;

		while (i < SIGNALS && signals[i].number != number)
			i++;
		if (i < SIGNALS)
			(void)snprintf(text, size, "was killed by SIG%s (%s)", signals[i].name,
				       signals[i].meaning);
		else
			(void)snprintf(text, size, "was killed by signal %d", number);
	}
	return text;
}
