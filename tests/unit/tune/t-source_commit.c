/* The commit of a workload's folder, in repositories that the installed git makes.
 * covers: source_commit.c */
#include "tuner/tune/source_commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tests/unit/git/checkout.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/impl_search.h"

static struct asc_err e;

static struct source_commit find(const char *folder)
{
	char sources[] = "{\"a.c\": \"1\", \"common/a.h\": \"2\", \"/usr/include/a.h\": \"3\"}";
	struct impl_search search[2] = {{0}, {.sources = sources}}; /* the first is not built */
	const struct impl_searches searches = {.list = search, .n = 2};
	char *path = path_of(folder, "a.json");
	struct source_commit c;

	source_commit_find(path, &searches, &c);
	free(path);
	return c;
}

static void check_clean(const char *folder, bool clean, const char *name, const char *what)
{
	tap_ok(find(folder).clean == clean, "%s: %s", name, what);
}

/* Commits and what differs from them, in a repository's folder and in another working tree. */
static void check_repository(const char *root, const char *folder, const char *name)
{
	char *head = git(root, (const char *const[]){"rev-parse", "HEAD", NULL});
	char *common = path_of(folder, "common"), *header = path_of(folder, "common/a.h");

	head[strcspn(head, "\n")] = '\0';
	tap_str(find(folder).id, head, "%s: the commit", name);
	check_clean(folder, true, name, "clean");
	write_file(folder, "asctune.db", "results");
	check_clean(folder, true, name, "a new file that the workload does not read is no change");
	mkdir(common, 0700);
	write_file(common, "a.h", "new");
	check_clean(folder, false, name, "a new file that the workload reads is a change");
	remove(header);
	write_file(folder, "known.txt", "other");
	check_clean(folder, false, name, "an edit of what git knows is a change");
	write_file(folder, "known.txt", "");
	check_clean(folder, true, name, "clean again");
	GIT(root, "rm", "-q", "--cached", "w/a.json");
	GIT(root, "commit", "-q", "-m", "without the workload");
	check_clean(folder, false, name, "a workload that is new is a change");
	free(head);
	free(common);
	free(header);
}

static void test_repository(void)
{
	const char *base = rows_path("");
	char *root = path_of(base, "r"), *folder = path_of(root, "w"),
	     *tree = path_of(base, "tree");
	char *in_tree = path_of(tree, "w");

	mkdir(root, 0700);
	mkdir(folder, 0700);
	write_file(folder, "a.json", "{}");
	write_file(folder, "a.c", "");
	write_file(folder, "known.txt", "");
	GIT(root, "init", "-q");
	tap_str(find(folder).id, "", "a repository without a commit");
	GIT(root, "add", ".");
	GIT(root, "commit", "-q", "-m", "first");
	GIT(root, "worktree", "add", "-q", tree);
	write_file(root, "beside.c", "x");
	setenv("GIT_DIR", ".git", 1); /* a hook of git has it */
	setenv("GIT_INDEX_FILE", "none", 1);
	tap_int((long)strlen(find(folder).id), 40, "variables of git's lead nowhere else");
	tap_ok(find(folder).clean, "nor to another index");
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	tap_str(find(base).id, "", "a repository beside is none");
	check_repository(root, folder, "a repository");
	check_repository(tree, in_tree, "another working tree");
	free(root);
	free(folder);
	free(tree);
	free(in_tree);
}

/* Programs that a repository names, each of which tells what ran it by a file beside it. The
 * sandbox is off: what is not run does not rest on it. */
static void check_ran(const char *root, const char *folder, bool clean, const char *what)
{
	char *ran = path_of(root, "ran");

	write_file(folder, "a.c", ""); /* its time differs from the index': git looks into it */
	check_clean(folder, clean, what, clean ? "clean" : "not known to be clean");
	tap_ok(remove(ran) != 0, "%s: is not run", what);
	free(ran);
}

static void set(const char *root, const char *key, const char *value)
{
	GIT(root, "config", key, value);
}

