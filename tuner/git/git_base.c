#include "tuner/git/git_base.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/shell.h"

enum { CHANGES = 1 << 20 /* bytes of a list of changed files; behind them they are not counted */ };

static const char origin[] = "refs/remotes/origin/";

/* Asks for one line; "" where git says that there is none. */
static enum asc_status ask_line(const struct git_repository *r, const char *const *words,
				struct buf *line, struct asc_err *e)
{
	const struct git_question q = {.words = words, .most = GIT_ANSWER};
	const int status = git_ask(r, &q, line);

	if (git_check_answer(status, line, e))
		return e->status;
	if (status != 0)
		buf_clear(line);
	else if (line->len > 0)
		line->data[strcspn(line->data, "\n")] = '\0';
	return ASC_OK;
}

static enum asc_status is_shallow(const struct git_repository *r, bool *out, struct asc_err *e)
{
	static const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
	struct buf line = {0};
	const enum asc_status status = ask_line(r, words, &line, e);

	*out = strcmp(buf_str(&line), "true") == 0;
	buf_fini(&line);
	return status;
}

/* ---- what this clone lacks ---- */

static bool is_id(const char *name)
{
	const size_t n = strlen(name);

	return (n == 40 || n == GIT_ID_SIZE - 1) && !name[strspn(name, "0123456789abcdef")];
}

/* Fails with the command that brings a branch of `origin`, a commit by its id, or what a shallow
 * clone left out; another name is nothing that a command could bring. */
static enum asc_status fail_lacking(const struct git_repository *r, const char *name,
				    const char *by, bool branch, struct asc_err *e)
{
	struct buf command = {0};
	char *spec = branch ? str_print("+refs/heads/%s:%s%s", name, origin, name) : str_dup(name);
	bool shallow = false;
	enum asc_status status = spec ? is_shallow(r, &shallow, e) : asc_err_nomem(e);

	if (status == ASC_OK) {
		const bool all = shallow && !is_id(name);

		/* Where HEAD left a branch is known by the commits between; an id needs none. */
		buf_print(&command, "git fetch --no-tags%s",
			  all       ? " --unshallow"
			  : shallow ? " --depth=1"
				    : "");
		shell_add_argument(&command, "origin");
		if (branch || is_id(name))
			shell_add_argument(&command, spec);
		status = buf_check(&command, e);
	}
	if (status == ASC_OK && (shallow || branch || is_id(name)))
		status = asc_err_set(e, ASC_NOTFOUND,
				     "this %sclone lacks the base, %s%s (%s): `%s` brings it",
				     shallow ? "shallow " : "", branch ? "origin/" : "", name, by,
				     buf_str(&command));
	else if (status == ASC_OK)
		status = asc_err_set(e, ASC_NOTFOUND, "git has no commit %s (%s)", name, by);
	buf_fini(&command);
	free(spec);
	return status;
}

/* ---- who names it ---- */

/* Sets the base to where HEAD left a commit, which is that commit itself where it is an ancestor,
 * or where the two have nothing in common. */
static enum asc_status leave(const struct git_repository *r, const char *id, struct git_base *out,
			     struct asc_err *e)
{
	const char *const words[] = {"merge-base", out->head, id, NULL};
	struct buf line = {0};
	bool shallow = false;
	enum asc_status status = ask_line(r, words, &line, e);

	if (status == ASC_OK && line.len == 0)
		status = is_shallow(r, &shallow, e);
	if (status == ASC_OK && shallow)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "this shallow clone does not have the commit where HEAD left "
				     "%s (%s): `git fetch --no-tags --unshallow origin` brings it",
				     out->name, out->by);
	if (status == ASC_OK && line.len > 0) {
		out->merged = strcmp(buf_str(&line), id) != 0;
		out->ancestor = true;
		id = buf_str(&line);
	}
	if (status == ASC_OK && strlen(id) < sizeof out->id)
		memcpy(out->id, id, strlen(id) + 1);
	buf_fini(&line);
	return status;
}

static enum asc_status keep_name(struct git_base *out, char *name, const char *by,
				 struct asc_err *e)
{
	free(out->name);
	out->name = name;
	out->by = by;
	return name ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status find_branch(const struct git_repository *r, const char *branch,
				   const char *by, struct git_base *out, struct asc_err *e)
{
	char *full = str_print("%s%s", origin, branch), id[GIT_ID_SIZE] = "";
	enum asc_status status = full ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK)
		status = keep_name(out, str_print("origin/%s", branch), by, e);
	if (status == ASC_OK)
		status = git_find_commit(r, full, id, e);
	if (status == ASC_OK)
		status = *id ? leave(r, id, out, e) : fail_lacking(r, branch, by, true, e);
	free(full);
	return status;
}

/* Sets the base to a commit itself, which need not be one that HEAD comes from. */
static enum asc_status find_named(const struct git_repository *r, const char *name, const char *by,
				  struct git_base *out, struct asc_err *e)
{
	char id[GIT_ID_SIZE] = "", *full = NULL;
	enum asc_status status = keep_name(out, str_dup(name), by, e);

