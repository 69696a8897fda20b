#include "tuner/result/peaks_file.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/owner.h"
#include "tuner/result/roofline.h"

enum { MAX_BYTES = 65536 /* many times what PEAKS_MAX rows take: a larger file is none of ours */ };

/* Heap paths of a device's file. */
struct place {
	char *folder, *file, *lock;
};

static enum asc_status place_init(struct place *p, const char *cache, const char *fingerprint,
				  struct asc_err *e)
{
	char *name = str_print("%s.json", fingerprint);

	p->folder = path_join(cache, "peaks");
	p->file = p->folder && name ? path_join(p->folder, name) : NULL;
	p->lock = p->folder ? path_join(p->folder, "lock") : NULL;
	free(name);
	return p->file && p->lock ? ASC_OK : asc_err_nomem(e);
}

static void place_fini(struct place *p)
{
	free(p->folder);
	free(p->file);
	free(p->lock);
}

/* Letters and digits alone: no path of a foreign database leads elsewhere. */
static bool is_name(const char *fingerprint)
{
	return *fingerprint &&
	       !fingerprint[strspn(fingerprint, "0123456789abcdefghijklmnopqrstuvwxyz")];
}

/* ---- reading ---- */

struct kept_peak {
	const char *unit, *type;
	double rate, low;
	int64_t moments;
};

static enum asc_status take_row(const struct json_node *n, struct peaks *out, struct asc_err *e)
{
#define AT(member) offsetof(struct kept_peak, member)
	static const struct json_field fields[] = {
		{"unit", JSON_AS_STRING, true, AT(unit), NULL, NULL},
		{"type", JSON_AS_STRING, true, AT(type), NULL, NULL},
		{"rate", JSON_AS_REAL, true, AT(rate), NULL, NULL},
		{"low", JSON_AS_REAL, true, AT(low), NULL, NULL},
		{"moments", JSON_AS_INT, true, AT(moments), NULL, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"peak", fields};
	struct kept_peak m;

	if (json_read_object(n, &spec, &m, e))
		return e->status;
	if (!(m.rate > 0 && m.low > 0 && m.low <= m.rate && m.moments >= 0))
		return json_fail(n, e, "no peak: %g, %g at least, of %lld moments", m.rate, m.low,
				 (long long)m.moments);
	struct peak *row = peaks_row(out, m.unit, m.type);
	if (!row)
		return json_fail(n, e, "more than %d peaks", PEAKS_MAX);
	row->rate = m.rate;
	row->low = m.low;
	row->moments = m.moments;
	return ASC_OK;
}

static enum asc_status take_try(const struct json_node *n, struct peaks *out, struct asc_err *e)
{
	struct kept_try {
		const char *type;
		int64_t ms;
		bool calm;
	} m;
#define AT(member) offsetof(struct kept_try, member)
	static const struct json_field fields[] = {
		{"type", JSON_AS_STRING, true, AT(type), NULL, NULL},
		{"ms", JSON_AS_INT, true, AT(ms), NULL, NULL},
		{"calm", JSON_AS_BOOL, true, AT(calm), NULL, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"try", fields};
	enum dtype type;

	if (json_read_object(n, &spec, &m, e))
		return e->status;
	if (dtype_parse(m.type, &type) && m.ms > 0) /* another version may know more types */
		out->tries[type] = (struct peaks_try){m.ms, m.calm};
	return ASC_OK;
}

static enum asc_status take_rows(const char *path, const struct buf *text, struct peaks *out,
				 struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text(path, buf_str(text), text->len, &doc, e);
	const struct json_node *rows = status ? NULL : json_find(json_root(doc), "peaks");

	if (status == ASC_OK && !rows)
		status = asc_err_set(e, ASC_INPUT, "%s: no \"peaks\"", path);
	for (const struct json_node *n = rows ? json_first(rows) : NULL; n && status == ASC_OK;
	     n = json_next(n))
		status = take_row(n, out, e);
	const struct json_node *tries = status ? NULL : json_find(json_root(doc), "tries");

	for (const struct json_node *n = tries ? json_first(tries) : NULL; n && status == ASC_OK;
	     n = json_next(n))
		status = take_try(n, out, e);
	json_close(doc);
	return status;
}

static enum asc_status read_place(const struct place *p, struct peaks *out, struct asc_err *e)
{
	struct buf text = {0};

	if (owner_check_folder(p->folder, e) || owner_check_file(p->file, e))
		return e->status;
	if (!file_exists(p->file))
		return ASC_OK;
	enum asc_status status = file_read(p->file, MAX_BYTES, &text, e);
	if (status == ASC_OK)
		status = take_rows(p->file, &text, out, e);
	buf_fini(&text);
	if (status)
		*out = (struct peaks){0};
	return status;
}

enum asc_status peaks_file_read(const char *cache, const char *fingerprint, struct peaks *out,
				struct asc_err *e)
{
	struct place p = {0};

	*out = (struct peaks){0};
	if (!is_name(fingerprint))
		return ASC_OK;
	enum asc_status status = place_init(&p, cache, fingerprint, e);
	if (status == ASC_OK)
		status = read_place(&p, out, e);
	place_fini(&p);
	return status;
}

/* ---- writing ---- */

static enum asc_status write_place(const struct place *place, const struct peaks *p,
				   struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};

	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "peaks", '[');
	for (size_t i = 0; i < p->n; i++) {
		const struct peak *row = &p->rows[i];

		if (!(row->rate > 0 && row->low > 0))
			continue;
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "unit", row->unit);
		json_write_string(&w, "type", row->type);
		json_write_real(&w, "rate", row->rate);
		json_write_real(&w, "low", row->low);
		json_write_int(&w, "moments", row->moments);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_begin(&w, "tries", '[');
	for (size_t i = 0; i < DTYPE_COUNT; i++) {
		if (p->tries[i].ms == 0)
			continue;
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "type", dtype_name((enum dtype)i));
		json_write_int(&w, "ms", p->tries[i].ms);
		json_write_bool(&w, "calm", p->tries[i].calm);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(&text, '\n');
	enum asc_status status = buf_check(&text, e);
	if (status == ASC_OK)
		status = file_replace(place->file, buf_str(&text), text.len, e);
	buf_fini(&text);
	return status;
}

/* Merges under the lock of the folder; without one where the file system has none. */
static enum asc_status merge_place(const struct place *place, struct peaks *p, struct asc_err *e)
{
	struct peaks kept = {0};
	int lock;

	if (dir_make(place->folder, e) || owner_check_folder(place->folder, e))
		return e->status;
	lock = open(place->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (lock >= 0)
		(void)flock(lock, LOCK_EX);
	/* Peaks are measured again: a damaged file is no reason to fail. */
	if (read_place(place, &kept, e) && e->status != ASC_NOMEM)
		log_print(LOG_WARN, "%s; it is replaced", e->text);
	peaks_merge(p, &kept);
	enum asc_status status = write_place(place, p, e);
	if (lock >= 0)
		close(lock);
	return status;
}

enum asc_status peaks_file_put(const char *cache, const char *fingerprint, struct peaks *p,
			       struct asc_err *e)
{
	struct place place = {0};

	if (!is_name(fingerprint))
		return asc_err_set(e, ASC_INPUT, "no fingerprint: \"%s\"", fingerprint);
	enum asc_status status = place_init(&place, cache, fingerprint, e);
	if (status == ASC_OK)
		status = merge_place(&place, p, e);
	place_fini(&place);
	return status;
}
