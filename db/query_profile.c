#include "db/db.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/result/profile.h"

/* Takes a text that may be NULL. */
static enum asc_status take_copy(struct statement *s, char **out, struct asc_err *e)
{
	const char *text = statement_take_text(s);

	*out = text ? str_dup(text) : NULL;
	return text && !*out ? asc_err_nomem(e) : ASC_OK;
}

static void take_name(struct statement *s, char *out, size_t size)
{
	const char *text = statement_take_text(s);

	(void)snprintf(out, size, "%s", text ? text : "");
}

static double take_amount(struct statement *s)
{
	const double value = statement_take_real(s);

	return isfinite(value) ? value : 0;
}

/* Takes the columns of load_profile. A label of a later version is none of ours. */
static enum asc_status take_profile(struct statement *s, int64_t *id, struct profile *p,
				    struct asc_err *e)
{
	const char *label, *basis;

	*id = statement_take_int(s);
	statement_take_texts(s, (const char **const[]){&label, &basis, NULL});
	if (!label || !label_parse(label, &p->label))
		p->label = LABEL_UNKNOWN;
	if (basis)
		(void)label_basis_parse(basis, &p->basis);
	if (take_copy(s, &p->sentence, e))
		return e->status;
	p->left = take_amount(s);
	take_name(s, p->set, sizeof p->set);
	take_name(s, p->cache, sizeof p->cache);
	p->clock_mhz = take_amount(s);
	p->passes = statement_take_int(s);
	p->launches = statement_take_int(s);
	p->spent_ns = statement_take_int(s);
	return take_copy(s, &p->failure, e);
}

static enum asc_status read_readings(struct db *d, int64_t profile_id, struct profile *p,
				     struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_load_readings);
	statement_set_int(&s, ":profile_id", profile_id);
	while (statement_next(&s, &status, e)) {
		struct metric *list = realloc(p->readings, (p->n_readings + 1) * sizeof *list);

		if (!list) {
			status = asc_err_nomem(e);
			continue;
		}
		p->readings = list;
		struct metric *m = &list[p->n_readings++];

		*m = (struct metric){.call = 0};
		take_name(&s, m->probe, sizeof m->probe);
		take_name(&s, m->name, sizeof m->name);
		take_name(&s, m->unit, sizeof m->unit);
		m->call = (int)statement_take_int(&s);
		m->value = statement_take_real(&s);
		status = take_copy(&s, &m->reason, e);
	}
	return status;
}

enum asc_status db_find_profile(struct db *d, int64_t run_id, int64_t implementation_id,
				const char *config_key, struct profile *out, bool *found,
				struct asc_err *e)
{
	struct statement s;
	int64_t id = 0;

	*out = (struct profile){.label = LABEL_UNKNOWN};
	statement_begin(&s, d, sql_load_profile);
	statement_set_int(&s, ":run_id", run_id);
	statement_set_int(&s, ":implementation_id", implementation_id);
	statement_set_text(&s, ":config_key", config_key);
	enum asc_status status = statement_step(&s, found, e);

	if (status == ASC_OK && *found)
		status = take_profile(&s, &id, out, e);
	statement_end(&s);
	if (status == ASC_OK && *found)
		status = read_readings(d, id, out, e);
	if (status != ASC_OK)
		profile_fini(out);
	return status;
}

enum asc_status db_each_profile(struct db *d, int64_t run_id, db_profile_fn *visit, void *user,
				struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql_load_profiles_of);
	statement_set_int(&s, ":run_id", run_id);
	while (statement_next(&s, &status, e)) {
		const char *implementation = statement_take_text(&s);
		const char *config_key = statement_take_text(&s);
		struct profile p = {.label = LABEL_UNKNOWN};
		int64_t id;

		status = take_profile(&s, &id, &p, e);
		if (status == ASC_OK)
			status = read_readings(d, id, &p, e);
		if (status == ASC_OK)
			status = visit(user, implementation, config_key, &p, e);
		profile_fini(&p);
	}
	return status;
}
