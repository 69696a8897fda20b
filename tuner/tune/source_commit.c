/* Git about a workload's repository. A repository is data of others, and git runs what its
 * configuration names, so that asking is done in this order:
 *
 * 1. A repository is looked for only where the workload may be trusted, and taken only where it
 *    belongs to the user (find_repository).
 * 2. Git runs in the sandbox with the repository alone, without a child process, and without
 *    configuration but the repository's own; programs that this one names are switched off
 *    (ask). Filters of files have any name, so they are listed and switched off one by one.
 * 3. What git says is parsed as bytes of a stranger: an id has its length and its digits, a source
 *    of an earlier commit stays within the folder that it is written to, and has the content key
 *    that was recorded. */
#include "tuner/tune/source_commit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/owner.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/impl_search.h"
#include "tuner/workload/sources/include_scan.h"
#include "tuner/workload/sources/sources.h"

enum {
	ANSWER = 4096, /* bytes of an answer: ids, a few names; what is longer counts as changes */
	SOURCE = 16 << 20, /* bytes of a file, or of the names in a folder */
	FOLDERS = 4,
	WORDS = 8
};

/* Time limit of a question: a repository that is slow to answer costs the run so much and no more.
 */
static const int64_t limit_ns = INT64_C(3000000000);

/* Words of a command line, each ended by NUL. */
struct words {
	struct buf text;
	size_t n;
};

struct repository {
	char *folder;         /* folder of the workload */
	char *root;           /* the first folder above with an entry `.git` */
	char *entry;          /* that entry */
	char *other;          /* a working tree's repository is elsewhere; NULL: it is not one */
	struct words filters; /* options that take the programs away that its settings name */
};

