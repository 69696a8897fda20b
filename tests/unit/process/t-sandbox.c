/* The sandbox: what a child may and may not do, what it leaves behind, and what is left when its
 * starter is killed. This program is its own child. What the kernel does not offer is skipped.
 * covers: sandbox.c sandbox_files.c sandbox_filter.c guard.c */
#include "tuner/process/sandbox.h"
#include "tuner/process/sandbox_files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/process/sandbox_acts.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/process/guard.h"
#include "tuner/process/proc.h"

static const int64_t second = 1000000000;
static char folder[300]; /* of the test */

/* ---- the starter's side ---- */

/* Runs an act in the sandbox; its exit status. */
static int try(const struct sandbox *s, const char *name, const char *argument, struct buf *out)
{
	const char *const argv[] = {"/proc/self/exe", name, argument, NULL};
	struct buf none = {0};
	struct asc_err e;
	int status = -1;

	if (proc_run(argv, s, 20 * second, 1000, out ? out : &none, &status, &e))
		tap_note("%s: %s", name, e.text);
	buf_fini(&none);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *in(const char *name)
{
	char *path = path_join(folder, name);

	if (!path)
		abort();
	return path;
}

static char *make_file(const char *name)
{
	struct asc_err e;
	char *path = in(name), *above = path_folder(path);

	if (dir_make(above, &e) || file_write(path, "text\n", 5, &e))
		tap_ok(false, "%s", e.text);
	free(above);
	return path;
}

enum { COULD = 0, COULD_NOT = 1 };

static void check_file(const struct sandbox *s, const char *name, int wanted, const char *what)
{
	char *path = make_file(name);

	tap_int(try(s, "read", path, NULL), wanted, "%s", what);
	free(path);
}

/* Hidden entries of the home that a workload names. */
static void test_hidden(void)
{
	static const struct {
		const char *named, *read;
		int wanted;
	} all[] = {{"home/.local/include", "home/.local/include/a.h", COULD},
		   {"home/.local/include/a.h", "home/.local/include/b.h", COULD},
		   {"home/.local", "home/.local/share/keyrings/login", COULD_NOT},
		   {"home/.local/share/keyrings", "home/.local/share/keyrings/login", COULD_NOT},
		   {"home/.config/tool", "home/.config/tool/token", COULD_NOT},
		   {"home/.sshd", "home/.sshd/a.h", COULD},
		   {"home/.netrc", "home/.netrc", COULD_NOT}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char *path = make_file(all[i].read), *named = in(all[i].named);
		const char *const list[] = {named, NULL};
		const struct sandbox s = {.named = list};

		if (strcmp(all[i].named, all[i].read) != 0 && strstr(all[i].named, ".h"))
			free(make_file(all[i].named));
		tap_int(try(&s, "read", path, NULL), all[i].wanted, "%s, where %s is named",
			all[i].read, all[i].named);
		free(named);
		free(path);
	}
}

/* Folders with keys, tokens and histories: none is read, by whatever name a workload has for it. */
static void test_secrets(void)
{
	static const char *const all[] = {".ssh",
					  ".gnupg",
					  ".pki",
					  ".password-store",
					  ".local/share/keyrings",
					  ".config",
					  ".mozilla",
					  ".thunderbird",
					  ".aws",
					  ".azure",
					  ".gcloud",
					  ".oci",
					  ".kube",
					  ".minikube",
					  ".docker",
					  ".cargo",
					  ".gem",
					  ".m2",
					  ".gradle",
					  ".subversion",
					  ".ansible",
					  ".terraform.d"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char *folder_of = str_print("home/%s", all[i]);
		char *file = str_print("%s/token", folder_of), *path = make_file(file),
		     *named = in(folder_of);
		const char *const list[] = {named, NULL};
		const struct sandbox s = {.named = list};

		tap_int(try(&s, "read", path, NULL), COULD_NOT, "%s is not read", file);
		free(named);
		free(path);
		free(file);
		free(folder_of);
	}
}

static void test_system(void)
{
	tap_ok(sandbox_files_is_system("/usr") && sandbox_files_is_system("/usr/lib/x"),
	       "folders of the system");
	tap_ok(!sandbox_files_is_system("/usr/../root") && !sandbox_files_is_system("/usrlocal"),
	       "no way out of them");
}

static void test_files(void)
{
	char *own = in("own"), *read = in("read"), *home = in("home"), *key = in("home/.ssh/id"),
	     *link = in("home/public/link"), *outside = in("new"), *system = in("own/x");
	const char *const reads[] = {read, home, NULL}, *const named[] = {key, link, NULL};
	struct sandbox s = {.own = own, .reads = reads};
	struct asc_err e;

	tap_int(dir_make(own, &e), ASC_OK, "a folder of its own");
	free(make_file("home/.ssh/id"));
	free(make_file("home/public/text"));
	tap_int(symlink(key, link), 0, "a link");
	setenv("HOME", home, 1);
	tap_int(try(&s, "read", "/etc/passwd", NULL), COULD, "reads the system");
	check_file(&s, "read/a/b", COULD, "reads what its starter names");
	check_file(&s, "home/public/text", COULD, "reads the home where that is named");
	check_file(&s, "home/.ssh/id", COULD_NOT,
		   "the home where that is named: its hidden entries are not read");
	tap_int(try(&s, "read", link, NULL), COULD_NOT,
		"hidden entries of the home are not read through a link");
	check_file(&s, "elsewhere", COULD_NOT, "reads nothing else");
	s.named = named;
	tap_int(try(&s, "read", key, NULL), COULD_NOT, "a workload cannot name a key");
	tap_int(try(&s, "read", link, NULL), COULD_NOT, "a workload cannot name a key by a link");
	test_hidden();
	test_secrets();
	test_system();
	tap_int(try(&s, "write temporary", "t", NULL), COULD, "writes its own folder");
	tap_int(try(&s, "rename", "below/b", NULL), COULD, "moves files in its own folder");
	tap_int(try(&s, "write", "/dev/null", NULL), COULD, "writes nowhere");
	tap_int(try(&s, "write", outside, NULL), COULD_NOT, "makes no other file");
	check_file(&s, "read/c", COULD, "a file that it reads");
	free(outside);
	outside = in("read/c");
	tap_int(try(&s, "write", outside, NULL), COULD_NOT, "a file that it reads is not written");
	tap_int(try(&s, "unlink", outside, NULL), COULD_NOT, "a file that it reads is not removed");
	tap_int(try(&s, "read starter", "environ", NULL), COULD_NOT,
		"does not read its starter's variables");
	tap_int(try(&s, "read", "/proc/self/maps", NULL), COULD, "reads what /proc has of itself");
	tap_int(try(&s, "read", "/proc/meminfo", NULL), COULD,
		"reads what /proc has of the machine");
	free(system);
	free(outside);
	free(link);
	free(key);
	free(home);
	free(read);
	free(own);
}

/* What a child says of `path`, printed by `format`, and what is added to it. */
static void check_words(const char *format, const char *path, const char *wanted, const char *what)
{
	char said[700], text[SANDBOX_EXPLANATION];

	const char *at = strstr(format, "%s"); /* where the path goes */

	(void)snprintf(said, sizeof said, "a line\n%.*s%s%s", (int)(at - format), format, path,
		       at + 2);
	sandbox_explain(said, text, sizeof text);
	if (*wanted)
		tap_has(text, wanted, "words: %s", what);
	else
		tap_str(text, "", "words: %s", what);
}

static void test_words(void)
{
	static const char c_words[] = "fopen(%s): Permission denied\nmore\n";
	static const char python_words[] = "PermissionError: [Errno 13] Permission denied: '%s'\n";
	char *outside = make_file("data/table.txt"), *made = in("data/new.txt"),
	     *hidden = make_file("data/.token"), *granted = make_file("granted/w.json");
	char *wanted = str_print("the sandbox denied %s: put it beside the workload", outside);
	struct asc_err e;

	tap_int(sandbox_grant(granted, false, &e), ASC_OK, "a workload");
	check_words(c_words, outside, wanted, "a file that only the user reads");
	check_words(python_words, outside, wanted, "the same in an interpreter's words");
	check_words("%s: No such file\n", outside, "", "another failure");
	check_words(c_words, made, "write below $TMPDIR, or leave the sandbox off with --trust",
		    "a file that is not made");
	check_words(c_words, granted, "write below $TMPDIR, or leave the sandbox off with --trust",
		    "a file that is only read");
	check_words(c_words, hidden, "(if that is the sandbox", "nobody is to copy a hidden file");
	check_words("%s Permission denied\n", "", "(if that is the sandbox", "no name");
	free(wanted);
	free(granted);
	free(hidden);
	free(made);
	free(outside);
}

static void test_grant(void)
{
	char *workload = make_file("repository/a/b/w.json"), *git = in("repository/.git");
	struct asc_err e;
	struct sandbox s = {0};

	tap_int(dir_make(git, &e), ASC_OK, "a repository");
	check_file(&s, "repository/a/b/w.json", COULD_NOT, "a workload that is not granted");
	tap_int(sandbox_grant(workload, false, &e), ASC_OK, "a workload is granted");
	check_file(&s, "repository/a/b/w.json", COULD, "a workload that is granted: its file");
	check_file(&s, "repository/c", COULD_NOT,
		   "a workload that is granted: not the repository around it");
	tap_int(sandbox_grant(workload, true, &e), ASC_OK,
		"a workload is granted with its repository");
	check_file(&s, "repository/c", COULD, "a repository that is granted is read");
	char *home = in("repository");
	setenv("HOME", home, 1);
	free(home);
	check_file(&s, "repository/.secret/c", COULD_NOT,
		   "a repository that is the home: its hidden entries are not read");
	free(git);
	free(workload);
}

/* A file that is hidden, in a folder that is granted and beside it; made before a child starts, and
 * behind that. */
static void test_hide(void)
{
	char *workload = make_file("hiding/a/w.json"), *git = in("hiding/.git");
	char *secret = in("hiding/a/cache.secret"), *later = in("hiding/later.secret"),
	     *above = in("hiding");
	struct asc_err e;
	struct sandbox s = {0};

	tap_ok(!dir_make(git, &e) && !sandbox_grant(workload, true, &e), "a repository");
	check_file(&s, "hiding/a/cache.secret", COULD, "a file in it is read");
	tap_ok(!sandbox_hide(secret, &e) && !sandbox_hide(later, &e) && !sandbox_hide(secret, &e),
	       "two are hidden, the one before it is there");
	check_file(&s, "hiding/a/cache.secret", COULD_NOT, "a hidden file");
	check_file(&s, "hiding/a/cache.secret.4711", COULD_NOT, "what becomes one");
	check_file(&s, "hiding/later.secret", COULD_NOT, "one in the folder that was granted");
	check_file(&(struct sandbox){.named = (const char *const[]){secret, NULL}},
		   "hiding/a/cache.secret", COULD_NOT, "a hidden file that a workload names");
	check_file(&s, "hiding/a/w.json", COULD, "a file beside it");
	check_file(&s, "hiding/a/cache/x", COULD, "a file in a folder beside it");
	check_file(&s, "hiding/b/c", COULD, "a file elsewhere in the repository");
	tap_int(try(&s, "list", above, NULL), COULD, "its folder is listed");
	free(above);
	free(later);
	free(secret);
	free(git);
	free(workload);
}

static void test_network(void)
{
	static const char *const calls[] = {"shmat",     "shmctl",      "semop",   "semtimedop",
					    "semctl",    "msgsnd",      "msgrcv",  "msgctl",
					    "mq_unlink", "userfaultfd", "add_key", "request_key",
					    "keyctl",    "file_setattr"};
	static const char *const of_driver[] = {"add_key", "request_key", "keyctl"};
	static const char *const schedulers[] = {"set policy", "set attributes"};
	const struct sandbox s = {0}, driver = {.driver = true};
	char *file = make_file("modes");

	tap_int(try(&s, "internet", "", NULL), COULD_NOT, "opens no socket");
	tap_int(try(&s, "unix", "", NULL), COULD_NOT, "opens no socket to other processes");
	tap_int(try(&s, "queue", "", NULL), COULD_NOT, "opens no socket by a queue of calls");
	tap_int(try(&s, "share", "", NULL), COULD_NOT, "makes nothing that stays in memory");
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		tap_int(try(&s, "call", calls[i], NULL), COULD_NOT, "%s is refused", calls[i]);
	for (size_t i = 0; i < sizeof of_driver / sizeof *of_driver; i++)
		tap_int(try(&driver, "call", of_driver[i], NULL), COULD_NOT,
			"%s is refused to a driver", of_driver[i]);
	tap_int(try(&s, "change mode", file, NULL), COULD_NOT, "changes no mode of a file");
	tap_int(try(&s, "change flags", file, NULL), COULD_NOT, "changes no flags of a file");
	tap_int(try(&s, "lock", file, NULL), COULD_NOT, "locks no file");
	tap_int(try(NULL, "lock", file, NULL), COULD, "outside of a sandbox: locks");
	tap_int(try(&s, "key", "", NULL), COULD_NOT, "keeps no key");
	tap_int(try(&driver, "key", "", NULL), COULD_NOT, "a driver keeps no key");
	tap_int(try(&s, "limit", "", NULL), COULD_NOT, "has no say in limits of others");
	tap_int(try(&s, "slow", "", NULL), COULD_NOT, "has no say in priorities of others");
	tap_int(try(&s, "make thread", "", NULL), COULD, "makes a thread with a policy of its own");
	tap_int(try(&driver, "make thread", "", NULL), COULD,
		"a driver: makes a thread with a policy of its own");
	tap_int(try(&s, "set policy", "idle", NULL), COULD_NOT, "has no other run when idle");
	tap_int(try(&driver, "set policy", "idle", NULL), COULD_NOT,
		"a driver: has no other run when idle");
	for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
		tap_int(try(&s, schedulers[i], "", NULL), COULD_NOT, "%s: not of others",
			schedulers[i]);
		tap_int(try(&driver, schedulers[i], "", NULL), COULD_NOT,
			"a driver, %s: not of others", schedulers[i]);
		tap_int(try(NULL, schedulers[i], "", NULL), COULD,
			"outside of a sandbox, %s: of others", schedulers[i]);
	}
	tap_int(try(&s, "delay", "", NULL), COULD_NOT,
		"has no say in priorities of others for files");
	tap_int(try(NULL, "delay", "", NULL), COULD, "outside of a sandbox: priorities for files");
	tap_int(try(NULL, "limit", "", NULL), COULD, "outside of a sandbox: limits of others");
	tap_int(try(NULL, "slow", "", NULL), COULD, "outside of a sandbox: priorities of others");
	tap_int(try(&driver, "internet", "", NULL), COULD_NOT, "a driver: no socket either");
	tap_int(try(&driver, "unix", "", NULL), COULD, "a driver: a socket to other processes");
	free(file);
}

