#include "tuner/loop/source_commit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json.h"
#include "tuner/base/proc.h"
#include "tuner/base/sandbox.h"
#include "tuner/loop/impl_search.h"

enum { ANSWER = 4096, FOLDERS = 4, WORDS = 6 };

static const int64_t limit_ns = INT64_C(3000000000);

struct repository {
	char *folder; /* folder of the workload */
	char *root;   /* the first folder above with an entry `.git` */
	char *other;  /* a working tree's repository is elsewhere; NULL: it is not one */
};

/* Cuts a path to the folder above; false at its end. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Reads where a working tree's repository is: "gitdir: REPOSITORY/worktrees/NAME". */
static char *read_elsewhere(const char *dot_git)
{
	static const char begin[] = "gitdir: ";
	struct buf text = {0};
	struct asc_err e;
	char *path = NULL;

	if (file_read(dot_git, ANSWER, &text, &e) == ASC_OK &&
	    strncmp(buf_str(&text), begin, sizeof begin - 1) == 0)
		path = str_dup(buf_str(&text) + sizeof begin - 1);
	buf_fini(&text);
	if (!path)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	if (strstr(path, "/worktrees/"))
		*strstr(path, "/worktrees/") = '\0';
	return path;
}

/* Finds the repository; false: there is none. */
static bool find_repository(const char *path, struct repository *out)
{
	*out = (struct repository){.folder = str_dup(path), .root = str_dup(path)};
	if (!out->folder || !out->root || *path != '/' || !go_up(out->folder))
		return false;
	while (go_up(out->root)) {
		char *entry = path_join(out->root, ".git");
		struct stat s;
		const bool found = entry && lstat(entry, &s) == 0;

		if (found && S_ISREG(s.st_mode))
			out->other = read_elsewhere(entry);
		free(entry);
		if (found)
			return true;
	}
	return false;
}

/* Files that the workload reads, each path ended by NUL: relative to its folder, or absolute. */
struct files {
	struct buf paths;
	size_t n;
};

static void add_file(struct files *f, const char *path)
{
	buf_add(&f->paths, path, strlen(path) + 1);
	f->n++;
}

/* Adds the workload's file and the sources of its implementations; what is outside of the
 * repository is no change in it. */
static void find_files(const char *path, const struct repository *r,
		       const struct impl_searches *searches, struct files *f)
{
	const size_t root = strlen(r->root);

	add_file(f, strrchr(path, '/') + 1);
	for (size_t i = 0; i < searches->n; i++) {
		const char *sources = searches->list[i].sources;
		struct json_doc *doc = NULL;
		struct asc_err e;

		if (!sources || json_open_text("sources", sources, strlen(sources), &doc, &e))
			continue;
		for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
			if (*json_key(n) != '/' || strncmp(json_key(n), r->root, root) == 0)
				add_file(f, json_key(n));
		json_close(doc);
	}
}

/* Asks git, with nothing of the user's or the system's configuration, nor with the variables that
 * name another repository, as hooks of git have them; false: it did not answer. */
static bool ask(const struct repository *r, const char *const *words, const struct files *files,
		struct buf *answer)
{
	static const char *const git[] = {"env",
					  "-uGIT_DIR",
					  "-uGIT_WORK_TREE",
					  "-uGIT_INDEX_FILE",
					  "GIT_CONFIG_GLOBAL=/dev/null",
					  "GIT_CONFIG_NOSYSTEM=1",
					  "git",
					  "--no-optional-locks",
					  "--literal-pathspecs",
					  "-c",
					  "safe.directory=*",
					  "-c",
					  "core.fsmonitor=false",
					  "-C",
					  NULL};
	const char *const reads[FOLDERS] = {r->root, r->other};
	const struct sandbox sandbox = {.reads = reads, .named = reads, .limit_ns = limit_ns};
	const char **argv = calloc(sizeof git / sizeof *git + WORDS + files->n + 1, sizeof *argv);
	const char *path = buf_str(&files->paths);
	size_t n = 0;
	int status = -1;
	struct asc_err e;

	buf_clear(answer);
	if (!argv || files->paths.failed) {
		free(argv);
		return false;
	}
	for (; git[n]; n++)
		argv[n] = git[n];
	argv[n++] = r->folder;
	while (*words)
		argv[n++] = *words++;
	for (size_t i = 0; i < files->n; i++, path += strlen(path) + 1)
		argv[n++] = path;
	const enum asc_status run = proc_run(argv, &sandbox, limit_ns, ANSWER, answer, &status, &e);

	free(argv);
	return run == ASC_OK && WIFEXITED(status) && WEXITSTATUS(status) == 0;
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
 * commit: asctune's own database beside a workload does not. */
static bool is_clean(const struct repository *r, const struct files *files, struct buf *answer)
{
	static const char *const known[WORDS] = {"status", "--porcelain", "-uno", "--", "."};
	static const char *const fresh[WORDS] = {"ls-files", "--others", "--exclude-standard",
						 "--"};

	return ask(r, known, files, answer) && answer->len == 0 && ask(r, fresh, files, answer) &&
	       answer->len == 0;
}

void source_commit_find(const char *path, const struct impl_searches *searches,
			struct source_commit *out)
{
	static const char *const commit[WORDS] = {"rev-parse", "HEAD"};
	struct repository r;
	struct buf answer = {0};
	struct files files = {0};

	*out = (struct source_commit){.clean = false};
	if (find_repository(path, &r) && ask(&r, commit, &files, &answer) &&
	    take_id(buf_str(&answer), out)) {
		find_files(path, &r, searches, &files);
		out->clean = is_clean(&r, &files, &answer);
	}
	buf_fini(&answer);
	buf_fini(&files.paths);
	free(r.folder);
	free(r.root);
	free(r.other);
}