static void test_programs(void)
{
	const char *base = rows_path("");
	char *root = path_of(base, "programs"), *folder = path_of(root, "w"),
	     *program = path_of(root, "program"), *sub = path_of(folder, "sub");
	char *text = str_print("#!/bin/sh\n>>%s/ran\nexec cat\n", root);

	mkdir(root, 0700);
	mkdir(folder, 0700);
	mkdir(sub, 0700);
	write_file(folder, "a.json", "{}");
	write_file(folder, "a.c", "");
	write_file(root, "program", text);
	chmod(program, 0700);
	write_file(root, ".gitattributes", "a.c filter=e\ns.c filter=s\n");
	GIT(root, "init", "-q");
	GIT(root, "add", ".");
	GIT(root, "commit", "-q", "-m", "first");
	check_ran(root, folder, true, "a repository without programs");
	set(root, "filter.e.clean", program);
	check_ran(root, folder, true, "a filter");
	set(root, "filter.e.required", "true");
	check_ran(root, folder, true, "a filter that is required");
	set(root, "filter.e.process", program);
	check_ran(root, folder, true, "a filter that stays");
	set(root, "core.fsmonitor", program);
	check_ran(root, folder, true, "a monitor of files");
	write_file(sub, "s.c", "");
	GIT(sub, "init", "-q");
	GIT(sub, "add", ".");
	GIT(sub, "commit", "-q", "-m", "sub");
	set(sub, "core.fsmonitor", "false");
	set(sub, "filter.s.clean", program);
	write_file(sub, ".git/info/attributes", "s.c filter=s\n");
	write_file(root, ".git/info/attributes", "");
	set(root, "core.fsmonitor", "false");
	GIT(root, "config", "--remove-section", "filter.e");
	GIT(root, "-c", "advice.addEmbeddedRepo=false", "add", "w/sub");
	GIT(root, "commit", "-q", "-m", "sub");
	write_file(sub, "s.c", "");
	check_ran(root, folder, true, "a submodule's filter");
	set(root, "filter.e=f.clean", program);
	write_file(root, ".git/info/attributes", "a.c filter=e=f\n");
	check_ran(root, folder, false, "a filter that cannot be switched off");
	free(root);
	free(folder);
	free(program);
	free(sub);
	free(text);
}

/* What the user's configuration calls safe. */
static void check_safe(const char *base, const char *root, const char *folder)
{
	char *text = str_print("[safe]\n\tdirectory = /none\n\tdirectory = %s\n", root);
	char *taken_back = str_print("%s\tdirectory =\n", text);
	const char *home = getenv("HOME");

	setenv("HOME", base, 1);
	write_file(base, ".gitconfig", text);
	tap_int((long)strlen(find(folder).id), 40, "one that the user's configuration calls safe");
	write_file(base, ".gitconfig", taken_back);
	tap_str(find(folder).id, "", "one that it calls safe no more");
	home ? setenv("HOME", home, 1) : unsetenv("HOME");
	free(text), free(taken_back);
}

/* A `.git` that names a folder: what git takes for its name, and whose that is. */
static void test_elsewhere(void)
{
	const char *base = rows_path("");
	char *root = path_of(base, "r"), *folder = path_of(root, "w"),
	     *entry = path_of(root, ".git"), *moved = path_of(base, "a\nb"),
	     *beside = path_of(base, "a");

	rename(entry, moved);
	write_file(root, ".git", "gitdir: ../a\nb\n");
	tap_str(find(folder).id, "", "the end of a line in a repository's name");
	rename(moved, beside);
	write_file(root, ".git", "gitdir: ../a\n");
	tap_int((long)strlen(find(folder).id), 40, "a name that begins at the working tree");
	if (geteuid() == 0 && chown(beside, 12345, 12345) == 0)
		tap_str(find(folder).id, "", "another user's repository elsewhere");
	else
		tap_skip("only root gives files away");
	if (geteuid() == 0 && chown(beside, 0, 0) == 0 && chown(entry, 12345, 12345) == 0) {
		tap_str(find(folder).id, "", "another user's entry .git");
		check_safe(base, root, folder);
	} else {
		tap_skip("only root gives files away");
	}
	free(root);
	free(folder);
	free(entry);
	free(moved);
	free(beside);
}

/* ---- files of a commit ---- */

static void check_file(const char *folder, const char *name, const char *text)
{
	char *path = path_of(folder, name);
	struct buf have = {0};

	if (!text)
		tap_ok(!file_exists(path), "%s is not there", name);
	else if (file_read(path, 4096, &have, &e))
		tap_ok(false, "%s", e.text);
	else
		tap_str(buf_str(&have), text, "%s", name);
	buf_fini(&have);
	free(path);
}

static void check_names(const char *workload, const char *root)
{
	static const char *const wrong[] = {"HEAD~9", "none", "--all", "", "HEAD:w", "HEAD HEAD"};
	char *head = git(root, (const char *const[]){"rev-parse", "HEAD", NULL});
	struct source_commit c;

	head[strcspn(head, "\n")] = '\0';
	tap_int(source_commit_resolve(workload, "HEAD", &c, &e), ASC_OK, "HEAD");
	tap_str(c.id, head, "is resolved");
	head[7] = '\0';
	tap_int(source_commit_resolve(workload, head, &c, &e), ASC_OK, "an abbreviated number");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		tap_int(source_commit_resolve(workload, wrong[i], &c, &e), ASC_NOTFOUND, "%s: %s",
			wrong[i], e.text);
	tap_int(source_commit_resolve("/none/a.json", "HEAD", &c, &e), ASC_NOTFOUND, "%s", e.text);
	free(head);
}

