/* The base of a checkout, in repositories that the installed git makes.
 * covers: git_base.c */
#include "tuner/git/git_base.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/git/checkout.h"
#include "tuner/base/file.h"

static char *base; /* folder of the test */
static struct asc_err e;

static char *below(const char *name)
{
	return path_of(base, name);
}

/* Id of a commit; the caller's. */
static char *id_of(const char *root, const char *name)
{
	char *id = git(root, (const char *const[]){"rev-parse", name, NULL});

	id[strcspn(id, "\n")] = '\0';
	return id;
}

static void commit(const char *root, const char *file, const char *text)
{
	write_file(root, file, text);
	GIT(root, "add", "-A");
	GIT(root, "commit", "-q", "-m", text);
}

/* Checks which commit is the base of a checkout, by whom, and whether HEAD left it earlier. */
static void check_base(const char *root, const char *wanted, const char *id, const char *name,
		       const char *by, bool merged, bool ancestor)
{
	struct git_repository r = {0};
	struct git_base b = {.by = ""};

	if (git_repository_find(root, &r, &e) || git_base_find(&r, wanted, &b, &e)) {
		tap_ok(false, "%s: %s", name, e.text);
	} else {
		char *full = id_of(root, id);

		tap_str(b.id, full, "%s: the commit %s", by, id);
		tap_str(b.name, name, "%s: its name", by);
		tap_str(b.by, by, "%s: who named it", by);
		tap_ok(b.merged == merged && b.ancestor == ancestor, "%s: merged %d, ancestor %d",
		       by, b.merged, b.ancestor);
		free(full);
	}
	git_base_fini(&b);
	git_repository_fini(&r);
}

static void check_fails(const char *root, const char *wanted, const char *text)
{
	struct git_repository r = {0};
	struct git_base b = {.by = ""};

	if (git_repository_find(root, &r, &e) == ASC_OK)
		tap_int(git_base_find(&r, wanted, &b, &e), ASC_NOTFOUND, "%s: no base", text);
	tap_str(e.text, text, "its reason");
	git_base_fini(&b);
	git_repository_fini(&r);
}

/* A branch that left main one commit ago, main being one further by now. */
static void make_origin(const char *root)
{
	mkdir(root, 0700);
	GIT(root, "init", "-q", "-b", "main");
	commit(root, "a", "1");
	commit(root, "a", "2");
	GIT(root, "checkout", "-q", "-b", "topic");
	commit(root, "b", "3");
	GIT(root, "checkout", "-q", "main");
	commit(root, "a", "4");
}

static void test_names(void)
{
	char *root = below("origin"), *clone = below("clone");
	char *gone = id_of(root, "main~1");

	GIT(base, "clone", "-q", root, clone);
	GIT(clone, "checkout", "-q", "topic");
	check_base(clone, NULL, "HEAD", "origin/topic", "its upstream", false, true);
	GIT(clone, "branch", "-q", "--set-upstream-to=origin/main");
	check_base(clone, NULL, "HEAD~1", "origin/main", "its upstream", true, true);
	check_base(clone, "HEAD~2", "HEAD~2", "HEAD~2", "--base", false, true);
	check_base(clone, "main", "main", "main", "--base", false, false);
	GIT(clone, "branch", "-q", "-D", "main");
	check_base(clone, "main", "origin/main", "origin/main", "--base", false, false);
	setenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main", 1);
	check_base(clone, NULL, "HEAD~1", "origin/main", "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
		   true, true);
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", gone, 1);
	check_base(clone, NULL, "HEAD~1", gone, "$CI_MERGE_REQUEST_DIFF_BASE_SHA", false, true);
	setenv("GITHUB_BASE_REF", "main", 1);
	check_base(clone, NULL, "HEAD~1", "origin/main", "$GITHUB_BASE_REF", true, true);
	check_base(clone, "HEAD", "HEAD", "HEAD", "--base", false, true);
	setenv("GITHUB_BASE_REF", "", 1);
	check_base(clone, NULL, "HEAD~1", gone, "$CI_MERGE_REQUEST_DIFF_BASE_SHA", false, true);
	unsetenv("CI_MERGE_REQUEST_DIFF_BASE_SHA");
	unsetenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
	GIT(clone, "checkout", "-q", "--detach");
	check_base(clone, NULL, "HEAD", "HEAD", "no other is named", false, true);
	check_fails(clone, "none", "git has no commit none (--base)");
	check_fails(clone, "--all", "git has no commit --all (--base)");
	check_fails(clone, "HEAD:a", "git has no commit HEAD:a (--base)");
	GIT(clone, "checkout", "-q", "--orphan", "other");
	GIT(clone, "commit", "-q", "-m", "nothing in common");
	setenv("GITHUB_BASE_REF", "main", 1);
	check_base(clone, NULL, "origin/main", "origin/main", "$GITHUB_BASE_REF", false, false);
	setenv("GITHUB_BASE_REF", "it's; rm", 1);
	check_fails(clone, NULL,
		    "this clone lacks the base, origin/it's; rm ($GITHUB_BASE_REF): `git fetch "
		    "--no-tags origin '+refs/heads/it'\\''s; rm:refs/remotes/origin/it'\\''s; rm'` "
		    "brings it");
	unsetenv("GITHUB_BASE_REF");
	free(root), free(clone), free(gone);
}

