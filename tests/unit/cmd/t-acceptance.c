/* Acceptances of slower kernels: in messages, in files, in repositories that the installed git
 * makes; texts of people who mean harm.
 * covers: acceptance.c */
#include "tuner/cmd/gate/acceptance.h"

#include <string.h>
#include <sys/stat.h>

#include "tests/tap.h"
#include "tests/unit/git/checkout.h"
#include "tuner/base/log.h"

static char *base; /* folder of the test */
static struct asc_err e;
static struct buf warned;

static void keep_warning(void *user, enum log_level level, const char *text)
{
	(void)user;
	(void)level;
	buf_print(&warned, "%s\n", text);
}

/* Texts of all, with who says it. */
static char *print_all(const struct acceptances *a)
{
	struct buf out = {0};

	for (size_t i = 0; i < a->n; i++)
		buf_print(&out, "%s[%s]", a->list[i].by, a->list[i].text);
	buf_add_str(&out, "");
	return buf_take(&out);
}

static void check_message(const char *message, const char *expected, const char *what)
{
	struct acceptances a = {0};
	char *all;

	tap_int(acceptances_add_message(&a, message, "m", &e), ASC_OK, "%s: is read", what);
	all = print_all(&a);
	tap_str(all, expected, "%s", what);
	free(all);
	acceptances_fini(&a);
}

static void test_messages(void)
{
	check_message("subject\n\nbody\n\nSlower-kernels: a/b c why\nReviewed-by: x\n",
		      "m[a/b c why]", "a trailer among others");
	check_message("s\n\nslower-KERNELS:a/b why", "m[a/b why]", "no newline, other case");
	check_message("s\n\nSlower-kernels: a/b it\n  goes on\n\tand on\nSlower-kernels: c/d 2\n",
		      "m[a/b it   goes on  and on]m[c/d 2]", "lines that go on; two of them");
	check_message(
		"s\n\n Slower-kernels: a/b why\nNot Slower-kernels: a/b why\nSlower-kernels:\n", "",
		"not at the beginning of a line; nothing said");
	check_message("Slower-kernels: a/b why\r\n\r\n", "m[a/b why]", "lines of another system");
	check_message("Slower-kernels: a/b \x1b[31m\x07 \xc2\x9b \xff \xe2\x80\xae.\n",
		      "m[a/b \xef\xbf\xbd[31m\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd.]",
		      "what a terminal would obey, and no UTF-8");
}

static void test_long(void)
{
	struct acceptances a = {0};
	struct buf text = {0};

	buf_add_str(&text, "Slower-kernels: a/b ");
	for (int i = 0; i < 5000; i++)
		buf_add_str(&text, "\xc3\xa4");
	tap_int(acceptances_add_message(&a, buf_str(&text), "m", &e), ASC_OK, "a long reason");
	tap_ok(a.n == 1 && strlen(a.list->text) <= ACCEPTANCE_BYTES + 3 &&
		       strcmp(a.list->text + strlen(a.list->text) - 5, "\xc3\xa4...") == 0,
	       "is cut between characters");
	buf_clear(&text);
	for (int i = 0; i < ACCEPTANCES_MOST + 10; i++)
		buf_print(&text, "a/p%d why\n", i);
	buf_clear(&warned);
	tap_int(acceptances_add_lines(&a, buf_str(&text), "f", &e), ASC_OK, "many");
	tap_int((long long)a.n, ACCEPTANCES_MOST, "are cut to so many");
	tap_str(buf_str(&warned), "f: only the first 1000 acceptances are read\n", "said once");
	buf_fini(&text);
	acceptances_fini(&a);
}

static void test_names(void)
{
	const char *rest = NULL;

	tap_int(kernel_find_named("a/b c why so", "a", "b", "c", &rest), KERNEL_NAMED, "whole");
	tap_str(rest, "why so", "its reason");
	tap_int(kernel_find_named("a/b c: why", "a", "b", "c", &rest), KERNEL_NAMED, "a colon");
	tap_str(rest, "why", "its reason");
	tap_int(kernel_find_named("a/b why", "a", "b", "c", &rest), KERNEL_OF_PROBLEM, "problem");
	tap_str(rest, "why", "its reason");
	tap_int(kernel_find_named("a/b cd", "a", "b", "c", &rest), KERNEL_OF_PROBLEM,
		"a word that begins as the implementation");
	tap_str(rest, "cd", "its reason");
	tap_int(kernel_find_named("a/b", "a", "b", "c", &rest), KERNEL_OF_PROBLEM, "no reason");
	tap_str(rest, "", "none");
	tap_int(kernel_find_named("a/bc why", "a", "b", "c", NULL), KERNEL_NOT_NAMED,
		"another problem");
	tap_int(kernel_find_named("xa/b why", "a", "b", "c", NULL), KERNEL_NOT_NAMED,
		"another workload");
	tap_int(kernel_find_named("", "a", "b", "c", NULL), KERNEL_NOT_NAMED, "nothing");
}

