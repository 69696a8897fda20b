/* Files, folders, paths and the place for cached things.
 * covers: file.c dir.c places.c */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"

static char folder[256]; /* everything happens in here */

/* A path in the folder; valid until the fourth call after it. */
static const char *in(const char *name)
{
	static char paths[4][600];
	static int next;
	char *path = paths[next++ % 4];
	(void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static int mode_of(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 ? (int)(st.st_mode & 07777) : -1;
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2; /* "." and ".." */
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void check_content(const char *path, const char *want, const char *name)
{
	struct buf b = {0};
	struct asc_err e;
	tap_int(file_read(path, 0, &b, &e), ASC_OK, "%s: readable", name);
	tap_str(buf_str(&b), want, "%s: content", name);
	buf_fini(&b);
}

static void test_read(void)
{
	struct buf b = {0};
	struct asc_err e;
	tap_int(file_write(in("r"), "12345", 5, &e), ASC_OK, "read: a file is made");
	buf_add_str(&b, "before ");
	tap_int(file_read(in("r"), 5, &b, &e), ASC_OK, "read: a file as large as allowed is read");
	tap_str(buf_str(&b), "before 12345", "read: appends");
	tap_int(file_read(in("r"), 4, &b, &e), ASC_LIMIT, "read: a larger file is refused");
	tap_has(e.text, "larger than 4 bytes", "read: says the limit");
	tap_str(buf_str(&b), "before 12345", "read: nothing added by a failure");
	tap_int(file_read(in("none"), 0, &b, &e), ASC_NOTFOUND,
		"read: a missing file is not found");
	tap_has(e.text, in("none"), "read: names the path");
	tap_int(file_read(folder, 0, &b, &e), ASC_IO, "read: folder");
	tap_has(e.text, "it is a folder", "read: says that it is one");
	tap_int(file_read("/dev/zero", 0, &b, &e), ASC_IO, "read: endless file");
	tap_has(e.text, "it is a device", "read: says why not");
	tap_int(mkfifo(in("pipe"), 0600), 0, "read: a pipe without a writer");
	tap_int(file_read(in("pipe"), 0, &b, &e), ASC_IO, "read: is not waited for");
	tap_str(file_find_special(in("pipe")), "a pipe", "special: a pipe");
	tap_str(file_find_special(folder), "a folder", "special: a folder");
	tap_ok(!file_find_special(in("r")), "special: not a regular file");
	tap_ok(!file_find_special(in("none")), "special: not what is missing");
	unlink(in("pipe"));
	unlink(in("r"));
	buf_fini(&b);
}

static void test_write(void)
{
	struct asc_err e;
	mode_t before = umask(022);
	tap_int(file_write(in("w"), "old", 3, &e), ASC_OK, "write: a new file is made");
	tap_int(mode_of(in("w")), 0644, "write: a new file has the mode that the umask leaves");
	tap_int(chmod(in("w"), 0600), 0, "write: made private");
	tap_int(file_write(in("w"), "new!", 4, &e), ASC_OK, "write: a file is replaced");
	tap_int(mode_of(in("w")), 0600, "write: a replaced file keeps its mode");
	check_content(in("w"), "new!", "write");
	tap_int(symlink("w", in("link")), 0, "write: link made");
	tap_int(file_write(in("link"), "through", 7, &e), ASC_OK, "write: a link is followed");
	tap_int(entries(folder), 2, "write: the link and the file, no temporary one");
	tap_ok(readlink(in("link"), (char[8]){0}, 8) == 1, "write: the link stays a link");
	check_content(in("w"), "through", "write by a link");
	tap_int(file_replace(in("link"), "own", 3, &e), ASC_OK, "replace: of a link");
	check_content(in("w"), "through", "what the link named");
	check_content(in("link"), "own", "replaced link");
	tap_int(unlink(in("link")) || mkfifo(in("link"), 0600), 0, "replace: a pipe instead");
	tap_int(file_replace(in("link"), "own", 3, &e), ASC_OK, "replace: is not waited for");
	check_content(in("link"), "own", "replaced pipe");
	tap_int(file_write(in("no/w"), "", 0, &e), ASC_NOTFOUND, "write: no such folder");
	tap_has(e.text, in("no/w"), "write: names the path");
	tap_int(file_write(folder, "", 0, &e), ASC_IO, "write: onto a folder");
	tap_int(file_write("/dev/null", "x", 1, &e), ASC_OK, "write: into a device");
	struct stat st;
	tap_ok(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode), "write: it is still a device");
	umask(before);
	unlink(in("link"));
	unlink(in("w"));
}

static void test_full(void)
{
	struct asc_err e;
	struct rlimit old, small;
	char large[8192] = {0};
	tap_int(file_write("/dev/full", "x", 1, &e), ASC_FULL, "a device without room is full");
	tap_has(e.text, "cannot write /dev/full: No space left", "a full device is named");
	tap_int(file_write(in("f"), "kept", 4, &e), ASC_OK, "full: a file is made");
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	enum asc_status status = file_write(in("f"), large, sizeof large, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	tap_int(status, ASC_FULL, "a file over its limit is a full disk");
	check_content(in("f"), "kept", "full: old file");
	tap_int(entries(folder), 1, "a full disk leaves no temporary file");
	unlink(in("f"));
}

static void test_dirs(void)
{
	struct asc_err e;
	tap_int(dir_make(in("a/b/c"), &e), ASC_OK, "dir: parents are made");
	tap_int(mode_of(in("a/b")), 0700, "dir: parents are private");
	tap_int(dir_make(in("a/b/c/"), &e), ASC_OK, "dir: one that is there may end in a slash");
	tap_ok(file_exists(in("a/b/c")) && !file_exists(in("a/x")), "dir: exists");
	tap_int(file_write(in("a/file"), "", 0, &e), ASC_OK, "dir: a file");
	tap_int(dir_make(in("a/file"), &e), ASC_IO, "dir: a file has the name");
	tap_has(e.text, in("a/file"), "dir: names the path");
	tap_int(dir_make(in("a/file/x"), &e), ASC_NOTFOUND, "dir: none is made below a file");
	tap_ok(dir_make("", &e) != ASC_OK, "dir: an empty name is refused");
	unlink(in("a/file"));
	rmdir(in("a/b/c"));
	rmdir(in("a/b"));
	rmdir(in("a"));
}

static void check_join(const char *base, const char *name, const char *want)
{
	char *path = path_join(base, name);
	tap_str(path, want, "join '%s' and '%s'", base ? base : "(null)", name);
	free(path);
}

static void check_folder(const char *path, const char *want)
{
	char *parent = path_folder(path);
	tap_str(parent, want, "folder of '%s'", path);
	free(parent);
}

static void check_name(const char *path, const char *want)
{
	tap_str(path_name(path), want, "last part of '%s'", path);
}

static void test_scratch(void)
{
	char *made = NULL, link[512];
	struct asc_err e;

	setenv("TMPDIR", in("nowhere"), 1);
	tap_int(dir_make_scratch("x", &made, &e), ASC_NOTFOUND,
		"scratch: a missing TMPDIR is not found");
	tap_has(e.text, in("nowhere"), "scratch: the message names the path");
	setenv("TMPDIR", folder, 1);
	tap_int(dir_make_scratch("x", &made, &e), ASC_OK, "scratch: a folder is made");
	(void)snprintf(link, sizeof link, "%s/a/b", made);
	tap_int(dir_make(link, &e), ASC_OK, "scratch: folders are made in it");
	(void)snprintf(link, sizeof link, "%s/a/link", made);
	tap_int(symlink(folder, link), 0, "scratch: a link leads out of it");
	dir_remove(made);
	tap_ok(!file_exists(made), "scratch: all of it is removed");
	tap_ok(file_exists(folder), "scratch: what a link names is not removed");
	dir_remove(NULL);
	free(made);
}

/* Folders as a child leaves them that does not want them gone: deeper than a path may be long, of
 * modes that keep their owner out, named as those that removal makes. Made and removed by a user
 * who is not root, whom no mode would hold. */
static int make_stubborn(const char *path)
{
	char name[201] = "0";
	int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), made = at >= 0;
	const int top = at;

	for (int depth = 0; depth < 60 && made; depth++) {
		made = mkdirat(at, name, 0700) == 0;
		const int below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		const int file = openat(below, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0000);

		made = made && below >= 0 && file >= 0 && symlinkat(folder, below, "link") == 0;
		close(file);
		(void)fchmod(at, depth % 3 == 0 ? 0300 : depth % 3 == 1 ? 0500 : 0000);
		if (at != top)
			close(at);
		at = below;
		memset(name, 'd', sizeof name - 1);
	}
	close(at);
	close(top);
	return made;
}

static void test_stubborn(void)
{
	const char *path = in("stubborn");
	int status = -1;

	(void)mkdir(path, 0700);
	(void)!chown(path, 12345, 12345);
	(void)chmod(folder, 0711); /* that user comes to it */
	const pid_t child = fork();
	if (child == 0) {
		struct stat st;

		(void)!setuid(12345);
		/* What /proc has of a process that changed its user is root's, otherwise. */
		(void)prctl(PR_SET_DUMPABLE, 1);
		if (access(path, F_OK) != 0) /* a folder above is closed to other users */
			_exit(3);
		const int made = make_stubborn(path);

		dir_remove(path);
		const bool there = stat(path, &st) == 0;

		(void)chmod(path, 0700);
		_exit(!made ? 2 : there && entries(path) != 0);
	}
	(void)waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		tap_skip("another user does not come to the test's folder");
	else
		tap_int(status, 0, "a deep folder of forbidding modes is emptied by its owner");
	dir_remove(path);
	tap_ok(!file_exists(path) && file_exists(folder), "and removed");
}

/* A folder into which another process puts a file for each that is removed. */
static bool refill;

int unlinkat(int at, const char *name, int flags)
{
	static unsigned n;
	char again[32];
	const int status = (int)syscall(SYS_unlinkat, at, name, flags);

	if (refill && status == 0) {
		(void)snprintf(again, sizeof again, "again-%u", n++);
		close(openat(at, again, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	}
	return status;
}

static void keep_line(void *user, enum log_level level, const char *text)
{
	(void)level;
	(void)snprintf(user, 1000, "%s", text);
}

static void test_refilled(void)
{
	const char *path = in("refilled");
	char line[1000] = "";
	struct asc_err e;

	(void)mkdir(path, 0700);
	tap_int(file_write(in("refilled/first"), "", 0, &e), ASC_OK, "a file to be removed");
	(void)alarm(20);
	log_set_sink(keep_line, line);
	refill = true;
	dir_remove(path);
	refill = false;
	log_set_sink(NULL, NULL);
	(void)alarm(0);
	tap_has(line, "refilled is not removed", "what is left is said");
	tap_int(entries(path), 1, "the removal of a folder ends that is filled meanwhile");
	dir_remove(path);
	tap_ok(!file_exists(path), "and is done when nobody fills it");
}

static void test_paths(void)
{
	struct asc_err e;
	check_join("a", "b", "a/b");
	check_join("a/", "b", "a/b");
	check_join("/", "b", "/b");
	check_join("a", "/b", "/b");
	check_join("", "b", "b");
	check_join(NULL, "b", "b");
	check_name("a/b.c", "b.c");
	check_name("b.c", "b.c");
	check_name("/a/", "");
	check_folder("a/b", "a");
	check_folder("b", ".");
	check_folder("/b", "/");
	check_folder("/a/b.json", "/a");
	char *path = path_absolute("/dev/../dev/null", &e);
	tap_str(path, "/dev/null", "absolute");
	free(path);
	tap_ok(!path_absolute(in("none"), &e) && e.status == ASC_NOTFOUND, "absolute: missing");
}

static int notes;

static void count_note(void *user, enum log_level level, const char *text)
{
	(void)user;
	notes += level == LOG_NOTE && strstr(text, "asctune-") != NULL;
}

static void check_found(const char *want, const char *name)
{
	struct asc_err e;
	char *path = NULL;

	tap_int(places_find_cache(&path, &e), ASC_OK, "cache: %s: looked for", name);
	tap_ok(want ? path && strcmp(path, want) == 0 : !path, "cache: %s: %s", name,
	       want ? "found" : "not found");
	free(path);
}

static void check_cache(const char *want, const char *name)
{
	struct asc_err e;
	char *path = NULL;
	tap_int(places_cache(&path, &e), ASC_OK, "cache: %s", name);
	tap_str(path, want, "cache: %s: place", name);
	check_found(want, name);
	rmdir(in(path ? path + strlen(folder) + 1 : "none"));
	free(path);
}

static void test_within(void)
{
	struct asc_err e;

	tap_int(dir_make(in("ab/c"), &e), ASC_OK, "within: folders");
	tap_ok(path_is_within(in("ab/c"), in("ab")), "within: a folder below");
	tap_ok(path_is_within(in("ab"), in("ab")), "within: the folder itself");
	tap_ok(path_is_within(in("ab/c/.."), in("ab")), "within: after going up");
	tap_ok(!path_is_within(in("ab/c/../.."), in("ab")), "within: not above");
	tap_ok(!path_is_within(in("ab"), in("a")), "within: not beside, with a longer name");
	tap_ok(!path_is_within(in("ab/none"), in("ab")), "within: not where nothing is");
	tap_ok(path_is_within(in("ab"), "/"), "within: everything is below the root");
	tap_int(symlink("../..", in("ab/c/out")), 0, "within: a link that leads out");
	tap_ok(!path_is_within(in("ab/c/out"), in("ab")), "within: is followed");
	dir_remove(in("ab"));
}

static void test_cache_order(void)
{
	setenv("HOME", in("home"), 1);
	setenv("XDG_CACHE_HOME", in("xdg"), 1);
	setenv("ASCTUNE_CACHE_DIR", in("own"), 1);
	check_found(NULL, "nothing is made for reading");
	check_cache(in("own"), "its own variable");
	unsetenv("ASCTUNE_CACHE_DIR");
	check_cache(in("xdg/asctune"), "XDG");
	setenv("XDG_CACHE_HOME", "relative", 1);
	check_cache(in("home/.cache/asctune"), "relative XDG is ignored");
	setenv("XDG_CACHE_HOME", "", 1);
	check_cache(in("home/.cache/asctune"), "empty XDG is none");
	tap_int(notes, 0, "cache: nothing to note so far");
	rmdir(in("xdg"));
	rmdir(in("home/.cache"));
	rmdir(in("home"));
}

static void test_cache_fallback(void)
{
	struct asc_err e;
	char private[300], *path;
	(void)snprintf(private, sizeof private, "asctune-%lu", (unsigned long)geteuid());
	file_write(in("flat"), "", 0, &e);
	setenv("HOME", in("flat"), 1); /* a file: no folder can be made in it, not even by root */
	setenv("TMPDIR", folder, 1);
	check_cache(in(private), "private folder");
	unsetenv("HOME");
	check_cache(in(private), "private folder without a home");
	tap_int(notes, 1, "cache: the fall-back is said once");
	mkdir(in(private), 0700);
	chmod(in(private), 0755);
	tap_int(places_cache(&path, &e), ASC_IO, "cache: a folder open to others is refused");
	tap_has(e.text, "mode 0700", "cache: says why");
	tap_ok(path == NULL, "cache: and gives none");
	chmod(in(private), 0777);
	check_found(NULL, "others can write to it");
	rmdir(in(private));
	tap_int(symlink(folder, in(private)), 0, "cache: a link in its place");
	tap_int(places_cache(&path, &e), ASC_IO, "cache: is refused");
	unlink(in(private));
	setenv("ASCTUNE_CACHE_DIR", in("flat/x"), 1);
	tap_ok(places_cache(&path, &e) != ASC_OK, "cache: a wanted place that cannot be");
	tap_has(e.text, "ASCTUNE_CACHE_DIR: cannot make folder", "cache: names the variable");
	unlink(in("flat"));
}

static bool is_there(const char *name)
{
	return access(in(name), F_OK) == 0;
}

/* A process that is killed while it writes: here by the limit on a file's size. */
static void die_writing(void)
{
	static const char large[100000];
	struct asc_err e;
	pid_t child = fork();

	if (child == 0) {
		(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		(void)setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
		signal(SIGXFSZ, SIG_DFL);
		_exit(file_write(in("w"), large, sizeof large, &e));
	}
	int status = 0;
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status),
	       "left: a process is killed while it writes");
}

static void test_left(void)
{
	static const char *const kept[] = {".asctune-1-2", ".asctune-export", ".asctune-1-2a",
					   ".asctune-1-", ".asctune-1"};

	die_writing();
	tap_int(entries(folder), 1, "left: a file of a part");
	file_remove_left(in("w"));
	tap_int(entries(folder), 0, "left: is removed by the next");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		close(open(in(kept[i]), O_WRONLY | O_CREAT, 0600));
	int writer = open(in(kept[0]), O_WRONLY);
	tap_int(flock(writer, LOCK_EX), 0, "left: a process that still writes");
	file_remove_left(in("w"));
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		tap_ok(is_there(kept[i]), "left: %s stays", kept[i]);
	close(writer);
	file_remove_left(in("w"));
	tap_ok(!is_there(kept[0]), "left: until that is gone");
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		(void)unlink(in(kept[i]));
}

static void test_own(void)
{
	const char *const places[] = {"nowhere", "../tests", ".", NULL};
	struct asc_err e;
	char *program = NULL, *found = NULL, *bin = NULL;

	if (!tap_int(places_program(&program, &e), ASC_OK, "the program has a path"))
		return;
	bin = path_folder(program);
	tap_has(program, "/t-file.t", "own: it is this one");
	tap_int(places_find_own(places, &found, &e), ASC_OK, "own: looked for");
	tap_str(found ? found : "", bin,
		"own: the first that is there, as the program's folder has it");
	free(found);
	tap_int(places_find_own(&places[3], &found, &e), ASC_OK, "own: nothing is looked for");
	tap_ok(!found, "own: nothing is found");
	free(bin);
	free(program);
}

int main(void)
{
	const char *parent = getenv("TMPDIR");
	char made[200];
	(void)snprintf(made, sizeof made, "%s/t-file-XXXXXX", parent ? parent : "/tmp");
	char *real = mkdtemp(made) ? realpath(made, NULL) : NULL;
	if (!real)
		return 1;
	(void)snprintf(folder, sizeof folder, "%s", real);
	free(real);
	test_read();
	test_write();
	test_full();
	test_left();
	test_dirs();
	test_scratch();
	test_stubborn();
	test_refilled();
	test_paths();
	test_within();
	log_set_sink(count_note, NULL);
	test_cache_order();
	test_cache_fallback();
	test_own();
	tap_int(rmdir(folder), 0, "nothing is left behind");
	return tap_done();
}
