#include "tuner/git/git_repository.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/file.h"
#include "tuner/base/owner.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_spawn.h"
#include "tuner/process/sandbox.h"

enum { FOLDERS = 4, PLACES = 6 };

/* Time limit of a question that states none: a repository that is slow to answer costs a run so
 * much and no more. */
static const int64_t usual_limit_ns = INT64_C(3000000000);

void git_words_add(struct git_words *w, const char *word)
{
	buf_add(&w->text, word, strlen(word) + 1);
	w->n++;
}

static void add_to(const char **argv, size_t *n, const struct git_words *w)
{
	const char *word = buf_str(&w->text);

	for (size_t i = 0; i < w->n; i++, word += strlen(word) + 1)
		argv[(*n)++] = word;
}

/* ---- finding it ---- */

/* Cuts a path to the folder above; false at its end. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Reads where a working tree's repository is: "gitdir: REPOSITORY/worktrees/NAME", from the folder
 * `root`. A name with the end of a line in it is one to git alone, and so is none. */
static char *read_elsewhere(const char *root, const char *dot_git)
{
	static const char begin[] = "gitdir: ";
	struct buf text = {0};
	struct asc_err e;
	char *path = NULL;

	if (file_read(dot_git, GIT_ANSWER, &text, &e) == ASC_OK &&
	    strncmp(buf_str(&text), begin, sizeof begin - 1) == 0) {
		char *name = text.data + sizeof begin - 1;
		const size_t n = strcspn(name, "\r\n");

		if (name + n + strspn(name + n, "\r\n") == text.data + text.len) {
			name[n] = '\0';
			path = path_join(root, name);
		}
	}
	buf_fini(&text);
	if (path && strstr(path, "/worktrees/"))
		*strstr(path, "/worktrees/") = '\0';
	return path;
}

/* Finds the objects of another repository that this one uses, as `git clone --reference` and caches
 * of a CI have it: the first line of a file. What that names beyond it git does not get to read.
 * Only ASC_NOMEM fails. */
static enum asc_status find_borrowed(const char *repository, char **out, struct asc_err *e)
{
	char *list = str_print("%s/objects/info/alternates", repository);
	char *objects = str_print("%s/objects", repository);
	struct buf text = {0};
	enum asc_status status = list && objects ? ASC_OK : asc_err_nomem(e);

	*out = NULL;
	if (status == ASC_OK && file_exists(list))
		status = file_read(list, GIT_ANSWER, &text, e);
	if (status == ASC_OK && text.len > 0) {
		text.data[strcspn(text.data, "\n")] = '\0';
		*out = path_join(objects, text.data);
		status = *out ? owner_check_file(*out, e) : asc_err_nomem(e);
	}
	if (status) {
		free(*out);
		*out = NULL;
	}
	buf_fini(&text);
	free(objects);
	free(list);
	return status == ASC_NOMEM ? status : ASC_OK;
}

/* Makes git's environment: what sandboxed children have, without the variables by which hooks and
 * users lead git elsewhere, and with no configuration but the repository's, `confined`. A heap
 * array of borrowed strings; NULL when out of memory. */
static const char **make_environment(bool confined)
{
	static const char *const own[] = {
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_ATTR_NOSYSTEM=1",
		/* An id stands for its own content, whatever refs/replace has for it. */
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_OPTIONAL_LOCKS=0",
		"LC_ALL=C",
	};
	const size_t n_own = sizeof own / sizeof *own;
	size_t n = 0;

	while (environ && environ[n])
		n++;
	const char **all = calloc(n + n_own + 1, sizeof *all);
	size_t k = 0;

	for (size_t i = 0; all && i < n; i++)
		if (proc_environment_passes(environ[i]) && strncmp(environ[i], "GIT_", 4) != 0 &&
		    strncmp(environ[i], "LC_ALL=", 7) != 0)
			all[k++] = environ[i];
	for (size_t i = 0; all && confined && i < n_own; i++)
		all[k++] = own[i];
	return all;
}

/* True where the user's or the system's configuration of git says that the repository of a root is
 * safe, whoever it belongs to: safe.directory in git-config(1), as CIs set it in containers. Git is
 * asked outside of any repository, and runs nothing for it. */