/* Commits a message that is longer than a command line takes. */
static void commit(const char *root, const char *message)
{
	write_file(base, "message", message);
	char *file = path_of(base, "message");

	GIT(root, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", file);
	free(file);
}

static void check_commits(const struct git_repository *r, const char *const *which,
			  const char *expected, const char *what)
{
	struct acceptances a = {0};
	char *all;

	tap_int(acceptances_read_commits(&a, r, which, &e), ASC_OK, "%s: is read", what);
	all = print_all(&a);
	/* Ids are git's. */
	for (char *id = strstr(all, "commit "); id; id = strstr(id + 1, "commit "))
		memset(id + strlen("commit "), 'x', 12);
	tap_str(all, expected, "%s", what);
	free(all);
	acceptances_fini(&a);
}

static void test_commits(const char *root, const struct git_repository *r)
{
	struct buf large = {0};

	commit(root, "first\n\nSlower-kernels: a/one 1\n");
	commit(root, "second\n\nSlower-kernels: a/two 2");
	commit(root, "third\n");
	check_commits(r, (const char *const[]){"--no-walk", "HEAD~1", NULL},
		      "commit xxxxxxxxxxxx[a/two 2]", "one commit");
	check_commits(r, (const char *const[]){"HEAD", NULL},
		      "commit xxxxxxxxxxxx[a/two 2]commit xxxxxxxxxxxx[a/one 1]", "all");
	check_commits(r, (const char *const[]){"--no-walk", "none", NULL}, "", "no commit");
	buf_add_str(&large, "large\n\nSlower-kernels: a/large 3\n");
	for (int i = 0; i < 10 << 20; i += 64)
		buf_add_str(&large,
			    "Slower-kernels:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n");
	buf_add_str(&large, "Slower-kernels: a/behind 4\n");
	commit(root, buf_str(&large));
	struct acceptances a = {0};

	buf_clear(&warned);
	tap_int(acceptances_read_commits(&a, r, (const char *const[]){"--no-walk", "HEAD", NULL},
					 &e),
		ASC_OK, "10 MB of a message");
	tap_ok(a.n == ACCEPTANCES_MOST && acceptances_has(&a, "a/large 3") &&
		       !acceptances_has(&a, "a/behind 4"),
	       "are read as far as the limits go");
	tap_ok(strstr(buf_str(&warned), "messages of commits: longer than 1 MiB") != NULL, "%s",
	       buf_str(&warned));
	acceptances_fini(&a);
	buf_fini(&large);
}

static void check_file(const struct git_repository *r, const char *commit_id, const char *expected,
		       const char *what)
{
	struct acceptances a = {0};
	char *all;

	buf_clear(&warned);
	tap_int(commit_id ? acceptances_read_tree(&a, r, commit_id, &e)
			  : acceptances_read_working(&a, r, &e),
		ASC_OK, "%s: is read", what);
	all = print_all(&a);
	tap_str(all, expected, "%s", what);
	free(all);
	acceptances_fini(&a);
}

static void test_files(const char *root, const struct git_repository *r)
{
	char *file = path_of(root, ACCEPTANCE_FILE), *secret = path_of(base, "secret");

	check_file(r, NULL, "", "no file");
	check_file(r, "HEAD", "", "none in the commit");
	/* As an editor writes it that begins files with the sign of the byte order. */
	write_file(root, ACCEPTANCE_FILE,
		   "\xef\xbb\xbf# a comment\n\na/b why\r\n  # another\n  c/d 2");
	check_file(r, NULL, ".asctune-accept[a/b why].asctune-accept[c/d 2]", "in the tree");
	check_file(r, "HEAD", "", "not in the commit yet");
	GIT(root, "add", "-A");
	commit(root, "file\n");
	check_file(r, "HEAD", ".asctune-accept[a/b why].asctune-accept[c/d 2]", "in the commit");
	write_file(base, "secret", "a/b what nobody is to see\n");
	unlink(file);
	tap_int(symlink(secret, file), 0, "a link");
	check_file(r, NULL, "", "a link is not followed");
	tap_ok(strstr(buf_str(&warned), "no plain file") != NULL, "%s", buf_str(&warned));
	unlink(file);
	tap_int(mkfifo(file, 0600), 0, "a pipe");
	check_file(r, NULL, "", "a pipe is not waited for");
	unlink(file);
	free(secret);
	free(file);
}

static void test_repository(void)
{
	char *root = path_of(base, "tree");
	struct git_repository r = {0};

	mkdir(root, 0700);
	GIT(root, "init", "-q", "-b", "main");
	if (git_repository_find(root, &r, &e)) {
		tap_ok(false, "%s", e.text);
	} else {
		test_commits(root, &r);
		test_files(root, &r);
	}
	git_repository_fini(&r);
	free(root);
}

int main(void)
{
	log_set_sink(keep_warning, NULL);
	test_messages();
	test_long();
	test_names();
	const int status = run_in_folder(&base, test_repository);

	buf_fini(&warned);
	return status;
}
