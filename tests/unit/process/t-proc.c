/* Child processes: output, ends, limits, groups, descriptors.
 * covers: proc.c proc_apart.c proc_spawn.c */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"
#include "tuner/process/proc_spawn.h"

static const int64_t second = 1000000000;

static enum asc_status run(const char *script, int64_t limit_ns, size_t max, struct buf *out,
			   int *status, struct asc_err *e)
{
	return proc_run((const char *const[]){"sh", "-c", script, NULL}, NULL, limit_ns, max, out,
			status, e);
}

/* Runs a script that ends by itself: its output and how it ended. */
static void check_run(const char *script, const char *output, const char *end)
{
	struct buf b = {0};
	struct asc_err e;
	int status = -1;
	char text[80];
	int64_t start = clock_now_ns();
	tap_int(run(script, 15 * second, 1000, &b, &status, &e), ASC_OK, "%s", script);
	tap_str(buf_str(&b), output, "%s: its output is captured", script);
	tap_str(proc_print_status(status, text, sizeof text), end, "%s: its end is told", script);
	tap_ok(clock_now_ns() - start < 10 * second, "%s: what has ended is not waited for",
	       script);
	buf_fini(&b);
}

static void test_run(void)
{
	check_run("echo out; echo err >&2", "out\nerr\n", "exited with status 0");
	check_run("exit 3", "", "exited with status 3");
	check_run("kill -SEGV $$", "", "was killed by SIGSEGV (Segmentation fault)");
	check_run("exec >&- 2>&-; sleep 0.1; exit 4", "", "exited with status 4");
	check_run("cat; echo end", "end\n", "exited with status 0"); /* stdin is empty */
	check_run("sleep 20 & echo left", "left\n", "exited with status 0");
	struct buf b = {0};
	struct asc_err e;
	int status = -1;
	buf_add_str(&b, "before:");
	tap_int(run("head -c 10000000 /dev/zero | tr '\\0' x", 15 * second, 1000, &b, &status, &e),
		ASC_OK, "ten million bytes of output");
	tap_int(b.len, 1007, "the output of a child is bounded");
	tap_int(status, 0, "a child whose output is cut comes to its end");
	buf_fini(&b);
}

static void test_variables(void)
{
	static const char *const variables[] = {"ASCTUNE_A=new", "ASCTUNE_AB=", NULL};
	struct proc_options o = {
		.argv = (const char *const[]){"sh", "-c",
					      "echo $ASCTUNE_A $ASCTUNE_AB $ASCTUNE_ABC $HOME",
					      NULL},
		.variables = variables,
		.capture = true};
	struct buf b = {0};
	struct proc p;
	struct asc_err e;
	setenv("ASCTUNE_A", "old", 1);
	setenv("ASCTUNE_AB", "old", 1);
	setenv("ASCTUNE_ABC", "kept", 1);
	setenv("HOME", "/home", 1);
	if (tap_int(proc_start(&p, &o, &e), ASC_OK, "a child with variables of its own")) {
		(void)proc_await_end(&p, 15 * second);
		proc_collect(&p, 100, &b);
		tap_str(buf_str(&b), "new kept /home\n",
			"a child has variables of its own and the inherited ones");
		proc_kill(&p);
	}
	tap_str(getenv("ASCTUNE_A"), "old", "the variables of the parent stay as they were");
	buf_fini(&b);
}

/* What sandboxed children inherit: nothing by a name that nobody listed, or that speaks of a
 * secret.
 */
