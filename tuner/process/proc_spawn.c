#include "tuner/process/proc_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/file.h"
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

char *const *proc_strings(const char *const *list)
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

/* Makes the child what its options say, and then the program.
 *
 * The child shares the memory of its parent until then, which waits: system calls alone, no
 * allocation, no lock. A failure is an errno in the memory that both see. */
static int enter(void *user)
{
	const struct schedule *const first = &schedule_at_start;
	struct start *s = user;
	const struct proc_options *o = s->options;
	char *const *argv = proc_strings(o->argv);
	char *const *environment = proc_strings(s->environment);
	sigset_t none;

	/* A group of its own, by which it is killed with all that it starts. */
	(void)setpgid(0, 0);
	/* Before the sandbox, which forbids it. Nobody but root takes back some policies
	 * (SCHED_IDLE), and processors may be switched off: the parent warns. */
	if (first->has_processors &&
	    sched_setaffinity(0, sizeof first->processors, &first->processors))
		s->unrestored = errno;
	if (first->has_policy && sched_setscheduler(0, first->policy, &first->param))
		s->unrestored = errno;
	/* An end with the parent; one that has ended before that call sends no signal. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent)
		return NOT_STARTED;
	/* Descriptors and folder before the sandbox: they need not be in what it reads. */
	bool ok = o->feed ? put(s->ends->input, STDIN_FILENO) : put_null(STDIN_FILENO, O_RDONLY);

	if (ok && o->capture)
		ok = put(s->ends->output, STDOUT_FILENO) && put(s->ends->output, STDERR_FILENO);
	else if (ok && o->quiet)
		ok = put_null(STDOUT_FILENO, O_WRONLY);
	if (ok && o->mute)
		ok = put_null(STDERR_FILENO, O_WRONLY);
	if (ok && o->channel)
		ok = put(s->ends->channel, CHANNEL_FD);
	if (ok && (!o->folder || chdir(o->folder) == 0)) {
		sandbox_enter(s->sandbox);
		/* Descriptors of asctune close on exec; a library may have left others open. After
		 * the sandbox, whose rules are a descriptor. */
		file_close_from(CHANNEL_FD + o->channel);
		/* Signals as a fresh program has them: asctune may ignore SIGPIPE. Unblocked last,
		 * when no handler of the parent is left to run in its memory. */
		for (int i = 1; i < NSIG; i++)
			(void)sigaction(i, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		sigemptyset(&none);
		(void)sigprocmask(SIG_SETMASK, &none, NULL);
		(void)execve(s->path, argv, environment);
	}
	s->error = errno;
	return NOT_STARTED;
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

static int clone_child(const struct start *start, pid_t *pid)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED)
		return errno;
	/* At the low end, which the stack does not reach: it grows down. */
	struct start *s = memcpy(stack, start, sizeof *start);
	*pid = clone(enter, stack + STACK_BYTES, CLONE_FLAGS, s);
	int error = *pid < 0 ? errno : s->error;
	if (*pid > 0)
		warn_unrestored(s->unrestored);
	(void)munmap(stack, STACK_BYTES);
	/* The child never became its program: its starter knows of no child. */
	if (*pid > 0 && error)
		(void)waitpid(*pid, NULL, 0);
	return error;
}

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
	/* Signals wait meanwhile: a handler of this process would run in the child, in the same
	 * memory. */
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = clone_child(&s, pid);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---- the environment ---- */

/* Variables that children go by; a `*` stands for any rest of a name. All else, tokens of a CI and
 * of clouds among it, is none of a kernel's or a compiler's business. */
