#include "tuner/process/proc_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/log.h"
#include "tuner/process/channel.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

enum { STACK_BYTES = 64 << 10, NOT_STARTED = 127 };

/* Memory that is shared with a child spares a copy of the page tables; the thread sanitizer would
 * take what the child does there for the parent's. */
#ifdef __SANITIZE_THREAD__
enum { CLONE_FLAGS = CLONE_VFORK | SIGCHLD };
#else
enum { CLONE_FLAGS = CLONE_VM | CLONE_VFORK | SIGCHLD };
#endif

/* Processors and policy of the process before its first child: a kernel can change the processors
 * of any process of its user, this one's too, and outside of a sandbox the policy; the children
 * after it would inherit them. */
static struct schedule {
	bool has_processors, has_policy;
	cpu_set_t processors;
	int policy;
	struct sched_param param;
} schedule_at_start;

static pthread_once_t schedule_once = PTHREAD_ONCE_INIT;

static void note_schedule(void)
{
	struct schedule *const s = &schedule_at_start;

	s->has_processors = sched_getaffinity(0, sizeof s->processors, &s->processors) == 0;
	s->policy = sched_getscheduler(0);
	/* A policy that is reset on fork is not meant for children. */
	s->has_policy = s->policy >= 0 && !(s->policy & SCHED_RESET_ON_FORK) &&
			sched_getparam(0, &s->param) == 0;
}

struct start { /* at the low end of the child's stack, which both processes see */
	const char *path;
	const struct proc_options *options;
	const struct proc_ends *ends;
	const char *const *environment;
	struct sandbox_entry *sandbox;
	pid_t parent;
	int error;
	int unrestored; /* errno of a schedule that the child did not get; 0: it did */
};

/* execve() does not write to the strings, whatever its type says. */
static char *const *strings_of(const char *const *list)
{
	char *const *strings;

	memcpy(&strings, &list, sizeof strings);
	return strings;
}

static bool put(int fd, int at)
{
	return fd >= 0 && dup2(fd, at) == at;
}

static bool put_null(int at, int flags)
{
	int fd = open("/dev/null", flags | O_CLOEXEC);
	bool done = fd == at ? fcntl(fd, F_SETFD, 0) == 0 : put(fd, at);

	if (fd >= 0 && fd != at)
		close(fd);
	return done;
}

static bool set_descriptors(const struct start *s)
{
	const struct proc_options *o = s->options;
	bool ok = o->feed ? put(s->ends->input, STDIN_FILENO) : put_null(STDIN_FILENO, O_RDONLY);

	if (ok && o->capture)
		ok = put(s->ends->output, STDOUT_FILENO) && put(s->ends->output, STDERR_FILENO);
	else if (ok && o->quiet)
		ok = put_null(STDOUT_FILENO, O_WRONLY);
	return ok && (!o->channel || put(s->ends->channel, CHANNEL_FD));
}

/* Signals as a fresh program has them: asctune may ignore SIGPIPE. */
static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Nobody but root takes back some policies (SCHED_IDLE), and processors may be switched off. */
static void restore_schedule(struct start *s)
{
	const struct schedule *const first = &schedule_at_start;

	if (first->has_processors &&
	    sched_setaffinity(0, sizeof first->processors, &first->processors))
		s->unrestored = errno;
	if (first->has_policy && sched_setscheduler(0, first->policy, &first->param))
		s->unrestored = errno;
}

/* Says once what slows down every child from then on. */
static void warn_unrestored(int error)
{
	static bool said;

	if (error && !said)
		log_print(LOG_WARN,
			  "kernels and compilers do not get the processors and the scheduling "
			  "policy that asctune was started with (%s): a kernel may have changed "
			  "those of asctune, and times may be longer until it is started again",
			  strerror(error));
	said |= error != 0;
}

/* The child, which shares the memory of its parent until the program begins: system calls alone. A
 * group of its own, and an end with its parent. */
static int enter(void *user)
{
	struct start *s = user;
	char *const *argv = strings_of(s->options->argv);
	char *const *environment = strings_of(s->environment);

	(void)setpgid(0, 0);
	restore_schedule(s);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent)
		return NOT_STARTED;
	if (set_descriptors(s) && (!s->options->folder || chdir(s->options->folder) == 0)) {
		sandbox_enter(s->sandbox);
		/* Descriptors of asctune close on exec; these are those that a library has left
		 * open. */
		closefrom(CHANNEL_FD + s->options->channel);
		reset_signals();
		(void)execve(s->path, argv, environment);
	}
	s->error = errno;
	return NOT_STARTED;
}

static int clone_child(const struct start *start, pid_t *pid)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED)
		return errno;
	struct start *s = memcpy(stack, start, sizeof *start);
	*pid = clone(enter, stack + STACK_BYTES, CLONE_FLAGS, s);
	int error = *pid < 0 ? errno : s->error;
	if (*pid > 0)
		warn_unrestored(s->unrestored);
	(void)munmap(stack, STACK_BYTES);
	if (*pid > 0 && error)
		(void)waitpid(*pid, NULL, 0);
	return error;
}

/* Signals wait meanwhile: a handler of this process's would run in the child, in the same memory.
 */
int proc_spawn(const char *path, const struct proc_options *o, const struct proc_ends *child,
	       const char *const *environment, struct sandbox_entry *sandbox, pid_t *pid)
{
	const struct start s = {.path = path,
				.options = o,
				.ends = child,
				.environment = environment,
				.sandbox = sandbox,
				.parent = getpid()};
	sigset_t all, before;

	(void)pthread_once(&schedule_once, note_schedule);
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = clone_child(&s, pid);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}
