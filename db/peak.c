/* What devices reach at best: measured once for each fingerprint and kept. */
#include "db/connection.h"
#include "db/db.h"
#include "db/statement.h"
#include "tuner/model/roofline.h"

enum asc_status db_find_peaks(struct db *d, const char *fingerprint, struct peaks *out, bool *found,
			      struct asc_err *e)
{
	struct statement s;

	*out = (struct peaks){0};
	statement_begin(&s, d,
			"SELECT flops, bandwidth, matrix_flops FROM peak"
			" JOIN device ON device.id = device_id WHERE fingerprint = ?");
	statement_bind_text(&s, fingerprint);
	enum asc_status status = statement_step(&s, found, e);

	if (status == ASC_OK && *found) {
		out->flops = statement_take_real(&s);
		out->bandwidth = statement_take_real(&s);
		out->matrix_flops = statement_take_real(&s);
	}
	statement_end(&s);
	return status;
}

enum asc_status db_put_peaks(struct db *d, const char *fingerprint, const struct peaks *p,
			     struct asc_err *e)
{
	struct statement s;
	int64_t id = 0;
	bool found = false;

	statement_begin(&s, d,
			"INSERT OR REPLACE INTO peak(device_id, flops, bandwidth, matrix_flops,"
			" measured_ms) SELECT id, ?, ?, ?, ? FROM device WHERE fingerprint = ?"
			" RETURNING device_id");
	statement_bind_real(&s, p->flops);
	statement_bind_real(&s, p->bandwidth);
	statement_bind_real(&s, p->matrix_flops);
	statement_bind_int(&s, db_now_ms());
	statement_bind_text(&s, fingerprint);
	enum asc_status status = statement_run_int(&s, &id, &found, e);

	if (status == ASC_OK && !found)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no device %s", d->path, fingerprint);
	return status;
}