static void test_passed(void)
{
	static const struct {
		const char *variable, *asked;
		bool passes;
	} all[] = {
		{"PATH=/bin", NULL, true},
		{"LC_ALL=C", NULL, true},
		{"LD_PRELOAD=a.so", NULL, true},
		{"OMP_NUM_THREADS=2", NULL, true},
		{"CC=gcc", NULL, true},
		{"CCX=gcc", NULL, false},
		{"PATHS=/bin", NULL, false},
		{"GITHUB_TOKEN=t", NULL, false},
		{"AWS_SECRET_ACCESS_KEY=k", NULL, false},
		{"SSH_AUTH_SOCK=s", NULL, false},
		{"NVIDIA_API_KEY=k", NULL, false},
		{"TRITON_HUB_TOKEN=t", NULL, false},
		{"ASCTUNE_PASSWORD=p", NULL, false},
		{"MY_LIBRARY_MODE=1", NULL, false},
		{"MY_LIBRARY_MODE=1", "OTHER,MY_LIBRARY_MODE", true},
		{"MY_LIBRARY_MODE=1", "MY_*", true},
		{"MY_LIBRARY_MODE=1", "MY_", false},
		{"MY_TOKEN=t", "MY_*", false},
		{"MY_TOKEN=t", "MY_TOKEN", true},
		{"ANY=1", "", false},
		{"ANY=1", ",,", false},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		all[i].asked ? setenv(PROC_PASS_VARIABLE, all[i].asked, 1)
			     : unsetenv(PROC_PASS_VARIABLE);
		tap_int(proc_environment_passes(all[i].variable), all[i].passes,
			"%s, asked for: %s", all[i].variable, all[i].asked ? all[i].asked : "none");
	}
	unsetenv(PROC_PASS_VARIABLE);
}

static void check_fed(const struct proc_options *o, const char *output, const char *end)
{
	struct buf b = {0};
	struct proc p;
	struct asc_err e;
	char text[80];
	if (!tap_int(proc_start(&p, o, &e), ASC_OK, "a child that is fed"))
		return;
	if (strcmp(o->argv[0], "true") == 0)
		(void)proc_await_end(&p, 15 * second);
	proc_feed(&p, "one\ntwo\n");
	tap_int(p.input, -1, "fed: the input is closed after its text");
	(void)proc_await_end(&p, 15 * second);
	proc_collect(&p, 100, &b);
	(void)proc_reap(&p);
	tap_str(buf_str(&b), output, "fed: the output is captured");
	tap_str(proc_print_status(p.status, text, sizeof text), end, "fed: the end is told");
	buf_fini(&b);
}

/* Fed and collected in one call; what it says to stderr is dropped. */
static void test_mute(void)
{
	static const char *const argv[] = {"sh", "-c", "echo aside >&2; cat", NULL};
	const struct proc_options o = {.argv = argv, .capture = true, .mute = true, .feed = true};
	struct buf b = {0};
	struct asc_err e;
	int status = -1;

	tap_int(proc_run_options(&o, "text", 15 * second, 100, &b, &status, &e), ASC_OK,
		"a child of options is run");
	tap_int(status, 0, "mute: its end");
	tap_str(buf_str(&b), "text", "mute: stdout alone is collected");
	buf_fini(&b);
}

/* The second child is gone before it is fed: no signal reaches us. */
static void test_fed(void)
{
	static const char *const variables[] = {"PATH=/usr/bin:/bin", "ASCTUNE_A=new", NULL};
	check_fed(&(struct proc_options){.argv = (const char *const[]){"cat", NULL},
					 .feed = true,
					 .capture = true},
		  "one\ntwo\n", "exited with status 0");
	check_fed(&(struct proc_options){.argv = (const char *const[]){"true", NULL},
					 .feed = true,
					 .capture = true},
		  "", "exited with status 0");
	check_fed(&(struct proc_options){.argv = (const char *const[]){"env", NULL},
					 .variables = variables,
					 .alone = true,
					 .feed = true,
					 .capture = true},
		  "PATH=/usr/bin:/bin\nASCTUNE_A=new\n", "exited with status 0");
}

static void test_missing(void)
{
	struct buf b = {0};
	struct asc_err e;
	int status;
	tap_int(proc_run((const char *const[]){"no-such-program-here", NULL}, NULL, second, 0, &b,
			 &status, &e),
		ASC_NOTFOUND, "missing program");
	tap_has(e.text, "no-such-program-here in PATH", "missing program: the message names it");
	tap_int(proc_run((const char *const[]){"/dev/null", NULL}, NULL, second, 0, &b, &status,
			 &e),
		ASC_NOTFOUND, "a path that is no program");
	buf_fini(&b);
}

static void test_missing_folder(void)
{
	struct asc_err e;
	struct proc p;
	struct proc_options o = {.argv = (const char *const[]){"true", NULL},
				 .folder = "/no/such/folder",
				 .capture = true,
				 .channel = true};

	if (tap_skip_emulated("posix_spawn() does not learn why its child failed"))
		return;
	tap_int(proc_start(&p, &o, &e), ASC_LIMIT, "missing working folder");
	tap_has(e.text, "true in /no/such/folder: No such file",
		"missing folder: the message names it");
	tap_ok(p.pid == 0 && p.output == -1 && p.channel == -1, "nothing is open after a failure");
	proc_kill(&p);
	tap_ok(proc_reap(&p), "a child that never ran has ended");
}

