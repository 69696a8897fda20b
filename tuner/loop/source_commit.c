#include "tuner/loop/source_commit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json.h"
#include "tuner/base/owner.h"
#include "tuner/base/proc.h"
#include "tuner/base/sandbox.h"
#include "tuner/loop/impl_search.h"

enum { ANSWER = 4096, FOLDERS = 4, WORDS = 8 };

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

/* Finds the repository, which belongs to nobody else; false: there is none. */
static bool find_repository(const char *path, struct repository *out)
{
	struct asc_err e;
	struct stat s;

	*out = (struct repository){.folder = str_dup(path), .root = str_dup(path)};
	if (!out->folder || !out->root || *path != '/' || !go_up(out->folder))
		return false;
	do {
		free(out->entry);
		out->entry = go_up(out->root) ? path_join(out->root, ".git") : NULL;
	} while (out->entry && lstat(out->entry, &s) != 0);
	if (!out->entry || owner_check_file(out->entry, &e))
		return false;
	if (!S_ISREG(s.st_mode))
		return true;
	out->other = read_elsewhere(out->root, out->entry);
	return out->other && owner_check_file(out->other, &e) == ASC_OK;
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
 * exit status; -1: git did not answer. */
static int ask(const struct repository *r, const char *const *words, const struct words *files,
	       struct buf *answer)
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
	const enum asc_status run = proc_run(argv, &sandbox, limit_ns, ANSWER, answer, &status, &e);

	free(argv);
	return run == ASC_OK && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Finds the filters: programs that a repository's configuration names, and that git would have a
 * file pass through to tell whether its content changed. False where one cannot be switched off:
 * git takes what stands behind the first `=` of an option for its value. */
static bool find_filters(struct repository *r, struct buf *answer)
{
	static const char *const listing[WORDS] = {"config",      "--includes",   "-z",
						   "--name-only", "--get-regexp", "^filter\\."};
	const int status = ask(r, listing, &(struct words){.n = 0}, answer);
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

	if (n < 40 || n >= sizeof out->id || strcmp(answer + n, "\n") != 0)
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

	return ask(r, known, files, answer) == 0 && answer->len == 0 &&
	       ask(r, fresh, files, answer) == 0 && answer->len == 0;
}

void source_commit_find(const char *path, const struct impl_searches *searches,
			struct source_commit *out)
{
	static const char *const commit[WORDS] = {"rev-parse", "HEAD"};
	struct repository r = {0};
	struct buf answer = {0};
	struct words files = {0};

	*out = (struct source_commit){.clean = false};
	if (!sandbox_is_required() && find_repository(path, &r) &&
	    ask(&r, commit, &files, &answer) == 0 && take_id(buf_str(&answer), out) &&
	    find_filters(&r, &answer)) {
		find_files(path, &r, searches, &files);
		out->clean = is_clean(&r, &files, &answer);
	}
	buf_fini(&answer);
	buf_fini(&files.text);
	buf_fini(&r.filters.text);
	free(r.folder);
	free(r.root);
	free(r.entry);
	free(r.other);
}
