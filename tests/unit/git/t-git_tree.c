/* Files of commits that the installed git makes, read into a folder.
 * covers: git_tree.c git_repository.c */
#include "tuner/git/git_tree.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/git/checkout.h"
#include "tuner/base/file.h"
#include "tuner/git/git_repository.h"
#include "tuner/process/sandbox.h"

static char *base; /* folder of the test */
static struct asc_err e;
static struct git_repository repository;

static char *below(const char *name)
{
	return path_of(base, name);
}

/* Opens the tree of HEAD for a new folder, which the caller names. */
static struct git_tree *open_tree(const char *root, const char *to)
{
	char id[GIT_ID_SIZE];
	struct git_tree *t = NULL;

	mkdir(to, 0700);
	git_repository_fini(&repository);
	if (git_repository_find(root, &repository, &e) ||
	    git_find_commit(&repository, "HEAD", id, &e) ||
	    git_tree_open(&repository, id, to, &t, &e))
		tap_ok(false, "%s: %s", root, e.text);
	return t;
}

static void check_file(const char *folder, const char *name, const char *text)
{
	char *path = path_of(folder, name);
	struct buf have = {0};
	struct stat st;

	if (!text)
		tap_ok(lstat(path, &st) != 0, "%s is not there", name);
	else if (file_read(path, 1 << 20, &have, &e))
		tap_ok(false, "%s", e.text);
	else
		tap_str(buf_str(&have), text, "%s", name);
	buf_fini(&have);
	free(path);
}

static void check_left(const struct git_tree *t, const char *wanted)
{
	struct buf text = {0};

	git_tree_print_left(t, &text);
	tap_str(buf_str(&text), wanted, "what is left out");
	buf_fini(&text);
}

static void commit(const char *root)
{
	GIT(root, "add", "-A", "-f");
	GIT(root, "commit", "-q", "-m", "next");
}

/* ---- what a checkout would not give ---- */

static void test_files(void)
{
	char *root = below("files"), *to = below("files-to"), *k = path_of(root, "k"),
	     *deep = path_of(root, "k/deep"), *run = path_of(root, "k/run.sh"), *ran = below("ran");
	char *program = str_print("sh -c 'touch %s; tr a b'", ran);
	struct stat st = {0};

	mkdir(root, 0700);
	mkdir(k, 0700);
	mkdir(deep, 0700);
	GIT(root, "init", "-q");
	write_file(root, "k/a.c", "aaa\r\n");
	write_file(root, "k/hidden.h", "hidden $Format:%H$");
	write_file(root, "k/line\nend.h", "newline");
	write_file(root, "k/empty.h", "");
	write_file(root, "k/deep/d.h", "deep");
	write_file(root, "k.h", "beside the folder");
	write_file(root, "run.sh", "outside");
	write_file(root, "k/run.sh", "program");
	chmod(run, 0700);
	write_file(root, ".gitattributes",
		   "*.c filter=f text eol=crlf\nk/hidden.h export-ignore export-subst\n");
	commit(root);
	GIT(root, "config", "filter.f.smudge", program);
	GIT(root, "config", "filter.f.clean", program);
	GIT(root, "config", "core.hooksPath", root);
	write_file(root, "post-checkout", "#!/bin/sh\nexit 1\n");
	GIT(root, "sparse-checkout", "set", "--no-cone", "/run.sh");
	remove(ran); /* that was git of the test's */
	setenv("GIT_DIR", "/none", 1);
	setenv("GIT_INDEX_FILE", "/none", 1);
	setenv("GIT_OBJECT_DIRECTORY", "/none", 1);
	setenv("GIT_CONFIG_COUNT", "x", 1);

	struct git_tree *t = open_tree(root, to);

	tap_ok(git_tree_want_folder(t, "k"), "a folder of the commit");
	tap_ok(!git_tree_want_folder(t, "none"), "no folder");
	tap_ok(!git_tree_want(t, "k"), "a folder is no file");
	tap_int(git_tree_write(t, &e), ASC_OK, "written");
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	unsetenv("GIT_OBJECT_DIRECTORY");
	unsetenv("GIT_CONFIG_COUNT");
	check_file(to, "k/a.c", "aaa\n"); /* as git keeps a text that a checkout would change */
	check_file(to, "k/hidden.h", "hidden $Format:%H$");
	check_file(to, "k/line\nend.h", "newline");
	check_file(to, "k/empty.h", "");
	check_file(to, "k/deep/d.h", "deep");
	check_file(to, "k.h", NULL);
	check_file(to, ".git", NULL);
	tap_int((long)git_tree_written(t), 6, "files are counted");
	check_left(t, "");
	free(run);
	run = path_of(to, "k/run.sh");
	tap_ok(stat(run, &st) == 0 && (st.st_mode & S_IXUSR), "a program stays one");
	tap_ok(git_tree_want(t, "k.h"), "one file more");
	tap_ok(git_tree_want_named(t, "deep/d.h"), "a file that is there");
	tap_ok(!git_tree_want_named(t, "eep/d.h"), "no part of a name");
	tap_ok(git_tree_want_named(t, "run.sh"), "a name of two folders");
	tap_int(git_tree_write(t, &e), ASC_OK, "written once more");
	check_file(to, "k.h", "beside the folder");
	check_file(to, "run.sh", "outside");
	tap_int((long)git_tree_written(t), 8, "what is there is not written again");
	tap_ok(!file_exists(ran), "no filter has run");
	git_tree_close(t);
	free(root), free(to), free(k), free(deep), free(run), free(ran), free(program);
}