	if (status == ASC_OK)
		status = git_find_commit(r, name, id, e);
	/* A CI's clone has no branches of its own. */
	if (status == ASC_OK && !*id) {
		full = str_print("%s%s", origin, name);
		status = full ? git_find_commit(r, full, id, e) : asc_err_nomem(e);
		if (status == ASC_OK && *id)
			status = keep_name(out, str_print("origin/%s", name), by, e);
	}
	if (status == ASC_OK && !*id)
		status = fail_lacking(r, name, by, false, e);
	if (status == ASC_OK) {
		const char *const words[] = {"merge-base", "--is-ancestor", id, out->head, NULL};
		const struct git_question q = {.words = words, .most = GIT_ANSWER};
		struct buf none = {0};
		const int asked = git_ask(r, &q, &none);

		status = git_check_answer(asked, &none, e);
		out->ancestor = asked == 0;
		memcpy(out->id, id, sizeof id);
		buf_fini(&none);
	}
	free(full);
	return status;
}

/* The upstream branch, or HEAD where there is none: of a detached HEAD, and of a branch of nobody
 * else's. */
static enum asc_status find_upstream(const struct git_repository *r, struct git_base *out,
				     struct asc_err *e)
{
	static const char *const words[] = {"rev-parse", "--abbrev-ref", "@{upstream}", NULL};
	struct buf line = {0};
	char id[GIT_ID_SIZE] = "";
	enum asc_status status = git_find_commit(r, "@{upstream}", id, e);

	if (status == ASC_OK && !*id)
		status = find_named(r, "HEAD", "no other is named", out, e);
	else if (status == ASC_OK)
		status = ask_line(r, words, &line, e);
	if (status == ASC_OK && *id)
		status = keep_name(out, str_dup(buf_str(&line)), "its upstream", e);
	if (status == ASC_OK && *id)
		status = leave(r, id, out, e);
	buf_fini(&line);
	return status;
}

/* Value of a variable; NULL where it is empty, as CIs leave those that mean nothing to a job. */
static const char *read_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

enum asc_status git_base_find(const struct git_repository *r, const char *wanted,
			      struct git_base *out, struct asc_err *e)
{
	const char *github = read_variable("GITHUB_BASE_REF"),
		   *gitlab_id = read_variable("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
		   *gitlab = read_variable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");

	*out = (struct git_base){.by = ""};
	if (git_find_commit(r, "HEAD", out->head, e))
		return e->status;
	if (!*out->head)
		return asc_err_set(e, ASC_NOTFOUND,
				   "%s has no commit yet: there is nothing to compare with",
				   r->root);
	if (wanted)
		return find_named(r, wanted, "--base", out, e);
	if (github)
		return find_branch(r, github, "$GITHUB_BASE_REF", out, e);
	if (gitlab_id)
		return find_named(r, gitlab_id, "$CI_MERGE_REQUEST_DIFF_BASE_SHA", out, e);
	if (gitlab)
		return find_branch(r, gitlab, "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME", out, e);
	return find_upstream(r, out, e);
}

void git_base_fini(struct git_base *b)
{
	free(b->name);
	*b = (struct git_base){.by = ""};
}

/* ---- what is not committed ---- */

/* Path of a line of `status --porcelain=v2`, behind so many blanks; "" where it has fewer. */
static const char *skip_fields(const char *line, int blanks)
{
	while (*line && blanks > 0)
		blanks -= *line++ == ' ';
	return line;
}

enum asc_status git_changes_find(struct git_repository *r, git_counts_fn *counts, void *user,
				 struct git_changes *out, struct asc_err *e)
{
	/* A submodule has a configuration of its own: its commit alone is looked at. */
	static const char *const words[] = {"status",
					    "--porcelain=v2",
					    "-z",
					    "-uno",
					    "--ignore-submodules=dirty",
					    "--no-renames",
					    NULL};
	const struct git_question q = {.words = words, .most = CHANGES};
	struct buf list = {0};
	enum asc_status status = ASC_OK;

	*out = (struct git_changes){.n = 0};
	if (git_repository_drop_filters(r, e))
		return e->status;
	struct git_repository at_root = *r;

	at_root.folder = r->root;
	const int asked = git_ask(&at_root, &q, &list);

	status = git_check_answer(asked, &list, e);
	if (status == ASC_OK && asked != 0)
		status = asc_err_set(e, ASC_CHILD, "git does not say what is not committed");
	for (const char *line = buf_str(&list); status == ASC_OK && *line;
	     line += strlen(line) + 1) {
		const bool unmerged = *line == 'u';

		/* Fields before the path: git-status(1), "Porcelain Format Version 2". */
		const char *path = skip_fields(line, unmerged ? 10 : 8);

		if ((*line != '1' && !unmerged) || !counts(user, path))
			continue;
		if (out->n == 0 || (unmerged && out->unmerged == 0)) {
			const size_t n = strlen(path);

			*out->first = '\0';
			strncat(out->first, path, n < sizeof out->first ? n : 0);
		}
		out->n++;
		out->unmerged += unmerged;
	}
	buf_fini(&list);
	return status;
}