static void add_word(struct words *w, const char *word)
{
	buf_add(&w->text, word, strlen(word) + 1);
	w->n++;
}

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

	if (file_read(dot_git, ANSWER, &text, &e) == ASC_OK &&
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

/* Finds the repository, which belongs to nobody else; none is looked for where the workload is a
 * stranger's. ASC_ABSENT: there is none. */
static enum asc_status find_repository(const char *path, struct repository *out, struct asc_err *e)
{
	static const char none[] = "there is no repository that git may read";
	struct stat s = {0};
	bool above = true;

	*out = (struct repository){.folder = str_dup(path), .root = str_dup(path)};
	if (!out->folder || !out->root)
		return asc_err_nomem(e);
	if (sandbox_is_required() || *path != '/' || !go_up(out->folder))
		return asc_err_set(e, ASC_ABSENT, none);
	do {
		free(out->entry);
		above = go_up(out->root);
		out->entry = above ? path_join(out->root, ".git") : NULL;
	} while (out->entry && lstat(out->entry, &s) != 0);
	if (above && !out->entry)
		return asc_err_nomem(e);
	if (!above || owner_check_file(out->entry, e))
		return asc_err_set(e, ASC_ABSENT, none);
	if (!S_ISREG(s.st_mode))
		return ASC_OK;
	out->other = read_elsewhere(out->root, out->entry);
	return out->other && owner_check_file(out->other, e) == ASC_OK
		       ? ASC_OK
		       : asc_err_set(e, ASC_ABSENT, none);
}

/* Adds the workload's file and the sources of its implementations; what is outside of the
 * repository is no change in it. */
static void find_files(const char *path, const struct repository *r,
		       const struct impl_searches *searches, struct words *f)
{
	const size_t root = strlen(r->root);

	add_word(f, strrchr(path, '/') + 1);
	for (size_t i = 0; i < searches->n; i++) {
		const char *sources = searches->list[i].sources;
		struct json_doc *doc = NULL;
		struct asc_err e;

		if (!sources || json_open_text("sources", sources, strlen(sources), &doc, &e))
			continue;
		for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
			if (*json_key(n) != '/' || strncmp(json_key(n), r->root, root) == 0)
				add_word(f, json_key(n));
		json_close(doc);
	}
}

static void add_to(const char **argv, size_t *n, const struct words *w)
{
	const char *word = buf_str(&w->text);

	for (size_t i = 0; i < w->n; i++, word += strlen(word) + 1)
		argv[(*n)++] = word;
}

/* Asks git, with nothing of the user's or the system's configuration, nor with the variables that
 * name another index, as hooks of git have them. What a repository's own configuration would have
 * it run is switched off, and it starts no process, nor the threads that count as such. Returns the
 * exit status, 127 where there is no git; -1: git did not answer, or memory has run out, which is
 * the answer's failure. */
static int ask(const struct repository *r, const char *const *words, const struct words *files,
	       size_t most, struct buf *answer)
{
	static const char *const git[] = {"env",
					  "-uGIT_INDEX_FILE",
					  "GIT_CONFIG_GLOBAL=/dev/null",
					  "GIT_CONFIG_NOSYSTEM=1",
					  "GIT_NO_LAZY_FETCH=1",
					  "git",
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
	const char *const places[] = {"--git-dir", r->entry, "--work-tree",
				      r->root,     "-C",     r->folder};
	const char *const reads[FOLDERS] = {r->root}, *const named[FOLDERS] = {r->root, r->other};
	const struct sandbox sandbox = {
		.reads = reads, .named = named, .childless = true, .limit_ns = limit_ns};
	const size_t room = sizeof git / sizeof *git + sizeof places / sizeof *places + WORDS;
	const char **argv = calloc(room + r->filters.n + files->n + 1, sizeof *argv);
	size_t n = 0;
	int status = -1;
	struct asc_err e;

	buf_clear(answer);
	if (!argv || files->text.failed || r->filters.text.failed) {
		answer->failed = true;
		free(argv);
		return -1;
	}
	for (; git[n]; n++)
		argv[n] = git[n];
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		argv[n++] = places[i];
	add_to(argv, &n, &r->filters);
	while (*words)
		argv[n++] = *words++;
	add_to(argv, &n, files);
	const enum asc_status run = proc_run(argv, &sandbox, limit_ns, most, answer, &status, &e);

	free(argv);
	answer->failed |= run == ASC_NOMEM;
	return run == ASC_OK && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Fails where git gave no answer: `status` is what ask() returned. */
static enum asc_status check_answer(int status, const struct buf *answer, struct asc_err *e)
{
	if (buf_check(answer, e))
		return e->status;
	if (status == 127)
		return asc_err_set(e, ASC_NOTFOUND, "git is not installed");
	return status >= 0 ? ASC_OK : asc_err_set(e, ASC_CHILD, "git did not answer");
}

/* Finds the filters: programs that a repository's configuration names, and that git would run on a
 * file to see whether its content changed. False where one cannot be switched off:
 * git takes what stands behind the first `=` of an option for its value. */
static bool find_filters(struct repository *r, struct buf *answer)
{
	static const char *const listing[WORDS] = {"config",      "--includes",   "-z",
						   "--name-only", "--get-regexp", "^filter\\."};
	const int status = ask(r, listing, &(struct words){.n = 0}, ANSWER, answer);
	const char *key = buf_str(answer), *end = key + answer->len;
	bool all = (status == 0 || (status == 1 && answer->len == 0)) && answer->len < ANSWER;

	for (; all && key < end; key += strlen(key) + 1) {
		const char *last = strrchr(key, '.');
		char *option = str_print("%s=%s", key, str_is_same(last, ".required") ? "0" : "");

		all = option && strncmp(key, "filter.", 7) == 0 && !strpbrk(key, "=\n") &&
		      key + strlen(key) < end;
		add_word(&r->filters, "-c");
		add_word(&r->filters, option ? option : "");
		free(option);
	}
	return all;
}

static bool take_id(const char *answer, struct source_commit *out)
{
	const size_t n = strspn(answer, "0123456789abcdef");

	if (n < 40 || n >= sizeof out->id /* SHA-1 or SHA-256 */ || strcmp(answer + n, "\n") != 0)
		return false;
	memcpy(out->id, answer, n);
	out->id[n] = '\0';
	return true;
}

/* True where neither what git knows in the folder, nor what the workload reads, differs from the
 * commit: asctune's own database beside a workload does not. A submodule has a configuration of its
 * own; its commit alone is looked at. */
static bool is_clean(const struct repository *r, const struct words *files, struct buf *answer)
{
	static const char *const known[WORDS] = {
		"status", "--porcelain", "-uno", "--ignore-submodules=dirty", "--", "."};
	static const char *const fresh[WORDS] = {"ls-files", "--others", "--exclude-standard",
						 "--"};

	return ask(r, known, files, ANSWER, answer) == 0 && answer->len == 0 &&
	       ask(r, fresh, files, ANSWER, answer) == 0 && answer->len == 0;
}

static void repository_fini(struct repository *r)
{
	buf_fini(&r->filters.text);
	free(r->folder);
	free(r->root);
	free(r->entry);
	free(r->other);
}

void source_commit_find(const char *path, const struct impl_searches *searches,
			struct source_commit *out)
{
	static const char *const commit[WORDS] = {"rev-parse", "HEAD"};
	struct repository r = {0};
	struct buf answer = {0};
	struct words files = {0};
	struct asc_err e;

	*out = (struct source_commit){.clean = false};
	if (find_repository(path, &r, &e) == ASC_OK &&
	    ask(&r, commit, &files, ANSWER, &answer) == 0 && take_id(buf_str(&answer), out) &&
	    find_filters(&r, &answer)) {
		find_files(path, &r, searches, &files);
		out->clean = is_clean(&r, &files, &answer);
	}
	buf_fini(&answer);
	buf_fini(&files.text);
	repository_fini(&r);
}

enum asc_status source_commit_resolve(const char *path, const char *name, struct source_commit *out,
				      struct asc_err *e)
{
	struct repository r = {0};
	struct buf answer = {0};
	char *object = str_print("%s^{commit}", name);
	const char *const words[WORDS] = {"rev-parse", "--verify", "--quiet", object};
	enum asc_status status = object ? ASC_OK : asc_err_nomem(e);

	*out = (struct source_commit){.clean = true};
	if (status == ASC_OK)
		status = find_repository(path, &r, e);
	if (status == ASC_ABSENT)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "%s: there is no repository that git may read", path);
	if (status == ASC_OK && *name != '-') /* an option of git's, which names no commit */
		status = check_answer(ask(&r, words, &(struct words){.n = 0}, ANSWER, &answer),
				      &answer, e);
	if (status == ASC_OK && !take_id(buf_str(&answer), out))
		status = asc_err_set(e, ASC_NOTFOUND,
				     "git has no commit %s in the repository of %s", name, path);
	buf_fini(&answer);
	repository_fini(&r);
	free(object);
	return status;
}

/* ---- files of a commit ---- */

/* True for a path that leads nowhere above the repository's root from a folder that is `depth`
 * folders below it. */
static bool stays_within(const char *path, int depth)
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

/* Writes one file; `name` is relative to the workload's folder. */
static enum asc_status write_one(const struct repository *r, const char *commit, const char *name,
				 const char *to, char **out, struct asc_err *e)
{
	const char *below = r->folder + strlen(r->root);
	char *object = str_print("%s:./%s", commit, name);
	char *path = str_print("%s%s/%s", to, below, name), *folder = path ? path_folder(path) : 0;
	const char *const words[WORDS] = {"cat-file", "blob", object};
	struct buf answer = {0};
	int found = 0, depth = 0;
	enum asc_status status = object && folder ? ASC_OK : asc_err_nomem(e);

	for (const char *at = below; *at; at++)
		depth += *at == '/';
	if (status == ASC_OK && !stays_within(name, depth))
		status = asc_err_set(e, ASC_ABSENT, "%s is outside of the repository", name);
	if (status == ASC_OK) {
		found = ask(r, words, &(struct words){.n = 0}, SOURCE, &answer);
		status = check_answer(found, &answer, e);
	}
	if (status == ASC_OK && (found != 0 || answer.len >= SOURCE))
		status = asc_err_set(e, ASC_ABSENT, "git has no %s of commit %.12s", name, commit);
	if (status == ASC_OK)
		status = dir_make(folder, e);
	if (status == ASC_OK)
		status = file_write(path, buf_str(&answer), answer.len, e);
	buf_fini(&answer);
	free(object);
	free(folder);
	if (status)
		free(path);
	else
		*out = path;
	return status;
}

/* Writes a source and holds it to its recorded key. A source that a workload names by its whole
 * path is not of the commit. */
static enum asc_status write_source(const struct repository *r, const char *commit,
				    const struct json_node *n, const char *to, struct asc_err *e)
{
	const char *name = json_key(n), *recorded;
	char key[HASH_TEXT_SIZE], *path = NULL;
	enum asc_status status = json_get_string(n, &recorded, e);

	if (status == ASC_OK && *name == '/')
		status = asc_err_set(e, ASC_ABSENT, "%s is outside of the repository", name);
	if (status == ASC_OK)
		status = write_one(r, commit, name, to, &path, e);
	if (status == ASC_OK)
		status = sources_key(path, key, e);
	if (status == ASC_OK && strcmp(key, recorded) != 0)
		status = asc_err_set(e, ASC_ABSENT, "%s of commit %.12s is not what was measured",
				     name, commit);
	free(path);
	return status;
}

static enum asc_status write_included(const struct repository *r, const char *commit,
				      const char *name, const char *to, struct asc_err *e);

static bool is_module(const char *name)
{
	return str_is_same(strrchr(name, '.'), ".py");
}

/* Writes the modules of a folder: what a module imports is looked for there. */
static enum asc_status write_modules(const struct repository *r, const char *commit,
				     const char *folder, const char *to, struct asc_err *e)
{
	char *object = str_print("%s:./%s", commit, folder);
	const char *const words[WORDS] = {"ls-tree", "--full-tree", "-z", "--name-only", object};
	struct buf names = {0};
	enum asc_status status = object ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK) {
		const int found = ask(r, words, &(struct words){.n = 0}, SOURCE, &names);

		status = check_answer(found, &names, e);
		if (found != 0) /* the commit has no such folder */
			buf_clear(&names);
	}
	for (const char *n = buf_str(&names); status == ASC_OK && *n; n += strlen(n) + 1) {
		if (!is_module(n))
			continue;
		char *module = path_join(folder, n);

		status = module ? write_included(r, commit, module, to, e) : asc_err_nomem(e);
		free(module);
	}
	buf_fini(&names);
	free(object);
	return status;
}

/* Writes a file, and what its text includes, where the commit has them; files that the compiler
 * brings along it has not. */
static enum asc_status write_included(const struct repository *r, const char *commit,
				      const char *name, const char *to, struct asc_err *e)
{
	char *place = str_print("%s%s/%s", to, r->folder + strlen(r->root), name), *path = NULL;
	char *folder = path_folder(name);
	struct buf text = {0}, words = {0};
	enum asc_status status = place && folder ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && *name != '/' && !file_exists(place))
		status = write_one(r, commit, name, to, &path, e);
	if (status == ASC_OK && path)
		status = file_read(path, SOURCE, &text, e);
	if (status == ASC_OK && path) {
		include_scan(buf_str(&text), text.len, &words);
		buf_add_char(&words, '\0');
		status = buf_check(&words, e);
	}
	for (const char *w = buf_str(&words); status == ASC_OK && *w; w += strlen(w) + 1) {
		if (*w != INCLUDE_NAME)
			continue;
		char *included = path_join(folder, w + 1);

		status = included ? write_included(r, commit, included, to, e) : asc_err_nomem(e);
		free(included);
	}
	if (status == ASC_OK && path && is_module(name))
		status = write_modules(r, commit, folder, to, e);
	buf_fini(&words);
	buf_fini(&text);
	free(folder);
	free(place);
	free(path);
	return status == ASC_ABSENT ? ASC_OK : status;
}

