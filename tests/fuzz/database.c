/* A database of any schema, with bytes of its pages changed: whoever reads, records into or merges
 * it gets rows or a message, and what a sound database takes of it leaves that sound.
 *
 * The first byte of an input chooses a golden database; then each change is a place (3 bytes, the
 * lowest first) and what its byte is combined with. Files are in a folder of the process, which
 * vanishes with it.
 * covers: db.c merge.c best.c query_watch.c */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "db/history.h"
#include "db/merge.h"
#include "db/overview.h"
#include "db/run_view.h"
#include "db/watch.h"
#include "reports/page/page.h"
#include "reports/results/best.h"
#include "reports/results/today.h"
#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { MOST_SCHEMAS = 99, CHANGE_BYTES = 4 };

static struct image { /* of a golden database, all its pages */
	unsigned char *bytes;
	size_t n;
} images[MOST_SCHEMAS];
static size_t n_images;

static char folder[4096], damaged[4200], sound[4200];
static struct asc_err e;

static void leave(void)
{
	dir_remove(folder);
	for (size_t i = 0; i < n_images; i++)
		sqlite3_free(images[i].bytes);
}

/* False: there is no golden database of that schema. */
static bool make_image(size_t i)
{
	char path[sizeof TEST_DATA + 40];
	struct buf text = {0};
	sqlite3 *db = NULL;
	sqlite3_int64 n = 0;

	(void)snprintf(path, sizeof path, TEST_DATA "/data/golden/schema-%02zu.sql", i + 1);
	if (file_read(path, 0, &text, &e) == ASC_NOTFOUND)
		return false;
	if (sqlite3_open(":memory:", &db) ||
	    sqlite3_exec(db, "PRAGMA page_size=1024", NULL, NULL, NULL) ||
	    sqlite3_exec(db, buf_str(&text), NULL, NULL, NULL))
		abort();
	images[i].bytes = sqlite3_serialize(db, "main", &n, 0);
	images[i].n = (size_t)n;
	sqlite3_close(db);
	buf_fini(&text);
	if (!images[i].bytes)
		abort();
	return true;
}

static void enter_once(void)
{
	const char *parent = getenv("TMPDIR");

	if (*folder)
		return;
	(void)snprintf(folder, sizeof folder, "%s/fuzz-database.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder) || atexit(leave) != 0)
		abort();
	(void)snprintf(damaged, sizeof damaged, "%s/damaged.db", folder);
	(void)snprintf(sound, sizeof sound, "%s/sound.db", folder);
	while (n_images < MOST_SCHEMAS && make_image(n_images))
		n_images++;
	if (n_images == 0)
		abort();
}

static void remove_file(const char *path)
{
	static const char *const parts[] = {"", "-wal", "-shm", "-journal"};
	char name[sizeof damaged + 16];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		(void)snprintf(name, sizeof name, "%s%s", path, parts[i]);
		(void)unlink(name);
	}
}

static void put_file(const char *path, const struct image *image)
{
	remove_file(path);
	if (file_write(path, image->bytes, image->n, &e))
		abort();
}

static void put_damaged(const uint8_t *data, size_t size)
{
	const struct image *from = &images[size > 0 ? data[0] % n_images : 0];
	struct image copy = {malloc(from->n), from->n};

	if (!copy.bytes)
		abort();
	memcpy(copy.bytes, from->bytes, from->n);
	for (size_t at = 1; at + CHANGE_BYTES <= size; at += CHANGE_BYTES) {
		size_t place = data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16;

		copy.bytes[place % copy.n] ^= data[at + 3];
	}
	put_file(damaged, &copy);
	free(copy.bytes);
}

/* ---- reading ---- */

static enum asc_status see_best(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	*(size_t *)user += strlen(b->config_key);
	return ASC_OK;
}

static enum asc_status see_record(void *user, const struct db_record *r, struct asc_err *err)
{
	(void)err;
	for (int64_t i = 0; i < r->n_samples; i++)
		*(size_t *)user += (size_t)r->samples[i];
	return ASC_OK;
}

static enum asc_status see_news(void *user, const struct db_news *n, struct asc_err *err)
{
	(void)err;
	*(size_t *)user += strlen(n->status);
	return ASC_OK;
}

static enum asc_status see_going(void *user, const struct db_going *g, struct asc_err *err)
{
	(void)err;
	*(size_t *)user += (size_t)g->run_id;
	return ASC_OK;
}

static void ask(struct db *d)
{
	const struct page_request request = {.db = d,
					     .path = "r.db",
					     .file = "r.html",
					     .version = "0",
					     .plotter = "/no/such/program"};
	struct buf page = {0};
	size_t seen = 0;

	(void)best_each_ever(d, NULL, see_best, &seen, &e);
	(void)today_each_record(d, &(struct db_records){.newest = true}, see_record, &seen, &e);
	(void)today_each_record(d, &(struct db_records){.simulated = true}, see_record, &seen, &e);
	(void)db_each_news(d, 0, see_news, &seen, &e);
	(void)today_each_going(d, NULL, 5, see_going, &seen, &e);
	(void)page_write(&request, &page, &e);
	buf_fini(&page);
}

static void read_damaged(void)
{
	struct db *d = NULL;

	if (db_open(damaged, DB_READ, &d, &e))
		return;
	ask(d);
	db_close(d);
}

/* ---- taking ---- */

static bool is_sound(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	bool sound_now = sqlite3_open(path, &db) == SQLITE_OK &&
			 sqlite3_prepare_v2(db, "SELECT * FROM pragma_integrity_check", -1, &s,
					    NULL) == SQLITE_OK &&
			 sqlite3_step(s) == SQLITE_ROW &&
			 strcmp((const char *)sqlite3_column_text(s, 0), "ok") == 0;

	sqlite3_finalize(s);
	if (sound_now)
		sound_now = sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &s, NULL) ==
				    SQLITE_OK &&
			    sqlite3_step(s) == SQLITE_DONE;
	else
		s = NULL;
	sqlite3_finalize(s);
	sqlite3_close(db);
	return sound_now;
}

static void merge_damaged(void)
{
	struct db_merged merged;
	struct db *d = NULL;

	put_file(sound, &images[n_images - 1]);
	if (db_open(sound, DB_WRITE, &d, &e))
		abort();
	(void)db_merge(d, damaged, &merged, &e);
	db_close(d);
	if (!is_sound(sound))
		abort();
}

static void record_into_damaged(void)
{
	static const struct db_device device = {.kind = "cpu", .fingerprint = "f"};
	static const struct db_problem problem = {
		.workload = "axpy", .problem = "small", .problem_key = "k"};
	static const struct db_run run = {.version = "0", .cache_policy = "hot"};
	struct db *d = NULL;
	int64_t id;

	if (db_open(damaged, DB_WRITE, &d, &e))
		return;
	if (db_begin_run(d, &device, &problem, &run, &id, &e) == ASC_OK)
		(void)db_end_run(d, id, "done", &e);
	db_close(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enter_once();
	put_damaged(data, size);
	read_damaged();
	merge_damaged();
	record_into_damaged();
	return 0;
}
