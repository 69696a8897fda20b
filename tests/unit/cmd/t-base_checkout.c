/* The base of a checkout in a scratch folder: what workloads of a commit reach.
 * covers: base_checkout.c commit_reach.c */
#include "tuner/cmd/gate/base_checkout.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/git/checkout.h"
#include "tuner/base/file.h"
#include "tuner/git/git_tree.h"

static char *base; /* folder of the test */
static struct asc_err e;

static void check_there(const struct base_checkout *c, const char *name, bool there)
{
	char *path = path_of(c->scratch, name);

	tap_ok(file_exists(path) == there, "%s is %sread", name, there ? "" : "not ");
	free(path);
}

static void make_folders(const char *root, const char *const *names)
{
	for (; *names; names++) {
		char *path = path_of(root, *names);

		dir_make(path, &e);
		free(path);
	}
}

static void commit(const char *root)
{
	GIT(root, "add", "-A");
	GIT(root, "commit", "-q", "-m", "next");
}

/* A commit of workloads, of what they reach, and of what they do not. */
static char *make_checkout(void)
{
	static const char *const folders[] = {
		"kernels/k/deep", "csrc/gemm", "include/lib/sub", "weights", "other",
		"py/pack",        NULL};
	char *root = path_of(base, "r");

	mkdir(root, 0700);
	make_folders(root, folders);
	GIT(root, "init", "-q", "-b", "main");
	write_file(root, "kernels/a.json",
		   "{\"asctune\": 1, \"list\": [{\"source\": \"k/a.c\"}, {\"source\": "
		   "\"../csrc/gemm/g.cu\"}, {\"source\": \"../py/pack/m.py\"}], \"flags\": "
		   "[\"-Iinclude/lib/sub\", \"-DX=../weights/w.bin\"], \"out\": \"../../../etc\"}");
	write_file(root, "kernels/notes.json", "{\"source\": \"../other/n.c\"}");
	write_file(root, "kernels/bad.json", "{");
	write_file(root, "kernels/k/a.c", "#include \"../../top.h\"\n#include <lib/x.h>\n");
	write_file(root, "kernels/k/deep/d.txt", "");
	write_file(root, "csrc/gemm/g.cu", "#define TILE \"tile_impl.h\"\n");
	write_file(root, "csrc/gemm/beside.cuh", "");
	write_file(root, "top.h", "");
	write_file(root, "include/lib/x.h", "#include \"y.h\"\n");
	write_file(root, "include/lib/y.h", "");
	write_file(root, "include/lib/z.h", "");
	write_file(root, "include/lib/sub/s.h", "");
	write_file(root, "include/lib/tile_impl.h", "");
	write_file(root, "weights/w.bin", "w");
	write_file(root, "other/n.c", "");
	write_file(root, "py/pack/m.py", "from ..rows import walk\n");
	write_file(root, "py/rows.py", "");
	write_file(root, "py/none.py", "");
	commit(root);
	return root;
}