/* Writes the files that members `source` of a workload name: without them it cannot be opened. */
static enum asc_status write_named(const struct repository *r, const char *commit,
				   const struct json_node *in, const char *to, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (const struct json_node *n = json_first(in); n && status == ASC_OK; n = json_next(n)) {
		const char *name;

		if (json_type(n) == JSON_OBJECT || json_type(n) == JSON_ARRAY)
			status = write_named(r, commit, n, to, e);
		else if (str_is_same(json_key(n), "source") && json_type(n) == JSON_STRING &&
			 json_get_string(n, &name, e) == ASC_OK)
			status = write_included(r, commit, name, to, e);
	}
	return status;
}

enum asc_status source_commit_write(const char *path, const char *commit,
				    const struct json_node *sources, const char *to, char **file,
				    struct asc_err *e)
{
	struct repository r = {0};
	struct json_doc *doc = NULL;
	enum asc_status status = ASC_OK;

	*file = NULL;
	if (!*commit || commit[strspn(commit, "0123456789abcdef")])
		status = asc_err_set(e, ASC_ABSENT, "%s",
				     *commit ? "it was measured with changes that no commit has"
					     : "its commit is not known");
	else
		status = find_repository(path, &r, e);
	/* The workload as it was names its sources; those of the recorded list are held to their
	 * keys besides. */
	if (status == ASC_OK)
		status = write_one(&r, commit, strrchr(path, '/') + 1, to, file, e);
	if (status == ASC_OK)
		status = json_open_file(*file, &doc, e);
	if (status == ASC_OK)
		status = write_named(&r, commit, json_root(doc), to, e);
	json_close(doc);
	for (const struct json_node *n = sources ? json_first(sources) : NULL; n && !status;
	     n = json_next(n))
		status = write_source(&r, commit, n, to, e);
	repository_fini(&r);
	if (status) {
		free(*file);
		*file = NULL;
	}
	return status;
}