static bool is_declared_safe(const char *root)
{
	static const char *const places[] = {"--global", "--system"};
	bool safe = false;

	for (size_t i = 0; !safe && i < sizeof places / sizeof *places; i++) {
		const char *const argv[] = {"git",     "-C", "/",         "config",
					    places[i], "-z", "--get-all", "safe.directory",
					    NULL};
		const char **environment = make_environment(false);
		const struct proc_options o = {.argv = argv,
					       .variables = environment,
					       .alone = true,
					       .capture = true,
					       .mute = true};
		struct buf list = {0};
		struct asc_err e;
		int status = -1;

		if (environment && proc_run_options(&o, NULL, usual_limit_ns, GIT_ANSWER, &list,
						    &status, &e) == ASC_OK)
			/* An empty value takes back those before it. */
			for (const char *at = buf_str(&list), *end = at + list.len; at < end;
			     at += strlen(at) + 1)
				safe = *at &&
				       (safe || strcmp(at, "*") == 0 || strcmp(at, root) == 0);
		buf_fini(&list);
		free(environment);
	}
	return safe;
}

/* True for a folder that is what .git is elsewhere. */
static bool is_bare(const char *folder)
{
	char *head = path_join(folder, "HEAD"), *objects = path_join(folder, "objects");
	const bool bare = head && objects && file_exists(head) && file_exists(objects);

	free(head);
	free(objects);
	return bare;
}

enum asc_status git_repository_find(const char *folder, struct git_repository *out,
				    struct asc_err *e)
{
	struct stat s = {0};
	bool at = *folder == '/';

	*out = (struct git_repository){.folder = str_dup(folder), .root = str_dup(folder)};
	if (!out->folder || !out->root)
		return asc_err_nomem(e);
	while (at) {
		free(out->entry);
		out->entry = path_join(out->root, ".git");
		if (!out->entry)
			return asc_err_nomem(e);
		if (lstat(out->entry, &s) == 0)
			break;
		at = go_up(out->root);
	}
	if (!at)
		return asc_err_set(e, ASC_ABSENT,
				   is_bare(folder) ? "%s is a bare repository: it has no files"
						   : "there is no repository around %s",
				   folder);
	if (S_ISREG(s.st_mode)) {
		out->other = read_elsewhere(out->root, out->entry);
		if (!out->other)
			return asc_err_set(e, ASC_ABSENT, "%s names no repository", out->entry);
	}
	if ((owner_check_file(out->entry, e) || (out->other && owner_check_file(out->other, e))) &&
	    !is_declared_safe(out->root)) {
		e->status = ASC_ABSENT;
		return asc_err_wrap(e, "there is no repository that git may read");
	}
	return find_borrowed(out->other ? out->other : out->entry, &out->borrowed, e);
}

void git_repository_fini(struct git_repository *r)
{
	buf_fini(&r->filters.text);
	free(r->folder);
	free(r->root);
	free(r->entry);
	free(r->other);
	free(r->borrowed);
	*r = (struct git_repository){0};
}

/* ---- asking ---- */

/* Makes git's words. What a repository's own configuration would have git run is switched off, and
 * git starts no process, nor the threads that count as such. A heap array of borrowed strings; NULL
 * when out of memory. */
static const char **make_words(const struct git_repository *r, const struct git_question *q)
{
	static const char *const git[] = {"git",
					  "--no-optional-locks",
					  "--literal-pathspecs",
					  "-c",
					  "core.fsmonitor=false",
					  "-c",
					  "core.hooksPath=/dev/null",
					  "-c",
					  "core.preloadIndex=false",
					  "-c",
					  "index.threads=1",
					  "-c",
					  "protocol.allow=never",
					  NULL};
	const char *const places[PLACES] = {"--git-dir", r->entry, "--work-tree",
					    r->root,     "-C",     r->folder};
	size_t n = sizeof git / sizeof *git + PLACES + r->filters.n + (q->files ? q->files->n : 0);

	if (r->filters.text.failed || (q->files && q->files->text.failed))
		return NULL;
	for (const char *const *w = q->words; *w; w++)
		n++;
	const char **argv = calloc(n, sizeof *argv);

	if (!argv)
		return NULL;
	for (n = 0; git[n]; n++)
		argv[n] = git[n];
	for (size_t i = 0; i < PLACES; i++)
		argv[n++] = places[i];
	add_to(argv, &n, &r->filters);
	for (const char *const *w = q->words; *w; w++)
		argv[n++] = *w;
	if (q->files)
		add_to(argv, &n, q->files);
	return argv;
}