static void test_names(void)
{
	const struct sandbox s = {0}, driver = {.driver = true};

	tap_int(try(&s, "name", "", NULL), COULD_NOT, "names no thread through /proc");
	tap_int(try(&driver, "name", "", NULL), COULD, "a driver: names its threads");
	tap_int(try(&driver, "write", "/proc/self/oom_score_adj", NULL), COULD_NOT,
		"a driver: writes nothing else in /proc");
}

/* A child that may do without the sandbox of drivers, but for what is required since. */
static int require_and_try(void)
{
	const struct sandbox driver = {.driver = true};

	(void)sandbox_leave_off_drivers();
	sandbox_require();
	return try(&driver, "read", folder, NULL);
}

static void test_required(void)
{
	char *path = make_file("required");

	tap_int(try(NULL, "require", path, NULL), COULD_NOT,
		"a sandbox that is required: a driver's, too");
	free(path);
}

static void test_limits(void)
{
	const struct sandbox s = {0}, small = {.memory_bytes = 1 << 30};

	tap_int(try(&s, "end first", "", NULL), COULD, "ends before its starter without memory");
	tap_int(try(&s, "gain", "", NULL), COULD_NOT, "gains no privileges");
	tap_int(try(&s, "dump", "", NULL), COULD_NOT, "leaves no core file");
	tap_int(try(&s, "lose its mark", "", NULL), COULD_NOT, "keeps the limit that marks it");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tap_int(try(&small, "memory", "", NULL), COULD_NOT, "has a limit on memory");
#else
	(void)small;
#endif
}

