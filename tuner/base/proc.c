#include "tuner/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/buf.h"

enum {
	CHANNEL_FD = 3,
	CHUNK_BYTES = 16384,
	CHUNKS_AT_ONCE = 64 /* 1 MiB, the largest pipe: a fast writer cannot hold us up */
};

static const char null_device[] = "/dev/null";

/* ---- starting ---- */

/* The child's ends of pipes and channel; -1 where there is none. */
struct ends {
	int output;
	int channel;
	int input;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
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

static bool open_ends(const struct proc_options *o, struct proc *p, struct ends *child)
{
	int pair[2];
	if (o->capture) {
		if (pipe2(pair, O_CLOEXEC) != 0)
			return false;
		p->output = pair[0];
		child->output = pair[1];
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

static int add_actions(posix_spawn_file_actions_t *a, const struct proc_options *o,
		       const struct ends *child)
{
	int error = o->feed ? posix_spawn_file_actions_adddup2(a, child->input, STDIN_FILENO)
			    : posix_spawn_file_actions_addopen(a, STDIN_FILENO, null_device,
							       O_RDONLY, 0);
	if (!error && o->capture)
		error = posix_spawn_file_actions_adddup2(a, child->output, STDOUT_FILENO);
	if (!error && o->capture)
		error = posix_spawn_file_actions_adddup2(a, child->output, STDERR_FILENO);
	if (!error && o->quiet && !o->capture)
		error = posix_spawn_file_actions_addopen(a, STDOUT_FILENO, null_device, O_WRONLY,
							 0);
	if (!error && o->channel)
		error = posix_spawn_file_actions_adddup2(a, child->channel, CHANNEL_FD);
	/* Descriptors of asctune close on exec; these are those that a library has left open. */
	if (!error)
		error = posix_spawn_file_actions_addclosefrom_np(a, CHANNEL_FD + o->channel);
	if (!error && o->folder)
		error = posix_spawn_file_actions_addchdir_np(a, o->folder);
	return error;
}

/* Sets a group of its own, and signals as a fresh program has them: asctune may ignore SIGPIPE. */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &all);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
							    POSIX_SPAWN_SETSIGDEF);
}

static bool names_same(const char *variable, const char *other)
{
	size_t n = strcspn(variable, "=");
	return strncmp(variable, other, n) == 0 && other[n] == '=';
}

static bool is_replaced(const char *inherited, const char *const *variables)
{
	for (; *variables; variables++)
		if (names_same(*variables, inherited))
			return true;
	return false;
}

/* A heap array of borrowed strings, NULL-terminated; NULL when out of memory. */
static const char **environment_new(const char *const *variables)
{
	size_t n = 0, room = 1;
	for (char *const *v = environ; v && *v; v++)
		room++;
	for (const char *const *v = variables; *v; v++)
		room++;
	const char **all = calloc(room, sizeof *all);
	for (char *const *v = environ; all && v && *v; v++)
		if (!is_replaced(*v, variables))
			all[n++] = *v;
	for (; all && *variables; variables++)
		all[n++] = *variables;
	return all;
}

/* posix_spawn() does not write to the strings, whatever its type says. */
union strings {
	const char *const *borrowed;
	char *const *taken;
};

static int spawn_in(const char *path, const struct proc_options *o,
		    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		    pid_t *pid)
{
	union strings argv = {.borrowed = o->argv}, variables = {.taken = environ};
	const char **all = o->variables && !o->alone ? environment_new(o->variables) : NULL;
	if (o->variables && !o->alone && !all)
		return ENOMEM;
	if (o->variables)
		variables.borrowed = all ? all : o->variables;
	int error = posix_spawn(pid, path, actions, attributes, argv.taken, variables.taken);
	free(all);
	return error;
}

static int spawn(const char *path, const struct proc_options *o, const struct ends *child,
		 pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		error = add_actions(&actions, o, child);
		if (!error)
			error = set_attributes(&attributes);
		if (!error)
			error = spawn_in(path, o, &actions, &attributes, pid);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

enum asc_status proc_start(struct proc *p, const struct proc_options *o, struct asc_err *e)
{
	struct ends child = {-1, -1, -1};
	*p = (struct proc){.output = -1, .channel = -1, .input = -1};
	char *path = proc_find(o->argv[0]);
	if (!path)
		return asc_err_set(e, ASC_NOTFOUND, "cannot find the program %s%s", o->argv[0],
				   strchr(o->argv[0], '/') ? "" : " in PATH");
	int error = open_ends(o, p, &child) ? spawn(path, o, &child, &p->pid) : errno;
	close_fd(&child.output);
	close_fd(&child.channel);
	close_fd(&child.input);
	free(path);
	if (!error)
		return ASC_OK;
	p->pid = 0;
	close_fd(&p->output);
	close_fd(&p->channel);
	close_fd(&p->input);
	return asc_err_set(e, ASC_CHILD, "cannot start %s%s%s: %s", o->argv[0],
			   o->folder ? " in " : "", o->folder ? o->folder : "", strerror(error));
}

/* SIGPIPE would end this process where it is not ignored: it is held back for this thread, and
 * taken back where the write has raised it. */
void proc_feed(struct proc *p, const char *text)
{
	sigset_t pipe_only, before, waiting;
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

bool proc_collect(const struct proc *p, size_t max_bytes, struct buf *out)
{
	char chunk[CHUNK_BYTES];
	for (int i = 0; i < CHUNKS_AT_ONCE; i++) {
		ssize_t n = read(p->output, chunk, sizeof chunk);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		if (n == 0)
			return false;
		size_t room = out->len < max_bytes ? max_bytes - out->len : 0;
		buf_add(out, chunk, (size_t)n < room ? (size_t)n : room);
	}
	return true;
}

/* Waits for the child without reaping it: as long as it is a zombie its number, which is the
 * group's too, belongs to nobody else, and a signal to the group cannot hit a stranger. */
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
	p->pid = 0;
	close_fd(&p->output);
	close_fd(&p->channel);
	close_fd(&p->input);
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