/* More ids than a pipe has room for, and more bytes than one answer. */
static void test_portions(void)
{
	enum { N = 230, LARGE = 30 << 20 };
	char *root = below("many"), *to = below("many-to"), name[32], text[32];
	char *large = malloc(LARGE + 1);
	struct stat st = {0};

	mkdir(root, 0700);
	GIT(root, "init", "-q");
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "f%d.h", i);
		snprintf(text, sizeof text, "%d\n%d", i, N);
		write_file(root, name, text);
	}
	for (char c = 'a'; large && c < 'e'; c++) {
		snprintf(name, sizeof name, "large-%c.h", c);
		memset(large, c, LARGE);
		large[LARGE] = '\0';
		write_file(root, name, large);
	}
	commit(root);
	struct git_tree *t = open_tree(root, to);

	git_tree_want_folder(t, "");
	tap_int(git_tree_write(t, &e), ASC_OK, "a tree of several portions");
	tap_int((long)git_tree_written(t), N + 4, "all its files");
	check_file(to, "f0.h", "0\n230");
	check_file(to, "f229.h", "229\n230");
	char *path = path_of(to, "large-d.h");

	tap_ok(stat(path, &st) == 0 && st.st_size == LARGE, "the last of the large ones");
	git_tree_close(t);
	free(root), free(to), free(path), free(large);
}

/* ---- what is not followed ---- */

static void make_link(const char *root, const char *name, const char *target)
{
	char *path = path_of(root, name);

	if (symlink(target, path) != 0)
		tap_ok(false, "link %s", path);
	free(path);
}

static void test_links(void)
{
	char *root = below("links"), *to = below("links-to"), *d = path_of(root, "d"),
	     *dd = path_of(root, "d/d");

	mkdir(root, 0700);
	mkdir(d, 0700);
	mkdir(dd, 0700);
	GIT(root, "init", "-q");
	write_file(base, "secret.h", "secret");
	write_file(root, "a.h", "text");
	write_file(root, "d/d/b.h", "deep");
	make_link(root, "in.h", "a.h");
	make_link(root, "d/up.h", "../a.h");
	make_link(root, "folder", "d");
	make_link(root, "d/d/top", "../..");
	make_link(root, "out.h", "../secret.h");
	make_link(root, "passwd", "/etc/passwd");
	make_link(root, "d/through.h", "d/top/../secret.h"); /* within by its text alone */
	make_link(root, "d/out.h", "../../secret.h");
	commit(root);
	struct git_tree *t = open_tree(root, to);

	git_tree_want_folder(t, "");
	tap_int(git_tree_write(t, &e), ASC_OK, "a tree with links");
	check_file(to, "in.h", "text");
	check_file(to, "d/up.h", "text");
	check_file(to, "folder/d/b.h", "deep");
	check_file(to, "d/d/top/a.h", "text");
	check_file(to, "out.h", NULL);
	check_file(to, "passwd", NULL);
	check_file(to, "d/through.h", NULL);
	check_file(to, "d/out.h", NULL);
	check_left(t, "d/out.h (a link out of the tree), d/through.h (a link out of the tree), "
		      "out.h (a link out of the tree) and 1 more");
	git_tree_close(t);
	free(root), free(to), free(d), free(dd);
}