static void test_limit(void)
{
	struct buf b = {0};
	struct asc_err e;
	int status = 0;
	int64_t start = clock_now_ns();
	tap_int(run("sleep 100 & echo $!; sleep 100", second / 4, 100, &b, &status, &e),
		ASC_TIMEOUT, "time limit");
	tap_str(e.text, "sh was stopped after 250 ms", "time limit: the message says it");
	int64_t spent = clock_now_ns() - start;
	tap_ok(spent >= second / 4 && spent < 10 * second, "time limit: the child ends then");
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	       "time limit: the child is killed");
	pid_t grandchild = (pid_t)strtol(buf_str(&b), NULL, 10);
	tap_ok(grandchild > 1, "time limit: output until then is captured");
	/* It is ours to reap, unless its dying parent came first. */
	(void)waitpid(grandchild, &status, 0);
	if (!tap_skip_emulated("grandchildren are not its to reap"))
		tap_ok(kill(grandchild, 0) != 0 && errno == ESRCH, "the grandchild is gone");
	tap_ok(clock_now_ns() - start < 10 * second, "the grandchild did not end by itself");
	buf_fini(&b);
}

/* A grandchild that left the group keeps the stream open; it is neither waited for nor ours to
 * kill. */
static void test_escaped(void)
{
	struct buf b = {0};
	struct asc_err e;
	int status = 0;
	int64_t start = clock_now_ns();
	tap_int(run("setsid sleep 100 & echo $!; sleep 0.2", 15 * second, 100, &b, &status, &e),
		ASC_OK, "a grandchild in another session");
	tap_ok(clock_now_ns() - start < 10 * second,
	       "a grandchild of another session is not waited for");
	pid_t grandchild = (pid_t)strtol(buf_str(&b), NULL, 10);
	if (tap_ok(grandchild > 1, "the grandchild has said its number")) {
		kill(grandchild, SIGKILL);
		waitpid(grandchild, &status, 0);
	}
	buf_fini(&b);
}

/* A child that has closed its output and goes on is waited for, not looked at again and again. */
static void test_silent(void)
{
	struct proc p;
	struct asc_err e;
	struct buf b = {0};
	struct pollfd fds[PROC_POLLFDS];
	const struct proc_options o = {
		.argv = (const char *const[]){"sh", "-c", "echo last; exec >&- 2>&-; read line <&3",
					      NULL},
		.capture = true,
		.channel = true};
	if (!tap_int(proc_start(&p, &o, &e), ASC_OK, "a child that closes its output"))
		return;
	tap_int(proc_add_pollfds(&p, fds, 0, PROC_POLLFDS), p.end >= 0 ? 3 : 2,
		"its output, channel and end can be watched");
	tap_int(proc_add_pollfds(&p, fds, 1, 2), 2,
		"descriptors are added as far as there is room");
	for (int i = 0; i < 15000 && p.output >= 0; i++) {
		(void)poll(&(struct pollfd){.fd = p.output, .events = POLLIN}, 1, 1);
		proc_collect(&p, 100, &b);
	}
	tap_str(buf_str(&b), "last\n", "the last output of a child is read");
	tap_int(p.output, -1, "a stream that has ended is closed");
	const size_t n = proc_add_pollfds(&p, fds, 0, PROC_POLLFDS);
	tap_int(poll(fds, n, 50), 0, "what is left is not readable while the child runs");
	tap_ok(!proc_await_end(&p, second / 100), "a child that closed its output has not ended");
	close(p.channel);
	p.channel = -1;
	tap_ok(proc_await_end(&p, 15 * second) && proc_reap(&p),
	       "the end of a child without output is seen");
	tap_int(proc_add_pollfds(&p, fds, 0, PROC_POLLFDS), 0,
		"nothing of a child that has ended is watched");
	buf_fini(&b);
}

