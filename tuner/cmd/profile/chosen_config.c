#include "tuner/cmd/profile/chosen_config.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/target.h"
#include "tuner/workload/workload.h"

void chosen_config_fini(struct chosen_config *c)
{
	free(c->implementation);
	free(c->config);
	*c = (struct chosen_config){0};
}

enum asc_status chosen_problem_find(const struct target *t, const struct workload *w,
				    const struct problem_choice *choice, const char *verb,
				    const struct problem **out, struct asc_err *e)
{
	struct buf names = {0};
	size_t n = 0;

	for (size_t i = 0; i < w->n_problems; i++)
		if (target_wants(t, &w->problems[i], choice)) {
			*out = &w->problems[i];
			buf_print(&names, "%s%s", n++ ? ", " : "", w->problems[i].name);
		}
	if (n != 1)
		asc_err_set(e, ASC_USAGE, "%s needs one problem, --problem NAME of %s", verb,
			    buf_str(&names));
	buf_fini(&names);
	return n == 1 ? ASC_OK : e->status;
}

struct finding {
	const struct config_question *q;
	struct chosen_config *out;
};

/* True for results of the device of the question. */
static bool is_of_device(const struct config_question *q, const struct best_row *row)
{
	const struct device_info *info = &q->target->info;

	return *info->fingerprint ? strcmp(row->device_fingerprint, info->fingerprint) == 0
				  : row->device_arch && strcmp(row->device_arch, info->arch) == 0;
}

static enum asc_status take_best(void *user, const struct best_row *row, struct asc_err *e)
{
	const struct finding *f = user;
	const struct config_question *q = f->q;

	if (f->out->config || strcmp(row->problem, q->problem->name) != 0 ||
	    !is_of_device(q, row) || (q->cache && strcmp(row->cache_policy, q->cache) != 0) ||
	    (q->implementation && strcmp(row->implementation, q->implementation) != 0))
		return ASC_OK;
	f->out->implementation = str_dup(row->implementation);
	f->out->config = str_dup(row->config_key);
	f->out->vs_default = row->vs_default;
	return f->out->implementation && f->out->config ? ASC_OK : asc_err_nomem(e);
}

enum asc_status chosen_config_find_best(const struct config_question *q, struct chosen_config *out,
					struct asc_err *e)
{
	struct finding f = {q, out};
	const bool own = q->implementation != NULL;
	struct db *db = NULL;
	enum asc_status s = ASC_OK;

	if (file_exists(q->db)) {
		s = command_open_results(q->db, &db, e);
		if (s == ASC_OK)
			s = (own ? best_each_of_implementations : best_each)(db, q->workload->name,
									     take_best, &f, e);
		db_close(db);
	}
	if (s || out->config)
		return s;
	return asc_err_set(
		e, ASC_INPUT,
		"%s/%s: nothing is on record for this device%s%s; --config default or K=V,... "
		"names a configuration, `asctune run` finds the best",
		q->workload->name, q->problem->name, own ? " and implementation " : "",
		own ? q->implementation : "");
}

static enum asc_status take_trial(void *user, const struct db_record *row, struct asc_err *e)
{
	const struct finding *f = user;

	if (strcmp(row->workload, f->q->workload->name) != 0)
		return asc_err_set(e, ASC_INPUT, "trial %lld is of workload %s, not of %s",
				   (long long)row->trial_id, row->workload, f->q->workload->name);
	f->out->implementation = str_dup(row->implementation);
	f->out->config = str_dup(row->config_key);
	return f->out->implementation && f->out->config ? ASC_OK : asc_err_nomem(e);
}

enum asc_status chosen_config_parse(const struct config_question *q, const char *text,
				    const char *implementation, struct chosen_config *out,
				    struct asc_err *e)
{
	struct finding f = {q, out};
	uint64_t number;

	if (units_parse_count(text, &number) && number <= INT64_MAX) {
		struct db *db = NULL;
		enum asc_status s = command_open_results(q->db, &db, e);

		if (s == ASC_OK)
			s = db_find_record(db, (int64_t)number, take_trial, &f, e);
		db_close(db);
		return s;
	}
	if (implementation && !(out->implementation = str_dup(implementation)))
		return asc_err_nomem(e);
	if (strcmp(text, "default") == 0)
		return ASC_OK;
	out->config = str_dup(text);
	return out->config ? ASC_OK : asc_err_nomem(e);
}