static void test_elsewhere(void)
{
	char *root = below("left"), *to = below("left-to"), *sub = below("sub");

	mkdir(root, 0700);
	mkdir(sub, 0700);
	GIT(sub, "init", "-q");
	write_file(sub, "s.h", "sub");
	commit(sub);
	GIT(root, "init", "-q");
	write_file(root, "w.bin",
		   "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n");
	GIT(root, "submodule", "--quiet", "add", sub, "cutlass");
	commit(root);
	write_file(root, "cutlass/s.h", "changed since");
	struct git_tree *t = open_tree(root, to);

	git_tree_want(t, "w.bin");
	tap_ok(git_tree_want_named(t, "s.h"), "a file of a submodule is found by its name");
	git_tree_want(t, "cutlass");
	tap_int(git_tree_write(t, &e), ASC_OK, "a tree with a submodule");
	check_file(to, "cutlass/s.h", "sub");
	check_left(t, "w.bin (a pointer of Git LFS)");
	git_tree_close(t);

	char *module = path_of(root, "cutlass");

	dir_remove(module);
	mkdir(module, 0700);
	t = open_tree(root, to);
	git_tree_want_folder(t, "cutlass");
	git_tree_want(t, "cutlass");
	tap_int(git_tree_write(t, &e), ASC_OK, "one that is not checked out");
	check_left(t, "cutlass (a submodule)");
	git_tree_close(t);
	free(module);
	free(root), free(to), free(sub);
}

/* A file that Git LFS has in the repository comes in the place of its pointer; one of another size
 * does not. */
static void test_pointers(void)
{
	static const char pointer[] =
		"version https://git-lfs.github.com/spec/v1\noid sha256:%s%s\nsize 7\n";
	static const char half[] = "0123456789abcdef0123456789abcdef";
	char *root = below("lfs"), *to = below("lfs-to"), text[256];
	char *objects = path_of(root, ".git/lfs/objects/01/23"),
	     *cut = path_of(root, ".git/lfs/objects/fe/23"), name[80];
	struct buf left = {0};

	mkdir(root, 0700);
	GIT(root, "init", "-q");
	snprintf(text, sizeof text, pointer, half, half);
	write_file(root, "here.bin", text);
	text[strcspn(text, "\n") + sizeof "\noid sha256:" - 1] = 'f';
	text[strcspn(text, "\n") + sizeof "\noid sha256:"] = 'e';
	write_file(root, "cut.bin", text);
	tap_int(dir_make(objects, &e), ASC_OK, "a folder of objects");
	tap_int(dir_make(cut, &e), ASC_OK, "another one");
	snprintf(name, sizeof name, "%s%s", half, half);
	write_file(objects, name, "content");
	memcpy(name, "fe", 2);
	write_file(cut, name, "cont");
	commit(root);
	struct git_tree *t = open_tree(root, to);

	git_tree_want_folder(t, "");
	tap_int(git_tree_write(t, &e), ASC_OK, "a tree with pointers");
	check_file(to, "here.bin", "content");
	git_tree_print_left(t, &left);
	tap_str(buf_str(&left), "cut.bin (a pointer of Git LFS)", "what is left");
	buf_fini(&left);
	git_tree_close(t);
	free(root), free(to), free(objects), free(cut);
}

/* A tree that no checkout has made, of one file ".." with the content `id`; its id, the caller's.
 * Git's plumbing stores whatever bytes it is given. */
static char *store_climbing(const char *root, const char *id)
{
	char *path = path_of(root, "tree"), digits[3] = "";
	FILE *f = fopen(path, "w");

	if (!f || fwrite("100644 ..", 1, 10, f) != 10)
		tap_ok(false, "%s is written", path);
	for (; f && id[0] && id[1] && id[0] != '\n'; id += 2) {
		memcpy(digits, id, 2);
		fputc((int)strtol(digits, NULL, 16), f);
	}
	if (f)
		fclose(f);
	char *tree = git(root, (const char *const[]){"hash-object", "-t", "tree", "-w",
						     "--literally", path, NULL});

	tree[strcspn(tree, "\n")] = '\0';
	free(path);
	return tree;
}

static void test_names(void)
{
	char *root = below("names"), *to = below("names-to");
	struct git_tree *t = NULL;

	mkdir(root, 0700);
	GIT(root, "init", "-q");
	write_file(root, "a.h", "a");
	commit(root);
	git_tree_close(open_tree(root, to));
	char *blob = git(root, (const char *const[]){"rev-parse", "HEAD:a.h", NULL});
	char *tree = store_climbing(root, blob);

	tap_int(git_tree_open(&repository, tree, to, &t, &e), ASC_OK, "a tree with ..");
	git_tree_want_folder(t, "");
	tap_int(git_tree_write(t, &e), ASC_OK, "is read");
	tap_int((long)git_tree_written(t), 0, "without it");
	check_left(t, ".. (no name that a file may have)");
	git_tree_close(t);
	free(root), free(to), free(blob), free(tree);
}

/* ---- repositories that lack something, and others ---- */