/* What CIs check out by default; each command that mends it is run. */
static void test_shallow(void)
{
	char *root = below("origin"), *shallow = below("shallow"), *id = id_of(root, "main~1");
	char *url = str_print("file://%s", root);
	char *text = str_print("this shallow clone lacks the base, %s "
			       "($CI_MERGE_REQUEST_DIFF_BASE_SHA): `git fetch --no-tags --depth=1 "
			       "origin %s` brings it",
			       id, id);

	GIT(root, "config", "uploadpack.allowAnySHA1InWant", "true");
	GIT(base, "clone", "-q", "--depth=1", "--single-branch", "-b", "topic", url, shallow);
	check_base(shallow, NULL, "HEAD", "origin/topic", "its upstream", false, true);
	check_fails(shallow, "HEAD~1",
		    "this shallow clone lacks the base, HEAD~1 (--base): `git fetch --no-tags "
		    "--unshallow origin` brings it");
	setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", id, 1);
	check_fails(shallow, NULL, text);
	GIT(shallow, "fetch", "-q", "--no-tags", "--depth=1", "origin", id);
	check_base(shallow, NULL, id, id, "$CI_MERGE_REQUEST_DIFF_BASE_SHA", false, false);
	unsetenv("CI_MERGE_REQUEST_DIFF_BASE_SHA");
	setenv("GITHUB_BASE_REF", "main", 1);
	check_fails(
		shallow, NULL,
		"this shallow clone lacks the base, origin/main ($GITHUB_BASE_REF): `git fetch "
		"--no-tags --unshallow origin +refs/heads/main:refs/remotes/origin/main` brings "
		"it");
	GIT(shallow, "fetch", "-q", "--no-tags", "--depth=1", "origin",
	    "+refs/heads/main:refs/remotes/origin/main");
	check_fails(shallow, NULL,
		    "this shallow clone does not have the commit where HEAD left origin/main "
		    "($GITHUB_BASE_REF): `git fetch --no-tags --unshallow origin` brings it");
	GIT(shallow, "fetch", "-q", "--no-tags", "--unshallow", "origin");
	check_base(shallow, NULL, "HEAD~1", "origin/main", "$GITHUB_BASE_REF", true, true);
	unsetenv("GITHUB_BASE_REF");
	free(root), free(shallow), free(url), free(id), free(text);
}

static void test_none(void)
{
	char *root = below("empty"),
	     *text = str_print("%s/empty has no commit yet: there is nothing "
			       "to compare with",
			       base);

	mkdir(root, 0700);
	GIT(root, "init", "-q");
	check_fails(root, NULL, text);
	check_fails(root, "HEAD", text);
	free(root), free(text);
}

static bool counts(void *user, const char *path)
{
	const char *folder = user;

	return strcmp(folder, ".") == 0 || strncmp(path, folder, strlen(folder)) == 0;
}

static void check_changes(const char *root, char *folder, size_t n, size_t unmerged,
			  const char *first)
{
	struct git_repository r = {0};
	struct git_changes c;

	if (git_repository_find(root, &r, &e) || git_changes_find(&r, counts, folder, &c, &e)) {
		tap_ok(false, "%s", e.text);
	} else {
		tap_int((long)c.n, (long)n, "%s: files that are not committed", folder);
		tap_int((long)c.unmerged, (long)unmerged, "%s: not merged", folder);
		tap_str(c.first, first, "%s: the first", folder);
	}
	git_repository_fini(&r);
}

static void test_changes(void)
{
	char *root = below("changes"), *k = path_of(root, "k");

	mkdir(root, 0700);
	mkdir(k, 0700);
	GIT(root, "init", "-q", "-b", "main");
	commit(root, "k/a b\nc.h", "1");
	commit(root, "top", "1");
	check_changes(root, (char[]){"."}, 0, 0, "");
	write_file(root, "new", "");
	check_changes(root, (char[]){"."}, 0, 0, "");
	write_file(root, "k/a b\nc.h", "2");
	write_file(root, "top", "2");
	check_changes(root, (char[]){"."}, 2, 0, "k/a b\nc.h");
	check_changes(root, (char[]){"k"}, 1, 0, "k/a b\nc.h");
	GIT(root, "commit", "-q", "-a", "-m", "2");
	GIT(root, "checkout", "-q", "-b", "other", "HEAD~1");
	commit(root, "top", "3");
	write_file(root, "k/a b\nc.h", "4");

	const char *const merge[] = {
		"git",   "-C", root,   "-c", "user.name=t", "-c", "user.email=t@t",
		"merge", "-q", "main", NULL};
	struct buf out = {0};
	int status = 0;

	GIT(root, "stash", "-q");
	if (proc_run(merge, NULL, INT64_C(20000000000), 4096, &out, &status, &e) || status == 0)
		tap_ok(false, "a merge with a conflict");
	buf_fini(&out);
	check_changes(root, (char[]){"."}, 2, 1, "top");
	free(root), free(k);
}

static enum asc_status job(struct asc_err *f)
{
	char root[PATH_MAX];
	struct git_repository r = {0};
	struct git_base b = {.by = ""};
	struct git_changes c;

	snprintf(root, sizeof root, "%s/origin", base);
	enum asc_status status = git_repository_find(root, &r, f);

	if (status == ASC_OK)
		status = git_base_find(&r, "HEAD~1", &b, f);
	if (status == ASC_OK && (!*b.id || !b.ancestor))
		status = asc_err_set(f, ASC_INTERNAL, "another base");
	if (status == ASC_OK)
		status = git_changes_find(&r, counts, (char[]){"."}, &c, f);
	git_base_fini(&b);
	git_repository_fini(&r);
	return status;
}

static void test_git(void)
{
	char *root = below("origin");

	make_origin(root);
	test_names();
	test_shallow();
	test_none();
	test_changes();
	nomem_sample("a base", job, 3);
	free(root);
}

int main(void)
{
	unsetenv("GITHUB_BASE_REF");
	unsetenv("CI_MERGE_REQUEST_DIFF_BASE_SHA");
	unsetenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
	return run_in_folder(&base, test_git);
}
