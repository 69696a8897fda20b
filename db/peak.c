/* What devices reach at best: kept for each fingerprint, of memory and of each type. */
#include "db/connection.h"
#include "db/db.h"
#include "db/statement.h"
#include "tuner/model/roofline.h"

/* Memory has no type. */
static const char *const units[] = {"FLOP/s", "B/s"};

static enum asc_status find_peak(struct db *d, const char *fingerprint, const char *unit,
				 const char *type, struct peak *out, struct asc_err *e)
{
	struct statement s;
	bool found = false;

	*out = (struct peak){0};
	statement_begin(&s, d,
			"SELECT rate, low, moments FROM peak JOIN device ON device.id = device_id"
			" WHERE fingerprint = ? AND unit = ? AND type = ?");
	statement_bind_text(&s, fingerprint);
	statement_bind_text(&s, unit);
	statement_bind_text(&s, type);
	enum asc_status status = statement_step(&s, &found, e);

	if (status == ASC_OK && found) {
		out->rate = statement_take_real(&s);
		out->low = statement_take_real(&s);
		out->moments = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_find_peaks(struct db *d, const char *fingerprint, enum dtype type,
			      struct peaks *out, bool *found, struct asc_err *e)
{
	*out = (struct peaks){.type = type};
	if (find_peak(d, fingerprint, units[0], dtype_name(type), &out->arithmetic, e) ||
	    find_peak(d, fingerprint, units[1], "", &out->memory, e))
		return e->status;
	*found = out->arithmetic.rate > 0 || out->memory.rate > 0;
	return ASC_OK;
}

static enum asc_status find_device(struct db *d, const char *fingerprint, int64_t *id,
				   struct asc_err *e)
{
	struct statement s;
	bool found = false;

	statement_begin(&s, d, "SELECT id FROM device WHERE fingerprint = ?");
	statement_bind_text(&s, fingerprint);
	enum asc_status status = statement_run_int(&s, id, &found, e);

	if (status == ASC_OK && !found)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no device %s", d->path, fingerprint);
	return status;
}

static enum asc_status put_peak(struct db *d, int64_t device_id, const char *unit, const char *type,
				const struct peak *p, struct asc_err *e)
{
	struct statement s;
	bool known = p->rate > 0;

	statement_begin(&s, d,
			known ? "INSERT OR REPLACE INTO peak(device_id, unit, type, rate, low,"
				" moments, measured_ms) VALUES(?, ?, ?, ?, ?, ?, ?)"
			      : "DELETE FROM peak WHERE device_id = ? AND unit = ? AND type = ?");
	statement_bind_int(&s, device_id);
	statement_bind_text(&s, unit);
	statement_bind_text(&s, type);
	if (known) {
		statement_bind_real(&s, p->rate);
		statement_bind_real(&s, p->low);
		statement_bind_int(&s, p->moments);
		statement_bind_int(&s, db_now_ms());
	}
	return statement_run(&s, e);
}

enum asc_status db_put_peaks(struct db *d, const char *fingerprint, const struct peaks *p,
			     struct asc_err *e)
{
	int64_t id = 0;

	if (transaction_begin(d, e))
		return e->status;
	enum asc_status status = find_device(d, fingerprint, &id, e);
	if (status == ASC_OK)
		status = put_peak(d, id, units[0], dtype_name(p->type), &p->arithmetic, e);
	if (status == ASC_OK)
		status = put_peak(d, id, units[1], "", &p->memory, e);
	return transaction_end(d, status, e);
}