static void test_lacking(void)
{
	char *root = below("files"), *partial = below("partial"), *to = below("partial-to");
	char *url = str_print("file://%s", root);

	GIT(root, "config", "uploadpack.allowFilter", "true");
	GIT(base, "clone", "-q", "--no-checkout", "--filter=blob:none", url, partial);
	struct git_tree *t = open_tree(partial, to);

	git_tree_want(t, "k/a.c");
	tap_int(git_tree_write(t, &e), ASC_NOTFOUND, "%s", e.text);
	check_file(to, "k/a.c", NULL);
	git_tree_close(t);
	GIT(partial, "archive", "-o", "/dev/null", "HEAD");
	t = open_tree(partial, to);
	git_tree_want(t, "k/a.c");
	tap_int(git_tree_write(t, &e), ASC_OK, "what the message says brings it");
	git_tree_close(t);
	free(root), free(partial), free(to), free(url);
}

static void test_others(void)
{
	char *root = below("files"), *shared = below("shared"), *tree = below("tree"),
	     *to = below("shared-to"), *tree_to = below("tree-to"), *k = path_of(tree, "k"),
	     *bare = below("bare");
	struct git_repository none;

	GIT(base, "init", "-q", "--bare", bare);
	tap_int(git_repository_find(bare, &none, &e), ASC_ABSENT, "a bare repository");
	tap_has(e.text, "is a bare repository", "is called one");
	git_repository_fini(&none);
	GIT(base, "clone", "-q", "--no-checkout", "--shared", root, shared);
	struct git_tree *t = open_tree(shared, to);

	git_tree_want(t, "k/a.c");
	tap_int(git_tree_write(t, &e), ASC_OK, "a clone with objects of another one");
	check_file(to, "k/a.c", "aaa\n");
	git_tree_close(t);
	GIT(root, "worktree", "add", "-q", "--no-checkout", tree);
	mkdir(k, 0700);
	t = open_tree(k, tree_to);
	tap_str(repository.root, tree, "the root of another working tree");
	git_tree_want_folder(t, "k");
	tap_int(git_tree_write(t, &e), ASC_OK, "another working tree");
	check_file(tree_to, "k/a.c", "aaa\n");
	git_tree_close(t);
	free(root), free(shared), free(tree), free(to), free(tree_to), free(k), free(bare);
}

/* A file that cannot be written ends the reading with its name. */
static void test_full(void)
{
	char *root = below("many"), *to = below("full-to");
	struct git_tree *t = open_tree(root, to);
	struct rlimit before, small = {1 << 20, RLIM_INFINITY};

	git_tree_want(t, "large-a.h");
	getrlimit(RLIMIT_FSIZE, &before);
	small.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	const enum asc_status status = git_tree_write(t, &e);

	setrlimit(RLIMIT_FSIZE, &before);
	tap_ok(status == ASC_IO || status == ASC_FULL, "a limit of the disk: %d", (int)status);
	tap_ok(strstr(e.text, "large-a.h") != NULL, "%s", e.text);
	git_tree_close(t);
	free(root), free(to);
}

static enum asc_status job(struct asc_err *f)
{
	static int n;
	char name[40], id[GIT_ID_SIZE];
	struct git_repository r = {0};
	struct git_tree *t = NULL;
	struct buf left = {0};

	snprintf(name, sizeof name, "nomem-%d", n++);
	char root[PATH_MAX], to[PATH_MAX];

	snprintf(root, sizeof root, "%s/links", base);
	snprintf(to, sizeof to, "%s/%s", base, name);
	mkdir(to, 0700);
	enum asc_status status = git_repository_find(root, &r, f);

	if (status == ASC_OK)
		status = git_find_commit(&r, "HEAD", id, f);
	if (status == ASC_OK)
		status = git_tree_open(&r, id, to, &t, f);
	if (status == ASC_OK) {
		git_tree_want_folder(t, "");
		status = git_tree_write(t, f);
	}
	if (status == ASC_OK && git_tree_written(t) != 6)
		status = asc_err_set(f, ASC_INTERNAL, "%zu files", git_tree_written(t));
	if (status == ASC_OK)
		git_tree_print_left(t, &left);
	buf_fini(&left);
	git_tree_close(t);
	git_repository_fini(&r);
	return status;
}

static void test_git(void)
{
	test_files();
	test_portions();
	test_links();
	test_elsewhere();
	test_pointers();
	test_names();
	test_lacking();
	test_others();
	test_full();
	nomem_sample("files of a tree", job, 3);
	git_repository_fini(&repository);
}

int main(void)
{
	return run_in_folder(&base, test_git);
}