static void test_channel(void)
{
	struct proc p;
	struct asc_err e;
	char text[16] = "";
	struct proc_options o = {
		.argv = (const char *const[]){"sh", "-c", "exec cat <&3 >&3", NULL},
		.quiet = true,
		.channel = true};
	if (!tap_int(proc_start(&p, &o, &e), ASC_OK, "channel: started"))
		return;
	tap_ok(!proc_reap(&p) && !proc_ended(&p), "channel: the child runs");
	tap_int(write(p.channel, "hello", 5), 5, "channel: sent");
	tap_int(recv(p.channel, text, 5, MSG_WAITALL), 5, "channel: received");
	tap_str(text, "hello", "channel: the same");
	shutdown(p.channel, SHUT_WR);
	tap_int(read(p.channel, text, sizeof text), 0, "channel: ends when the child does");
	(void)proc_await_end(&p, 15 * second);
	tap_ok(proc_reap(&p), "channel: the child has ended");
	tap_ok(p.pid == 0 && p.channel == -1 && p.status == 0, "channel: reaped and closed");
	tap_ok(proc_start(&p, &o, &e) == ASC_OK, "channel: started again");
	proc_kill(&p);
	tap_ok(p.pid == 0 && WTERMSIG(p.status) == SIGKILL, "channel: killed");
	proc_kill(&p);
}

/* Whatever the parent has: descriptors open for inheritance, signals ignored and blocked. */
static void test_inherited(void)
{
	sigset_t term;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	int fd = fcntl(STDOUT_FILENO, F_DUPFD, 20);
	char script[80];
	(void)snprintf(script, sizeof script, "test -e /proc/$$/fd/%d && echo open", fd);
	check_run(script, "", "exited with status 1");
	check_run("test -e /proc/$$/fd/3 && echo open", "", "exited with status 1");
	close(fd);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &term, NULL);
	check_run("kill -PIPE $$", "", "was killed by SIGPIPE (Broken pipe)");
	check_run("kill -TERM $$", "", "was killed by SIGTERM (Terminated)");
	sigprocmask(SIG_UNBLOCK, &term, NULL);
	signal(SIGPIPE, SIG_DFL);
}

/* With standard descriptors closed, the child's ends get the numbers that it needs for others. */
static void test_low_descriptors(void)
{
	int saved[3];
	struct proc p;
	struct asc_err e;
	struct buf b = {0};
	struct proc_options o = {
		.argv = (const char *const[]){"sh", "-c", "echo out; echo sent >&3", NULL},
		.capture = true,
		.channel = true};
	for (int i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		close(i);
	}
	char text[8] = "";
	enum asc_status status = proc_start(&p, &o, &e);
	if (status == ASC_OK) {
		(void)recv(p.channel, text, 5, MSG_WAITALL);
		(void)proc_await_end(&p, 15 * second);
		proc_collect(&p, 100, &b);
		(void)proc_reap(&p);
	}
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	tap_int(status, ASC_OK, "closed standard descriptors: started");
	tap_str(buf_str(&b), "out\n", "closed standard descriptors: output");
	tap_str(text, "sent\n", "closed standard descriptors: channel");
	buf_fini(&b);
}

static void check_find(const char *name, const char *want)
{
	char *path = proc_find(name);
	tap_str(path, want, "find '%s'", name);
	free(path);
}

static void test_find(const char *folder)
{
	char path[300], search[300];
	(void)snprintf(path, sizeof path, "%s/prog", folder);
	FILE *f = fopen(path, "w");
	tap_ok(f && fclose(f) == 0 && chmod(path, 0755) == 0, "find: a program");
	(void)snprintf(search, sizeof search, "/no/such:%s:/bin", folder);
	setenv("PATH", search, 1);
	check_find("prog", path);
	check_find("sh", "/bin/sh");
	check_find("prog2", NULL);
	check_find("", NULL);
	check_find(path, path);
	tap_int(chdir(folder), 0, "find: in the folder");
	setenv("PATH", "/no/such:", 1);
	char *found = proc_find("prog");
	tap_ok(found && found[0] == '/' && strstr(found, "/./prog"), "find: empty entry");
	free(found);
	(void)snprintf(search, sizeof search, "%s/gone", folder);
	tap_ok(mkdir(search, 0700) == 0 && chdir(search) == 0 && rmdir(search) == 0,
	       "find: in a folder that is gone");
	check_find("/bin/sh", "/bin/sh");
	tap_int(chdir(folder), 0, "find: back in the folder");
	unsetenv("PATH");
	check_find("sh", NULL);
	chmod(path, 0644);
	check_find(path, NULL);
	unlink(path);
}

/* ---- in a process of its own ---- */