/* ---- what is left behind ---- */

static bool is_alive(pid_t pid)
{
	char path[64], text[512] = "";

	(void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool there = fd >= 0 && read(fd, text, sizeof text - 1) > 0;
	const char *state = strrchr(text, ')');
	if (fd >= 0)
		close(fd);
	return there && state && state[1] && state[2] != 'Z';
}

static bool ends(pid_t pid)
{
	for (int i = 0; i < 500 && is_alive(pid); i++)
		(void)usleep(10000);
	return !is_alive(pid);
}

static void test_daemon(void)
{
	const struct sandbox s = {0};
	struct buf said = {0};

	tap_int(try(&s, "daemon", "60", &said), 0, "a child leaves a process in its own session");
	pid_t left = (pid_t)strtol(buf_str(&said), NULL, 10);
	tap_ok(left > 0 && !is_alive(left), "a process that a child left has ended with it: %s",
	       buf_str(&said));
	buf_fini(&said);
}

/* Makes the environment larger than a megabyte, of which the guard's variable is the last. */
static void add_ballast(void)
{
	char name[16], text[100000];

	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	for (int i = 0; i < 12; i++) {
		(void)snprintf(name, sizeof name, "BALLAST%d", i);
		setenv(name, text, 1);
	}
}

/* A starter that is killed: its child, what that has left, and its folder. */
static int start_and_wait(const char *own)
{
	const char *const argv[] = {"/proc/self/exe", "daemon", "60", NULL};
	const struct sandbox s = {.own = own};
	struct proc p;
	struct asc_err e;

	add_ballast();
	guard_add_folder(own);
	if (proc_start(&p, &(struct proc_options){.argv = argv, .sandbox = &s}, &e))
		return 1;
	(void)sleep(60);
	return 1;
}

static void test_guard(void)
{
	char *own = in("guarded"), line[40] = "";
	const char *const argv[] = {"/proc/self/exe", "start", own, NULL};
	struct proc p;
	struct asc_err e;

	(void)dir_make(own, &e);
	free(make_file("guarded/file"));
	if (!tap_int(proc_start(&p, &(struct proc_options){.argv = argv, .capture = true}, &e),
		     ASC_OK, "a starter"))
		return;
	for (int i = 0; i < 2000 && !strchr(line, '\n'); i++)
		if (read(p.output, line + strlen(line), sizeof line - 1 - strlen(line)) < 0)
			(void)usleep(10000);
	pid_t left = (pid_t)strtol(line, NULL, 10);
	tap_ok(left > 0 && is_alive(left), "whose child has left a process");
	(void)kill(p.pid, SIGKILL);
	tap_ok(ends(left), "a starter that is killed: what its child left ends");
	for (int i = 0; i < 6000 && file_exists(own); i++)
		(void)usleep(10000);
	tap_ok(!file_exists(own), "a starter that is killed: its folder is gone");
	proc_kill(&p); /* not before: its guard would come to this process, and end */
	free(own);
}

/* A starter that ends while its child goes on, and tells what that has left. */
static int start_and_end(void)
{
	const char *const argv[] = {"/proc/self/exe", "parent", "60", NULL};
	const struct sandbox s = {0};
	struct buf said = {0};
	struct proc p;
	struct asc_err e;

	if (proc_start(&p, &(struct proc_options){.argv = argv, .capture = true, .sandbox = &s},
		       &e))
		return 1;
	for (int i = 0; i < 2000 && !strchr(buf_str(&said), '\n'); i++) {
		(void)usleep(10000);
		proc_collect(&p, 40, &said);
	}
	(void)fputs(buf_str(&said), stdout);
	buf_fini(&said);
	return 0;
}

static void test_end(void)
{
	const char *const argv[] = {"/proc/self/exe", "end", "", NULL};
	struct buf said = {0};
	struct proc p;
	struct asc_err e;

	if (!tap_int(proc_start(&p, &(struct proc_options){.argv = argv, .capture = true}, &e),
		     ASC_OK, "a starter that ends before its child"))
		return;
	for (int i = 0; i < 2000 && !strchr(buf_str(&said), '\n'); i++) {
		(void)usleep(10000);
		proc_collect(&p, 40, &said);
	}
	pid_t left = (pid_t)strtol(buf_str(&said), NULL, 10);
	tap_ok(left > 0 && ends(left), "what its child left has ended with it: %s", buf_str(&said));
	proc_kill(&p); /* not before: orphans would come to this process, and end */
	buf_fini(&said);
}

static void test_off(void)
{
	const struct sandbox s = {0};

	sandbox_leave_off();
	check_file(&s, "elsewhere", COULD, "left off: reads all");
	tap_int(try(&s, "unix", "", NULL), COULD, "left off: opens sockets");
	tap_ok(sandbox_is_off() && sandbox_missing() == 0, "left off: nothing is missing");
	check_words("%s: Permission denied\n", folder, "", "not of a sandbox that is left off");
}

static bool has(enum sandbox_part part)
{
	char why[200];

	if (!*sandbox_reason(part, why, sizeof why))
		return true;
	tap_skip("%s: %s", sandbox_part_name(part), why);
	return false;
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");

	if (argc == 3 && strcmp(argv[1], "require") == 0) {
		(void)snprintf(folder, sizeof folder, "%s", argv[2]);
		return require_and_try();
	}
	if (argc == 3)
		return strcmp(argv[1], "start") == 0 ? start_and_wait(argv[2])
		       : strcmp(argv[1], "end") == 0 ? start_and_end()
						     : sandbox_act(argv[1], argv[2]);
	if (tap_skip_emulated("it has neither Landlock nor seccomp, and limits only itself"))
		return tap_done();
	(void)snprintf(folder, sizeof folder, "%s/t-sandbox-XXXXXX", tmp ? tmp : "/tmp");
	if (!tap_ok(mkdtemp(folder) != NULL, "a folder"))
		return tap_done();
	if (has(SANDBOX_FILES)) {
		test_files();
		test_grant();
		test_hide();
		test_names();
		test_required();
	}
	if (has(SANDBOX_NETWORK))
		test_network();
	if (has(SANDBOX_SIGNALS))
		tap_int(try(&(struct sandbox){0}, "signal", "", NULL), COULD_NOT,
			"signals nobody outside");
	test_words();
	test_limits();
	test_daemon();
	test_guard();
	test_end();
	test_off();
	dir_remove(folder);
	return tap_done();
}