int git_ask(const struct git_repository *r, const struct git_question *q, struct buf *answer)
{
	const char *const reads[FOLDERS] = {r->root};
	const char *const named[FOLDERS] = {r->root, r->other ? r->other : r->borrowed,
					    r->other ? r->borrowed : NULL};
	const int64_t limit_ns = q->limit_ns ? q->limit_ns : usual_limit_ns;
	const struct sandbox sandbox = {
		.reads = reads, .named = named, .childless = true, .limit_ns = limit_ns};
	const char **argv = make_words(r, q), **environment = make_environment(true);
	const struct proc_options o = {.argv = argv,
				       .variables = environment,
				       .alone = true,
				       .capture = true,
				       .mute = true,
				       .feed = q->input != NULL,
				       .sandbox = &sandbox};
	int status = -1;
	struct asc_err e = {.status = ASC_NOMEM};

	buf_clear(answer);
	if (argv && environment)
		e.status = proc_run_options(&o, q->input, limit_ns, q->most, answer, &status, &e);
	if (e.status == ASC_OK)
		status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	else
		status = e.status == ASC_NOTFOUND ? GIT_MISSING : -1;
	answer->failed |= e.status == ASC_NOMEM;
	free(environment);
	free(argv);
	return status;
}

enum asc_status git_check_answer(int status, const struct buf *answer, struct asc_err *e)
{
	if (buf_check(answer, e))
		return e->status;
	if (status == GIT_MISSING)
		return asc_err_set(e, ASC_NOTFOUND, "git is not installed");
	return status >= 0 ? ASC_OK : asc_err_set(e, ASC_CHILD, "git did not answer");
}

enum asc_status git_repository_drop_filters(struct git_repository *r, struct asc_err *e)
{
	static const char *const listing[] = {"config",       "--includes", "-z", "--name-only",
					      "--get-regexp", "^filter\\.", NULL};
	struct buf answer = {0};
	const struct git_question q = {.words = listing, .most = GIT_ANSWER};
	const int status = git_ask(r, &q, &answer);
	const char *key = buf_str(&answer), *end = key + answer.len;
	bool all = (status == 0 || (status == 1 && answer.len == 0)) && answer.len < GIT_ANSWER,
	     failed = answer.failed;

	for (; all && !failed && key < end; key += strlen(key) + 1) {
		const char *last = strrchr(key, '.');
		char *option = str_print("%s=%s", key, str_is_same(last, ".required") ? "0" : "");

		/* Git takes what stands behind the first `=` of an option for its value. */
		all = strncmp(key, "filter.", 7) == 0 && !strpbrk(key, "=\n") &&
		      key + strlen(key) < end;
		failed = !option;
		git_words_add(&r->filters, "-c");
		git_words_add(&r->filters, option ? option : "");
		free(option);
	}
	buf_fini(&answer);
	if (failed)
		return asc_err_nomem(e);
	return all ? ASC_OK
		   : asc_err_set(e, ASC_CHILD,
				 "a filter that the repository's configuration names cannot be "
				 "switched off");
}

/* ---- ids and paths ---- */

bool git_take_id(const char *answer, char id[GIT_ID_SIZE])
{
	const size_t n = strspn(answer, "0123456789abcdef");

	*id = '\0';
	if (n < 40 || n >= GIT_ID_SIZE /* SHA-1 or SHA-256 */ || strcmp(answer + n, "\n") != 0)
		return false;
	memcpy(id, answer, n);
	id[n] = '\0';
	return true;
}

enum asc_status git_find_commit(const struct git_repository *r, const char *name,
				char id[GIT_ID_SIZE], struct asc_err *e)
{
	char *object = str_print("%s^{commit}", name);
	const char *const words[] = {"rev-parse", "--verify", "--quiet", object, NULL};
	const struct git_question q = {.words = words, .most = GIT_ANSWER};
	struct buf answer = {0};
	enum asc_status status = object ? ASC_OK : asc_err_nomem(e);

	*id = '\0';
	if (status == ASC_OK && *name != '-') /* an option of git's, which names no commit */
		status = git_check_answer(git_ask(r, &q, &answer), &answer, e);
	if (status == ASC_OK)
		(void)git_take_id(buf_str(&answer), id);
	buf_fini(&answer);
	free(object);
	return status;
}

const char *git_below_root(const struct git_repository *r, const char *path)
{
	const size_t n = strcmp(r->root, "/") == 0 ? 0 : strlen(r->root);

	if (strncmp(path, r->root, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path + n + (path[n] == '/');
}

bool git_stays_within(const char *path, int depth)
{
	while (*path && depth >= 0) {
		const size_t n = strcspn(path, "/");

		if (n == 2 && strncmp(path, "..", n) == 0)
			depth--;
		else if (n > 0 && !(n == 1 && *path == '.'))
			depth++;
		path += n + (path[n] == '/');
	}
	return depth >= 0;
}