static const char *const passed[] = {
	/* system and language */
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "LOCPATH",
	"LOCALE_ARCHIVE", "TZ", "TZDIR", "TERM", "TMPDIR", "XDG_CACHE_HOME",
	/* loader and C library */
	"LD_*", "GLIBC_TUNABLES", "MALLOC_*", "MIMALLOC_*", "FAKETIME*",
	/* compilers */
	"CC", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
	"GCC_EXEC_PREFIX", "GCC_COLORS", "SOURCE_DATE_EPOCH", "CCACHE_*", "NIX_*", "GUIX_*",
	/* threads */
	"OMP_*", "GOMP_*", "KMP_*", "OPENBLAS_*", "GOTO_*", "MKL_*", "BLIS_*",
	/* devices */
	"CUDA_*", "CUBLAS_*", "CUBLASLT_*", "CUPTI_*", "NVRTC_*", "NVIDIA_VISIBLE_DEVICES",
	"NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_TF32_OVERRIDE", "ASCEND_*", "ASCENDC_*", "ACL_*",
	"CANN_*", "HCCL_*", "MSPROF*", "TOOLCHAIN_HOME", "STANDIN", "STANDIN_*",
	/* interpreters */
	"PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_*", "TRITON_*", "MLIR_*", "LLVM_*",
	/* Python's libraries: what decides how they compute */
	"TORCH*", "PYTORCH_*", "LIGER_*", "VLLM_*", "FLASHINFER_*", "INFINI_OPS_*", "NPY_*",
	/* pictures */
	"GNUPLOT_*", "GNUTERM", "GDFONTPATH",
	/* this program, and what it is tested with */
	"ASCTUNE_*", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "GCOV_*",
	"VALGRIND_*", "QEMU_*", NULL};

/* Parts of names that say that a value is a secret. */
static const char *const secret[] = {"TOKEN",       "SECRET",     "PASSWORD", "PASSWD",
				     "PASSPHRASE",  "CREDENTIAL", "API_KEY",  "ACCESS_KEY",
				     "PRIVATE_KEY", "AUTH",       NULL};

/* True when the name of `n` bytes is `pattern` of `length`, whose last `*` stands for any rest. */
static bool is_like(const char *name, size_t n, const char *pattern, size_t length)
{
	const bool open = length > 0 && pattern[length - 1] == '*';

	length -= open;
	return (open ? n >= length : n == length) && strncmp(name, pattern, length) == 0;
}

static bool is_secret(const char *name, size_t n)
{
	for (size_t i = 0; secret[i]; i++) {
		const size_t length = strlen(secret[i]);

		for (size_t at = 0; at + length <= n; at++)
			if (strncmp(name + at, secret[i], length) == 0)
				return true;
	}
	return false;
}

/* True when the user's own list has the name. */
static bool is_asked_for(const char *name, size_t n)
{
	const char *list = getenv(PROC_PASS_VARIABLE);

	while (list && *list) {
		const size_t length = strcspn(list, ",");
		const bool open = length > 0 && list[length - 1] == '*';

		/* A secret has to be named in full: PREFIX* is not meant for it. */
		if (length > 0 && is_like(name, n, list, length) && (!open || !is_secret(name, n)))
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

bool proc_environment_passes(const char *variable)
{
	const size_t n = strcspn(variable, "=");

	if (is_asked_for(variable, n))
		return true;
	for (size_t i = 0; passed[i]; i++)
		if (is_like(variable, n, passed[i], strlen(passed[i])))
			/* A pattern of the list may cover a token: CANN_ACCESS_KEY. */
			return !is_secret(variable, n);
	return false;
}

static bool is_replaced(const char *inherited, const char *const *variables)
{
	for (; *variables; variables++) {
		const size_t n = strcspn(*variables, "=");

		if (strncmp(*variables, inherited, n) == 0 && inherited[n] == '=')
			return true;
	}
	return false;
}

const char **proc_environment_new(const struct proc_options *o, const char *const *own)
{
	static const char *const none[] = {NULL};
	const char *const *lists[] = {o->variables ? o->variables : none, own};
	const bool confined = o->sandbox && !sandbox_is_off();
	size_t n = 0, room = 1;

	for (char *const *v = environ; v && *v; v++)
		room++;
	for (size_t i = 0; i < 2; i++)
		for (const char *const *v = lists[i]; *v; v++)
			room++;
	const char **all = calloc(room, sizeof *all);

	/* Variables that are set go before inherited ones: programs take either of two with one
	 * name. */
	for (char *const *v = environ; all && !o->alone && v && *v; v++)
		if (!is_replaced(*v, lists[0]) && !is_replaced(*v, own) &&
		    (!confined || proc_environment_passes(*v)))
			all[n++] = *v;
	for (size_t i = 0; all && i < 2; i++)
		for (const char *const *v = lists[i]; *v; v++)
			all[n++] = *v;
	return all;
}