/* The first commit has a source that includes headers, which include each other, one of which is
 * outside of the repository, and a module that imports one beside it; the second one has neither.
 */
static void test_files(void)
{
	static const char a_c[] = "#include <stdint.h>\n#include \"sub/x.h\"\n"
				  "#include \"../../outside.h\"\n",
			  x_h[] = "#include \"../../y.h\"\n", y_h[] = "#include \"w/sub/x.h\"\n";
	const char *base = rows_path("");
	char *root = path_of(base, "files"), *folder = path_of(root, "w"),
	     *sub = path_of(folder, "sub"), *py = path_of(root, "py"), *to = path_of(base, "to"),
	     *workload = path_of(folder, "a.json"), *file = NULL;
	struct source_commit c;

	mkdir(root, 0700);
	mkdir(folder, 0700);
	mkdir(sub, 0700);
	mkdir(py, 0700);
	mkdir(to, 0700);
	write_file(base, "outside.h", "");
	write_file(folder, "a.json",
		   "{\"asctune\": 1, \"list\": [{\"source\": \"a.c\"}, {\"source\": \"none.c\"}, "
		   "{\"source\": \"../py/k.py:function\"}]}");
	write_file(py, "k.py", "import helper\n");
	write_file(py, "helper.py", "");
	write_file(folder, "a.c", a_c);
	write_file(root, "other.c", "");
	write_file(sub, "x.h", x_h);
	write_file(root, "y.h", y_h);
	GIT(root, "init", "-q");
	GIT(root, "add", ".");
	GIT(root, "commit", "-q", "-m", "first");
	GIT(root, "rm", "-q", "-r", "w/sub", "w/a.c");
	GIT(root, "commit", "-q", "-m", "second");
	check_names(workload, root);
	if (source_commit_resolve(workload, "HEAD~1", &c, &e) ||
	    source_commit_write(workload, c.id, NULL, to, &file, &e))
		tap_ok(false, "%s", e.text);
	tap_ok(file && strcmp(file + strlen(to), "/w/a.json") == 0, "the workload's file");
	check_file(to, "w/a.c", a_c);
	check_file(to, "w/sub/x.h", x_h);
	check_file(to, "y.h", y_h);
	check_file(to, "py/k.py", "import helper\n");
	check_file(to, "py/helper.py", "");
	check_file(to, "other.c", NULL); /* which nothing names */
	free(root);
	free(folder);
	free(sub);
	free(py);
	free(to);
	free(workload);
	free(file);
}

static char files_workload[4096];

/* A file that memory was too short for is no file that the commit does not have. */
static enum asc_status job_files(struct asc_err *f)
{
	static int n;
	char to[4096], header[4200], *file = NULL;
	struct source_commit c;
	enum asc_status status = source_commit_resolve(files_workload, "HEAD~1", &c, f);

	snprintf(to, sizeof to, "%s/to%d", rows_path(""), n++);
	snprintf(header, sizeof header, "%s/y.h", to);
	mkdir(to, 0700);
	if (status == ASC_OK)
		status = source_commit_write(files_workload, c.id, NULL, to, &file, f);
	if (status == ASC_OK && access(header, F_OK) != 0)
		status = asc_err_set(f, ASC_INTERNAL, "%s was left out", header);
	free(file);
	return status;
}

static void test_files_nomem(void)
{
	snprintf(files_workload, sizeof files_workload, "%s/files/w/a.json", rows_path(""));
	nomem_sample("files of a commit", job_files, 3);
}

static void test_untrusted(void)
{
	char *folder = path_of(rows_path(""), "programs/w");

	tap_int((long)strlen(find(folder).id), 40, "a commit where the workload is trusted");
	sandbox_require();
	tap_str(find(folder).id, "", "git is not asked about a stranger's workload");
	free(folder);
}

static void test_none(void)
{
	char *folder = path_of(rows_path(""), "none");

	mkdir(folder, 0700);
	tap_str(find(folder).id, "", "no repository");
	tap_str(find("relative").id, "", "a path that is not absolute");
	tap_str(find("").id, "", "a file of the root folder");
	free(folder);
}

static void test_git(void)
{
	test_repository();
	test_elsewhere();
	test_files();
	test_files_nomem();
	sandbox_leave_off();
	test_programs();
	test_untrusted();
}

int main(void)
{
	char *program = proc_find("git");

	rows_enter();
	test_none();
	if (program)
		test_git();
	else
		tap_skip("git is not installed");
	free(program);
	rows_leave();
	return tap_done();
}
