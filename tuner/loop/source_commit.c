#include "tuner/loop/source_commit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/proc.h"
#include "tuner/base/sandbox.h"

enum { ANSWER = 4096, FOLDERS = 4 };

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

/* Asks git, with nothing of the user's or the system's configuration, nor with the variables that
 * name another repository, as hooks of git have them; false: it did not answer. */
static bool ask(const struct repository *r, const char *const *words, struct buf *answer)
{
	const char *const reads[FOLDERS] = {r->root, r->other};
	const struct sandbox sandbox = {.reads = reads, .named = reads, .limit_ns = limit_ns};
	const char *argv[24] = {"env",
				"-uGIT_DIR",
				"-uGIT_WORK_TREE",
				"-uGIT_INDEX_FILE",
				"GIT_CONFIG_GLOBAL=/dev/null",
				"GIT_CONFIG_NOSYSTEM=1",
				"git",
				"--no-optional-locks",
				"-c",
				"safe.directory=*",
				"-c",
				"core.fsmonitor=false",
				"-C",
				r->folder};
	size_t n = 0;
	int status = 0;
	struct asc_err e;

	while (argv[n])
		n++;
	while (*words)
		argv[n++] = *words++;
	buf_clear(answer);
	return proc_run(argv, &sandbox, limit_ns, ANSWER, answer, &status, &e) == ASC_OK &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 0;
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

void source_commit_find(const char *path, struct source_commit *out)
{
	static const char *const commit[] = {"rev-parse", "HEAD", NULL};
	static const char *const state[] = {"status", "--porcelain", "--", ".", NULL};
	struct repository r;
	struct buf answer = {0};

	*out = (struct source_commit){.clean = false};
	if (find_repository(path, &r) && ask(&r, commit, &answer) && take_id(buf_str(&answer), out))
		out->clean = ask(&r, state, &answer) && answer.len == 0;
	buf_fini(&answer);
	free(r.folder);
	free(r.root);
	free(r.other);
}
