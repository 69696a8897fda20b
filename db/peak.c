/* Peaks of devices: kept for each fingerprint, of memory and of each type. */
#include <stdlib.h>
#include <string.h>

#include "db/connection.h"
#include "db/db.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/result/peaks_file.h"
#include "tuner/result/roofline.h"

enum asc_status db_find_peaks(struct db *d, const char *fingerprint, enum dtype type,
			      struct peaks *out, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*out = (struct peaks){0};
	statement_begin(&s, d, sql_load_peaks);
	statement_set_text(&s, ":fingerprint", fingerprint);
	statement_set_text(&s, ":type", dtype_name(type));
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

	statement_begin(&s, d, sql_find_device);
	statement_set_text(&s, ":fingerprint", fingerprint);
	enum asc_status status = statement_run_int(&s, id, &found, e);

	if (status == ASC_OK && !found)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no device %s", d->path, fingerprint);
	return status;
}

/* Keeps the better of the row that is there and of `p`, as peaks_merge() does. */
static enum asc_status put_peak(struct db *d, int64_t device_id, const struct peak *p,
				struct asc_err *e)
{
	struct statement s;

	/* A peak that was not measured is 0 or NaN. */
	if (!(p->rate > 0))
		return ASC_OK;
	statement_begin(&s, d, sql_put_peak);
	statement_set_int(&s, ":device_id", device_id);
	statement_set_text(&s, ":unit", p->unit);
	statement_set_text(&s, ":type", p->type);
	statement_set_real(&s, ":rate", p->rate);
	statement_set_real(&s, ":low", p->low);
	statement_set_int(&s, ":moments", p->moments);
	statement_set_int(&s, ":now_ms", db_now_ms());
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

/* ---- at reading ---- */

enum asc_status db_use_peaks(struct db *d, const char *cache, struct asc_err *e)
{
	free(d->cache);
	d->cache = str_dup(cache);
	return d->cache ? ASC_OK : asc_err_nomem(e);
}

/* Reads a device's peaks in the cache, once for rows of one device that follow each other. What
 * cannot be used is said and left out. */
static enum asc_status find_cached(struct db *d, const char *fingerprint, struct asc_err *e)
{
	if (d->cached_of && strcmp(d->cached_of, fingerprint) == 0)
		return ASC_OK;
	free(d->cached_of);
	d->cached_of = str_dup(fingerprint);
	if (!d->cached_of)
		return asc_err_nomem(e);
	const enum asc_status status = peaks_file_read(d->cache, fingerprint, &d->cached, e);
	if (status == ASC_NOMEM)
		return status;
	/* The database has peaks of its own. */
	if (status)
		log_print(LOG_WARN, "%s: the peaks in it are left out", e->text);
	return ASC_OK;
}

enum asc_status db_find_roof(struct db *d, const char *fingerprint, const char *element,
			     struct roof *out, struct asc_err *e)
{
	struct peaks p;
	enum dtype type;

	*out = (struct roof){0};
	if (!fingerprint || !element || !dtype_parse(element, &type))
		return ASC_OK;
	if (db_find_peaks(d, fingerprint, type, &p, e) ||
	    (d->cache && find_cached(d, fingerprint, e)))
		return e->status;
	if (d->cache)
		peaks_merge(&p, &d->cached);
	*out = peaks_roof(&p, type);
	return ASC_OK;
}