struct apart {
	char text[5000];
	pid_t pid;
	const char *constant;
};

static const int64_t APART_NS = INT64_C(20000000000);
static int asked_here;

static enum asc_status answer_apart(const void *question, void *answer, struct asc_err *e)
{
	struct apart *a = answer;

	asked_here++;
	if (strcmp(question, "die") == 0)
		abort();
	while (strcmp(question, "hang") == 0)
		(void)pause();
	(void)snprintf(a->text, sizeof a->text, "%*s", 4000, (const char *)question);
	a->pid = getpid();
	a->constant = "still there";
	return strcmp(question, "fail") == 0 ? asc_err_set(e, ASC_ABSENT, "nobody") : ASC_OK;
}

static bool is_running(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

static void test_apart(void)
{
	struct apart a = {0};
	struct asc_err e;
	pid_t first;

	tap_int(proc_apart(answer_apart, "what", &a, sizeof a, APART_NS, &e), ASC_OK, "an answer");
	tap_ok(strlen(a.text) == 4000 && strcmp(a.text + 3996, "what") == 0, "is whole");
	tap_ok(a.pid > 0 && a.pid != getpid(), "from another process");
	tap_str(a.constant, "still there", "what the program has from its start can be named");
	tap_int(asked_here, 0, "nothing has happened in this one");
	first = a.pid;
	tap_ok(is_running(first), "a process that has answered stays");
	tap_int(proc_apart(answer_apart, "fail", &a, sizeof a, APART_NS, &e), ASC_ABSENT,
		"a refusal");
	tap_str(e.text, "nobody", "comes with its reason");
	tap_int(proc_apart(answer_apart, "die", &a, sizeof a, APART_NS, &e), ASC_CHILD, "a crash");
	tap_has(e.text, "was killed by SIGABRT", "is told from an answer");
	tap_int(proc_apart(answer_apart, "hang", &a, sizeof a, 1000000, &e), ASC_TIMEOUT,
		"a process that does not answer is not waited for");
	tap_has(e.text, "no answer within 1 ms", "the message about it says how long it had");
	tap_int(proc_apart(answer_apart, "what", &a, sizeof a, APART_NS, &e), ASC_OK,
		"another answer");
	tap_ok(kill(first, 0) != 0 && errno == ESRCH, "the first process is gone by then");
	proc_apart_let_go();
}

/* Appends the processors and the policy that Linux says a child has. */
static void ask_schedule(struct buf *out)
{
	struct asc_err e;
	int status;

	(void)run("grep -E '^Cpus_allowed_list' /proc/self/status; cut -d' ' -f41 /proc/self/stat",
		  15 * second, 1000, out, &status, &e);
}

/* A policy of real time that is reset on fork, which a process was started with, is not its
 * children's. The first start of a child notes the policy, so a process of its own. */
static void test_reset_on_fork(void)
{
	enum { REFUSED = 2 };
	const struct sched_param lowest = {.sched_priority = 1};
	struct buf policy = {0};
	struct asc_err e;
	int status = 0, ended = 0;
	const pid_t pid = fork();

	if (pid == 0) {
		if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest))
			_exit(REFUSED);
		(void)run("exec cut -d' ' -f41 /proc/self/stat", 15 * second, 1000, &policy,
			  &status, &e);
		_exit(strcmp(buf_str(&policy), "0\n") != 0);
	}
	if (!tap_ok(pid > 0 && waitpid(pid, &ended, 0) == pid && WIFEXITED(ended),
		    "a process that is started with a policy"))
		return;
	if (WEXITSTATUS(ended) == REFUSED)
		tap_skip("no right to a policy of real time");
	else
		tap_int(WEXITSTATUS(ended), 0,
			"a policy that is reset on fork is not given to children");
}

/* A kernel can change processors and policy of its coordinator, whose children inherit them. */
static void test_schedule(void)
{
	const struct sched_param none = {0};
	struct buf before = {0}, after = {0};
	cpu_set_t all, one;

	ask_schedule(&before);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2 ||
	    sched_setaffinity(0, sizeof one, &one)) {
		tap_skip("one processor");
		buf_fini(&before);
		return;
	}
	tap_int(sched_setscheduler(0, SCHED_BATCH, &none), 0, "another policy, and one processor");
	ask_schedule(&after);
	tap_has(buf_str(&before), "Cpus_allowed_list", "what a child may use");
	tap_str(buf_str(&after), buf_str(&before), "is what the process had at first");
	(void)sched_setscheduler(0, SCHED_OTHER, &none);
	(void)sched_setaffinity(0, sizeof all, &all);
	buf_fini(&before);
	buf_fini(&after);
}