static void test_reach(const char *root)
{
	static const char *const read[] = {"kernels/a.json",
					   "kernels/notes.json",
					   "kernels/bad.json",
					   "kernels/k/a.c",
					   "kernels/k/deep/d.txt",
					   "csrc/gemm/g.cu",
					   "csrc/gemm/beside.cuh",
					   "top.h",
					   "include/lib/x.h",
					   "include/lib/y.h",
					   "include/lib/sub/s.h",
					   "include/lib/tile_impl.h",
					   "weights/w.bin",
					   "py/pack/m.py",
					   "py/rows.py"};
	static const char *const left[] = {"include/lib/z.h", "other/n.c", "py/none.py", ".git"};
	char *folder = path_of(root, "kernels"), *file = path_of(root, "kernels/a.json"),
	     *gone = path_of(root, "kernels/gone.json");
	const char *const paths[] = {folder};
	struct base_checkout c = {.scratch = NULL};

	if (base_checkout_open(paths, 1, "HEAD", &c, &e)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	for (size_t i = 0; i < sizeof read / sizeof *read; i++)
		check_there(&c, read[i], true);
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		check_there(&c, left[i], false);
	tap_int((long)git_tree_written(c.tree), sizeof read / sizeof *read, "and nothing else");
	char *there = base_checkout_path(&c, file), *wanted = path_of(c.scratch, "kernels/a.json");

	tap_str(there, wanted, "the path of a file in the base");
	free(there), free(wanted);
	there = base_checkout_path(&c, gone), wanted = path_of(c.scratch, "kernels/gone.json");
	tap_str(there, wanted, "of one that the checkout does not have");
	free(there), free(wanted);
	there = str_dup(c.scratch);
	base_checkout_close(&c);
	tap_ok(!file_exists(there), "the scratch folder is removed");
	free(there), free(folder), free(file), free(gone);
}

/* A workload at the root comes with the modules that its function's file may import, not with
 * everything. */
static void test_root(void)
{
	char *root = path_of(base, "flat"), *file = path_of(root, "a.json");
	const char *const paths[] = {file};
	struct base_checkout c = {.scratch = NULL};

	make_folders(root, (const char *const[]){"pack", "other", NULL});
	GIT(root, "init", "-q", "-b", "main");
	write_file(root, "a.json", "{\"asctune\": 1, \"source\": \"f.py:function\"}");
	write_file(root, "f.py", "def function(x):\n  import pack.rows\n");
	write_file(root, "opened.py", "");
	write_file(root, "pack/rows.py", "");
	write_file(root, "other/rows.py", "");
	write_file(root, "a.c", "");
	commit(root);
	if (tap_int(base_checkout_open(paths, 1, "HEAD", &c, &e), ASC_OK,
		    "a workload at the root")) {
		check_there(&c, "f.py", true);
		check_there(&c, "opened.py", true);
		check_there(&c, "pack/rows.py", true);
		check_there(&c, "other/rows.py", false);
		check_there(&c, "a.c", false);
	}
	base_checkout_close(&c);
	free(root), free(file);
}

/* A source that does not say what it includes may include any file of the commit. */
static void test_opaque(const char *root)
{
	char *file = path_of(root, "kernels/a.json");
	const char *const paths[] = {file};
	struct base_checkout c = {.scratch = NULL};

	write_file(root, "kernels/k/a.c", "#include NAME_OF_A_HEADER\n");
	commit(root);
	tap_int(base_checkout_open(paths, 1, "HEAD", &c, &e), ASC_OK,
		"a header that a macro names");
	check_there(&c, "include/lib/z.h", true);
	check_there(&c, "other/n.c", true);
	base_checkout_close(&c);
	tap_int(base_checkout_open(paths, 1, "HEAD~1", &c, &e), ASC_OK, "a workload alone");
	check_there(&c, "kernels/k/a.c", true);
	check_there(&c, "kernels/notes.json", false);
	base_checkout_close(&c);
	free(file);
}

/* Everything of git's is as it was, whatever the checkout is in the middle of. */
static void test_untouched(const char *root)
{
	static const char *const states[][4] = {{"status", "--porcelain", "-uall"},
						{"for-each-ref"},
						{"worktree", "list"},
						{"stash", "list"},
						{"ls-files", "-s"}};
	enum { STATES = sizeof states / sizeof *states };
	char *before[STATES], *folder = path_of(root, "kernels"),
			      *index = path_of(root, ".git/index");
	const char *const paths[] = {folder};
	struct base_checkout c = {.scratch = NULL};
	struct stat was = {0}, is = {0};

	write_file(root, "kernels/k/a.c", "int changed;\n");
	write_file(root, "top.h", "staged");
	GIT(root, "add", "top.h");
	for (size_t i = 0; i < STATES; i++)
		before[i] = git(root, states[i]);
	/* A time that differs from the index' makes git want to write it. */
	write_file(root, "py/none.py", "");
	stat(index, &was);
	setenv("GIT_INDEX_FILE", "/none/index", 1);
	setenv("GIT_DIR", "/none", 1);
	tap_int(base_checkout_open(paths, 1, "HEAD", &c, &e), ASC_OK, "a checkout with changes");
	unsetenv("GIT_INDEX_FILE");
	unsetenv("GIT_DIR");
	tap_int((long)c.changes.n, 2, "changes of what workloads reach count");
	tap_str(c.changes.first, "kernels/k/a.c", "and are named");
	stat(index, &is);
	tap_ok(was.st_mtim.tv_sec == is.st_mtim.tv_sec &&
		       was.st_mtim.tv_nsec == is.st_mtim.tv_nsec && was.st_ino == is.st_ino,
	       "the index is not written");
	base_checkout_close(&c);
	for (size_t i = 0; i < STATES; i++) {
		char *after = git(root, states[i]);

		tap_str(after, before[i], "git %s", states[i][0]);
		free(after), free(before[i]);
	}
	free(folder), free(index);
}

static void test_refused(const char *root)
{
	char *none = path_of(base, "none"), *file = path_of(root, "kernels/a.json");
	const char *const outside[] = {none}, *const two[] = {file, none};
	struct base_checkout c = {.scratch = NULL};

	mkdir(none, 0700);
	tap_int(base_checkout_open(outside, 1, NULL, &c, &e), ASC_NOTFOUND, "%s", e.text);
	base_checkout_close(&c);
	tap_int(base_checkout_open(two, 2, NULL, &c, &e), ASC_USAGE, "%s", e.text);
	base_checkout_close(&c);
	free(none), free(file);
}

static void test_git(void)
{
	char *root = make_checkout();

	test_reach(root);
	test_root();
	test_opaque(root);
	test_untouched(root);
	test_refused(root);
	free(root);
}

int main(void)
{
	return run_in_folder(&base, test_git);
}
