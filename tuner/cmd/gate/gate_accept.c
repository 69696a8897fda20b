/* Slower kernels that the change accepts (acceptance.h). An acceptance holds for the change that
 * makes it: the message of the newest commit, and lines of the file that the base does not have. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/log.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/git/git_repository.h"

/* Finds the commit that a CI has merged with the base for this job, whose message is nobody's: the
 * second parent of HEAD then is the change. "": HEAD is no such merge. */
static enum asc_status find_merged(const struct base_checkout *c, char id[GIT_ID_SIZE],
				   struct asc_err *e)
{
	/* Of GitLab, where the base may be older than the branch that was merged into. */
	const char *gitlab = getenv("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA");
	char first[GIT_ID_SIZE];

	if (git_find_commit(&c->repository, "HEAD^2", id, e) ||
	    (*id && git_find_commit(&c->repository, "HEAD^1", first, e)))
		return e->status;
	if (*id && strcmp(first, c->base.id) != 0 && !(gitlab && strcmp(gitlab, id) == 0))
		*id = '\0';
	return ASC_OK;
}

enum { SAID = 9 }; /* acceptances of nothing that are said; the others are counted */

static void say_unused(const struct acceptance *a, const char *why, size_t *unused)
{
	if (++*unused <= SAID)
		log_print(LOG_WARN, "%s: \"%s\" accepts nothing: %s", a->by, a->text, why);
}

/* Reads the message of the newest commit, which says nothing of files that are not committed. */
static enum asc_status read_message(struct gate *g, size_t *unused, struct asc_err *e)
{
	const struct base_checkout *c = g->checkout;
	struct acceptances *all = &g->acceptances;
	char merged[GIT_ID_SIZE];
	const char *which[] = {"--no-walk", c->base.head, NULL, NULL};

	if (strcmp(c->base.head, c->base.id) == 0)
		return ASC_OK;
	if (find_merged(c, merged, e))
		return e->status;
	which[2] = *merged ? merged : NULL;
	const enum asc_status status = acceptances_read_commits(all, &c->repository, which, e);

	for (size_t i = 0; c->changes.n > 0 && i < all->n; i++)
		say_unused(&all->list[i], "files are not committed", unused);
	if (c->changes.n > 0)
		acceptances_fini(all);
	return status;
}

/* Reads the lines of the file; *before: those that the base has, too. */
static enum asc_status read_file(struct gate *g, struct acceptances *before, struct asc_err *e)
{
	const struct base_checkout *c = g->checkout;
	struct acceptances *all = &g->acceptances;
	const size_t first = all->n;
	size_t kept = first;

	if (acceptances_read_working(all, &c->repository, e) ||
	    (all->n > first && acceptances_read_tree(before, &c->repository, c->base.id, e)))
		return e->status;
	for (size_t i = first; i < all->n; i++)
		if (acceptances_has(before, all->list[i].text))
			free(all->list[i].text);
		else
			all->list[kept++] = all->list[i];
	all->n = kept;
	return ASC_OK;
}

static struct kernel_names names_of(const void *list, size_t k)
{
	const struct gate_kernel *x = (const struct gate_kernel *)list + k;

	return (struct kernel_names){x->workload, x->problem, x->implementation};
}

/* True for a slower kernel that a line names. *rest: what the line says behind the name. */
static bool names_slower(const struct gate *g, size_t k, const char *line, const char **rest)
{
	return kernel_is_named_best(line, names_of, g->list, g->n, k, rest) &&
	       g->list[k].verdict == GATE_SLOWER;
}

static void apply(struct gate *g, const struct acceptance *a, size_t *unused)
{
	const char *reason = NULL, *why = "no slower kernel has that name";
	bool used = false;

	for (size_t i = 0; i < g->n; i++) {
		struct gate_kernel *k = &g->list[i];

		if (!names_slower(g, i, a->text, &reason))
			continue;
		used = *reason;
		why = "the reason is missing behind the name";
		if (used && !k->accepted) {
			k->accepted = a;
			k->accepted_reason = reason;
		}
	}
	if (!used)
		say_unused(a, why, unused);
}

/* Says of a line that was in the base why it does not accept a kernel now. */
static void say_earlier(const struct gate *g, const struct acceptance *a, size_t *unused)
{
	const char *rest;

	for (size_t i = 0; i < g->n; i++)
		if (!g->list[i].accepted && names_slower(g, i, a->text, &rest)) {
			say_unused(a, "the base has that line, too: it is of an earlier change",
				   unused);
			return;
		}
}

enum asc_status gate_accept(struct gate *g, struct asc_err *e)
{
	struct acceptances before = {0};
	size_t unused = 0;
	enum asc_status status = read_message(g, &unused, e);

	if (status == ASC_OK)
		status = read_file(g, &before, e);
	for (size_t i = 0; status == ASC_OK && i < g->acceptances.n; i++)
		apply(g, &g->acceptances.list[i], &unused);
	for (size_t i = 0; status == ASC_OK && i < before.n; i++)
		say_earlier(g, &before.list[i], &unused);
	if (unused > SAID)
		log_print(LOG_WARN, "%zu more accept nothing", unused - SAID);
	acceptances_fini(&before);
	return status;
}
