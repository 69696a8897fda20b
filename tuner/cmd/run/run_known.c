#include "tuner/cmd/run/run_known.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/earlier.h"
#include "reports/tables/reader_imported.h"
#include "reports/track/track_history.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/target.h"
#include "tuner/workload/workload.h"

enum asc_status run_known_open(const struct run_options *o, struct run_known *k, struct asc_err *e)
{
	const struct track_choice all = {0};

	if (!o->known)
		return ASC_OK;
	enum asc_status status = db_open(o->known, DB_READ, &k->db, e);

	if (status == ASC_OK)
		status = track_history_read(k->db, &all, 1, &k->history, e);
	if (status == ASC_OK)
		status = track_history_follow(k->history, k->db, e);
	/* The search asks the database that results go to in any case, and on a full disk a reader
	 * has the file for itself: a writer would wait for it without end. */
	if (status == ASC_OK && file_is_same(o->known, command_db_path(o->db))) {
		db_close(k->db);
		k->db = NULL;
	}
	/* A file that is not there is a typing error. A database that is broken, or newer than this
	 * program, is a reason to search without it, not to measure nothing tonight. */
	if (status == ASC_OK || status == ASC_NOTFOUND || status == ASC_NOMEM)
		return status;
	log_print(LOG_WARN, "--known: begins without: %s", e->text);
	run_known_close(k);
	return ASC_OK;
}

void run_known_close(struct run_known *k)
{
	track_history_free(k->history);
	db_close(k->db);
	*k = (struct run_known){0};
}

static void begin(struct known_list *l)
{
	for (size_t i = 0; i < l->n_texts; i++)
		free(l->texts[i]);
	l->n = l->n_texts = 0;
}

void known_list_fini(struct known_list *l)
{
	begin(l);
	free(l->texts);
	free(l->list);
	*l = (struct known_list){0};
}

static enum asc_status add(struct known_list *l, const char *implementation, const char *config,
			   struct asc_err *e)
{
	if (!config)
		return ASC_OK;
	if (!array_room(&l->list, l->n, &l->room, sizeof *l->list))
		return asc_err_nomem(e);
	l->list[l->n++] = (struct loop_given){implementation, config};
	return ASC_OK;
}

/* Keeps a text until the next problem; NULL: out of memory. */
static const char *keep(struct known_list *l, const char *text)
{
	char *copy = str_dup(text);

	if (!copy || !array_room(&l->texts, l->n_texts, &l->texts_room, sizeof *l->texts)) {
		free(copy);
		return NULL;
	}
	return l->texts[l->n_texts++] = copy;
}

/* Keeps what a library takes for the problem, and adds it. */
static enum asc_status add_of_table(void *user, const struct implementation *i, const char *config,
				    struct asc_err *e)
{
	struct known_list *l = user;
	const char *copy = keep(l, config);

	return copy ? add(l, i->name, copy, e) : asc_err_nomem(e);
}

enum asc_status known_list_find(struct known_list *l, const struct run_known *k,
				const struct run_session *on, const struct run_options *o,
				const struct workload *w, const struct problem *p,
				struct asc_err *e)
{
	const struct track_kernel kernel = {.device_kind = on->target.ops->name,
					    .device_model = on->target.info.model,
					    .machine = on->target.info.machine,
					    .workload = w->name,
					    .problem = p->name,
					    .cache = cache_policy_name(on->session.policy.cache)};
	enum asc_status status = ASC_OK;

	begin(l);
	if (!o->no_history && !o->config)
		/* A database that is new, or that cannot be read, is the run's to make or report.
		 */
		status = reader_each_known(command_db_path(o->db), w, p, on->target.info.model,
					   add_of_table, l, e);
	for (size_t i = 0; status == ASC_OK && k->history && i < k->history->n; i++) {
		const struct track_series *s = &k->history->list[i];

		if (s->n == 0 || !track_kernel_has(&kernel, s))
			continue;
		const struct track_point *newest = &track_history_points(k->history, i)[s->n - 1];

		/* The best on record and last night's winner: they differ while the finals have not
		 * shown that the winner is faster. */
		status = add(l, s->implementation, newest->config, e);
		if (status == ASC_OK)
			status = add(l, s->implementation, newest->won, e);
	}
	return status;
}

/* A db_contender_fn. */
static enum asc_status add_contender(void *user, const char *implementation, const char *config_key,
				     struct asc_err *e)
{
	struct known_list *l = user;
	const char *name = keep(l, implementation), *config = name ? keep(l, config_key) : NULL;

	return config ? add(l, name, config, e) : asc_err_nomem(e);
}

enum asc_status known_list_contend(struct known_list *l, struct db *db,
				   const struct run_session *on, const struct workload *w,
				   const struct problem *p, struct asc_err *e)
{
	/* As many as finals of a search compare: each is built and measured again first. */
	enum { MOST = 24 };
	const struct db_contenders of = {.workload = w->name,
					 .problem = p->name,
					 .device_kind = on->target.ops->name,
					 .device_model = on->target.info.model,
					 .cache_policy =
						 cache_policy_name(on->session.policy.cache)};

	begin(l);
	return db_each_contender(db, &of, MOST, add_contender, l, e);
}