static void count_warning(void *user, enum log_level level, const char *text)
{
	size_t *n = user;

	*n += level == LOG_WARN && strstr(text, "until it is started again");
}

/* A process that is not root and runs by SCHED_IDLE: the number of its warnings about two children
 * that do so, too; -1 where there is no such process. */
static int count_idle_warnings(void)
{
	const struct rlimit none = {0};
	const struct sched_param zero = {0};
	struct buf out = {0};
	size_t n = 0;

	if (setrlimit(RLIMIT_NICE, &none) || (geteuid() == 0 && setresuid(65534, 65534, 65534)) ||
	    sched_setscheduler(0, SCHED_IDLE, &zero))
		return -1;
	log_set_sink(count_warning, &n);
	ask_schedule(&out);
	ask_schedule(&out);
	buf_fini(&out);
	return (int)n;
}

/* SCHED_IDLE is for ever, but for root: it is said, once. */
static void test_idle(void)
{
	int status = 0;
	const pid_t pid = fork();

	if (pid == 0)
		_exit(count_idle_warnings() & 0xFF);
	if (!tap_ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status),
		    "a process without privileges"))
		return;
	if (WEXITSTATUS(status) == 0xFF)
		tap_skip("no other user to be, or no SCHED_IDLE");
	else
		tap_int(WEXITSTATUS(status), 1, "SCHED_IDLE that stays with children is said once");
}

/* Has the kernel of this process be one without close_range(). */
static bool forget_close_range(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	const struct sock_fprog program = {sizeof code / sizeof *code, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Descriptors that are open below 2000, where 7, 40 and 1500 are open and all from 8 on are
 * closed; negative: no such kernel. */
static int count_kept(bool old)
{
	int kept = 0;

	for (int fd = 3; fd < 2000; fd++)
		(void)close(fd);
	if (dup2(0, 7) != 7 || dup2(0, 40) != 40 || dup2(0, 1500) != 1500 ||
	    (old && !forget_close_range()))
		return -1;
	file_close_from(8);
	for (int fd = 3; fd < 2000; fd++)
		kept += fcntl(fd, F_GETFD) >= 0;
	return kept;
}

static void test_close_from(void)
{
	struct rlimit limit = {0};

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max < 2000) {
		tap_skip("fewer than 2000 descriptors are allowed");
		return;
	}
	for (int old = 0; old < 2; old++) {
		int status = -1;
		const pid_t child = fork();

		if (child == 0) {
			limit.rlim_cur = limit.rlim_max;
			(void)setrlimit(RLIMIT_NOFILE, &limit);
			_exit(count_kept(old));
		}
		(void)waitpid(child, &status, 0);
		tap_int(WEXITSTATUS(status), 1, "one of three descriptors is kept %s",
			old ? "where the kernel has no close_range()" : "by close_range()");
	}
}

static void test_signals(void)
{
	char text[80];

	tap_str(proc_print_status(SIGSEGV, text, sizeof text),
		"was killed by SIGSEGV (Segmentation fault)", "a signal has its name");
	tap_str(proc_print_status(SIGRTMIN + 1, text, sizeof text), "was killed by signal 35",
		"one without a name has its number");
}

int main(void)
{
	char folder[200];
	const char *parent = getenv("TMPDIR");
	(void)snprintf(folder, sizeof folder, "%s/t-proc-XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder))
		return 1;
	/* An ignored one is inherited, and children would have no status. */
	signal(SIGCHLD, SIG_DFL);
	/* The orphans of children become ours, so that their death can be seen. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	test_reset_on_fork(); /* before this process notes its own policy */
	test_run();
	test_schedule();
	test_idle();
	test_apart();
	test_variables();
	test_passed();
	test_fed();
	test_mute();
	test_missing();
	test_missing_folder();
	test_limit();
	test_escaped();
	test_silent();
	test_channel();
	test_inherited();
	test_low_descriptors();
	test_close_from();
	test_signals();
	test_find(folder);
	rmdir(folder);
	while (wait(NULL) > 0)
		continue;
	return tap_done();
}
