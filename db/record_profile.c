#include "db/db.h"

#include <math.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/result/profile.h"

/* Appends a text as valid UTF-8: what a driver or a kernel says may be anything. */
static void add_text(struct buf *out, const char *text)
{
	static const struct escape none[] = {{0, NULL}};

	buf_clear(out);
	if (text)
		(void)escape_add(out, text, DB_MAX_LOG, none);
}

static enum asc_status add_reading(struct db *d, int64_t profile_id, const struct metric *m,
				   struct buf *text, struct asc_err *e)
{
	struct statement s;
	int64_t name_id = 0;

	if (db_put_metric_name(d, m, &name_id, e))
		return e->status;
	add_text(text, m->reason);
	statement_begin(&s, d, sql_add_reading);
	statement_set_int(&s, ":profile_id", profile_id);
	statement_set_int(&s, ":call", m->call);
	statement_set_int(&s, ":name_id", name_id);
	statement_set_real(&s, ":value", m->reason ? NAN : m->value);
	statement_set_text(&s, ":reason", m->reason ? buf_str(text) : NULL);
	return statement_run(&s, e);
}

enum asc_status db_put_profile(struct db *d, int64_t run_id, const struct db_implementation *i,
			       const char *config_key, const struct profile *p, struct asc_err *e)
{
	int64_t implementation_id = 0, id = 0;
	struct buf sentence = {0}, text = {0};
	struct statement s;
	bool found;

	if (transaction_begin(d, e))
		return e->status;
	enum asc_status status = db_put_implementation(d, i, &implementation_id, e);

	add_text(&sentence, p->sentence);
	add_text(&text, p->failure);
	if (!status)
		status = buf_check(&sentence, e) || buf_check(&text, e) ? e->status : ASC_OK;
	if (!status) {
		statement_begin(&s, d, sql_put_profile);
		statement_set_int(&s, ":run_id", run_id);
		statement_set_int(&s, ":implementation_id", implementation_id);
		statement_set_text(&s, ":config_key", config_key);
		statement_set_text(&s, ":label", label_name(p->label));
		statement_set_text(&s, ":basis", label_basis_name(p->basis));
		statement_set_text(&s, ":sentence", p->sentence ? buf_str(&sentence) : NULL);
		statement_set_real(&s, ":left_ratio", p->left > 0 ? p->left : NAN);
		statement_set_text(&s, ":metric_set", *p->set ? p->set : NULL);
		statement_set_text(&s, ":caches", *p->cache ? p->cache : NULL);
		statement_set_real(&s, ":clock_mhz", p->clock_mhz > 0 ? p->clock_mhz : NAN);
		statement_set_int(&s, ":passes", p->passes);
		statement_set_int(&s, ":launches", p->launches);
		statement_set_int(&s, ":spent_ns", p->spent_ns);
		statement_set_text(&s, ":failure", p->failure ? buf_str(&text) : NULL);
		status = statement_run_int(&s, &id, &found, e);
	}
	if (!status) {
		statement_begin(&s, d, sql_remove_readings);
		statement_set_int(&s, ":profile_id", id);
		status = statement_run(&s, e);
	}
	for (size_t k = 0; !status && k < p->n_readings; k++)
		status = add_reading(d, id, &p->readings[k], &text, e);
	buf_fini(&sentence);
	buf_fini(&text);
	return transaction_end(d, status, e);
}
