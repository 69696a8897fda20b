/* Peaks of devices: kept for each fingerprint, of memory and of each type. */
#include "db/connection.h"
#include "db/db.h"
#include "db/statement.h"
#include "tuner/results/roofline.h"

enum asc_status db_find_peaks(struct db *d, const char *fingerprint, enum dtype type,
			      struct peaks *out, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct peaks){0};
	statement_begin(&s, d,
			"SELECT unit, type, rate, low, moments FROM peak"
			" JOIN device ON device.id = device_id"
			" WHERE fingerprint = ? AND type IN (?, '')");
	statement_bind_text(&s, fingerprint);
	statement_bind_text(&s, dtype_name(type));
	while (out->n < PEAKS_MAX && statement_next(&s, &status, e)) {
		const char *unit = statement_take_text(&s), *name = statement_take_text(&s);
		struct peak *row = peaks_row(out, unit, name);

		row->rate = statement_take_real(&s);
		row->low = statement_take_real(&s);
		row->moments = statement_take_int(&s);
	}
	statement_end(&s);
	return status;
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

static enum asc_status put_peak(struct db *d, int64_t device_id, const struct peak *p,
				struct asc_err *e)
{
	struct statement s;
	bool known = p->rate > 0;

	statement_begin(&s, d,
			known ? "INSERT OR REPLACE INTO peak(device_id, unit, type, rate, low,"
				" moments, measured_ms) VALUES(?, ?, ?, ?, ?, ?, ?)"
			      : "DELETE FROM peak WHERE device_id = ? AND unit = ? AND type = ?");
	statement_bind_int(&s, device_id);
	statement_bind_text(&s, p->unit);
	statement_bind_text(&s, p->type);
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
	for (size_t i = 0; i < p->n && status == ASC_OK; i++)
		status = put_peak(d, id, &p->rows[i], e);
	return transaction_end(d, status, e);
}
