#include "tuner/cmd/gate/accept_track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/run_view.h"
#include "reports/track/track_history.h"
#include "reports/track/track_known.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static enum asc_status keep_folder(void *user, const struct db_run_record *r, struct asc_err *e)
{
	char **folder = user;

	if (*folder || !r->workload_file)
		return ASC_OK;
	*folder = path_folder(r->workload_file);
	return *folder ? ASC_OK : asc_err_nomem(e);
}

/* Finds the repository that the newest run of a series had its workload from; *found false: it is
 * not here. */
static enum asc_status find_repository(struct db *d, const struct track_series *s,
				       struct git_repository *out, bool *found, struct asc_err *e)
{
	char *folder = NULL, *real = NULL;
	enum asc_status status = db_each_run(d, &(struct db_run_choice){.run_id = s->newest_run},
					     keep_folder, &folder, e);

	*found = false;
	if (status == ASC_OK && folder) {
		real = path_absolute(folder, e);
		*found = real && git_repository_find(real, out, e) == ASC_OK;
		status = !*found && e->status == ASC_NOMEM ? ASC_NOMEM : ASC_OK;
	}
	free(real);
	free(folder);
	return status;
}

/* True for the digits of a commit alone: a night with changes has what no commit says, and other
 * text of a database is none for a command line. */
static bool is_commit(const char *text)
{
	return strlen(text) >= 12 && !text[strspn(text, "0123456789abcdef")];
}

/* Reads what the commits of the series' change accept: *before has the lines of the file that are
 * older. */
static enum asc_status read_change(struct db *d, const struct track_series *s, const char *from,
				   const char *to, struct acceptances *out,
				   struct acceptances *before, struct asc_err *e)
{
	char *range = str_print("%s..%s", from, to);
	const char *const which[] = {range, NULL};
	struct git_repository r = {0};
	bool found = false;
	enum asc_status status = range ? find_repository(d, s, &r, &found, e) : asc_err_nomem(e);

	if (status == ASC_OK && found)
		status = acceptances_read_commits(out, &r, which, e);
	if (status == ASC_OK && found)
		status = acceptances_read_tree(out, &r, to, e);
	if (status == ASC_OK && found)
		status = acceptances_read_tree(before, &r, from, e);
	git_repository_fini(&r);
	free(range);
	return status;
}

static struct kernel_names names_of(const void *list, size_t k)
{
	const struct track_series *x = (const struct track_series *)list + k;

	return (struct kernel_names){x->workload, x->problem, x->implementation};
}

static enum asc_status find_one(struct db *d, const struct track_history *h, size_t series,
				struct accepted_list *out, struct asc_err *e)
{
	const struct track_series *s = &h->list[series];
	struct acceptances all = {0}, before = {0};
	const char *from, *to, *reason;
	enum asc_status status = ASC_OK;

	if (s->verdict != TRACK_REGRESSION || !track_series_fails(s) ||
	    !track_known_find_commits(h, series, &from, &to) || !is_commit(from) || !is_commit(to))
		return ASC_OK;
	status = read_change(d, s, from, to, &all, &before, e);
	for (size_t i = 0; status == ASC_OK && i < all.n; i++) {
		const struct acceptance *a = &all.list[i];

		if (acceptances_has(&before, a->text) ||
		    !kernel_is_named_best(a->text, names_of, h->list, h->n, series, &reason) ||
		    !*reason)
			continue;
		if (!array_room(&out->list, out->n, &out->room, sizeof *out->list)) {
			status = asc_err_nomem(e);
			break;
		}
		struct accepted *x = &out->list[out->n++];

		*x = (struct accepted){.series = s->name, .reason = str_dup(reason)};
		memcpy(x->by, a->by, sizeof x->by);
		status = x->reason ? ASC_OK : asc_err_nomem(e);
		break;
	}
	acceptances_fini(&all);
	acceptances_fini(&before);
	return status;
}

enum asc_status accept_track_find(struct db *d, const struct track_history *h,
				  struct accepted_list *out, struct asc_err *e)
{
	for (size_t k = 0; k < h->n_all; k++)
		if (find_one(d, h, k, out, e))
			return e->status;
	return ASC_OK;
}

void accept_track_fini(struct accepted_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].reason);
	free(l->list);
	*l = (struct accepted_list){.list = NULL};
}
