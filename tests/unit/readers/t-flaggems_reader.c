/* Rows of FlagGems' cache: the text and the file of SQLite, other tables of that file, limits.
 * covers: flaggems_reader.c foreign_rows.c */
#include <sqlite3.h>
#include <string.h>

#include "db/foreign_rows.h"
#include "reports/tables/readers/reader.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

/* Statements that SQLAlchemy 2.0.48 has sent for FlagGems 5.0.2: a row of mm, and the table of
 * times beside it. */
static const char theirs[] =
	"CREATE TABLE \"mm_1-2\" (key_0 INTEGER NOT NULL, key_1 VARCHAR NOT NULL, \"BLOCK_M\" "
	"INTEGER "
	"NOT NULL, num_warps INTEGER NOT NULL, num_ctas INTEGER NOT NULL, num_stages INTEGER NOT "
	"NULL, PRIMARY KEY (key_0, key_1));"
	"INSERT INTO \"mm_1-2\" VALUES(4096, 'torch.float16', 128, 8, 1, 3);"
	"CREATE TABLE \"mm_9_benchmark-3\" (key_0 INTEGER NOT NULL, key_1 VARCHAR NOT NULL, "
	"\"BLOCK_M\" INTEGER NOT NULL, p50 FLOAT NOT NULL, PRIMARY KEY (key_0, key_1, "
	"\"BLOCK_M\"));"
	"INSERT INTO \"mm_9_benchmark-3\" VALUES(4096, 'torch.float16', 128, 0.5);";

static struct asc_err e;

/* Appends the file that statements make. */
static void make_file(const char *statements, struct buf *out)
{
	sqlite3 *sql = NULL;
	sqlite3_int64 n = 0;

	tap_ok(sqlite3_open(":memory:", &sql) == SQLITE_OK &&
		       sqlite3_exec(sql, statements, NULL, NULL, NULL) == SQLITE_OK,
	       "a file is made");
	unsigned char *bytes = sqlite3_serialize(sql, "main", &n, 0);

	buf_add(out, (const char *)bytes, (size_t)n);
	sqlite3_free(bytes);
	sqlite3_close(sql);
}

/* Number that a query finds in a file; -1: it fails. */
static int count(const struct buf *file, const char *query)
{
	sqlite3 *sql = NULL;
	sqlite3_stmt *stmt = NULL;
	int found = -1;

	if (sqlite3_open(":memory:", &sql) == SQLITE_OK &&
	    sqlite3_deserialize(sql, "main", (unsigned char *)file->data, (sqlite3_int64)file->len,
				(sqlite3_int64)file->len,
				SQLITE_DESERIALIZE_READONLY) == SQLITE_OK &&
	    sqlite3_prepare_v2(sql, query, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		found = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(sql);
	return found;
}

static void test_files(void)
{
	struct reader_table t = {0}, again = {0};
	struct buf file = {0}, text = {0}, packed = {0}, config = {0};

	make_file(theirs, &file);
	tap_int(flaggems_reader.read("k.db", &file, &t, &e), ASC_OK, "a file is read");
	tap_int((long long)t.n, 1, "times of a benchmark are no rows");
	tap_str(t.rows->key, "[\"mm_1-2\",[4096,\"torch.float16\"]]", "a key has its table");
	reader_print_config(&t.rows->config, &config);
	tap_str(buf_str(&config), "BLOCK_M=128, num_warps=8, num_ctas=1, num_stages=3", "a row");
	tap_ok(flaggems_reader.find(&t, "[\"mm_1-2\",[4096,\"torch.float16\"]]") == 0 &&
		       flaggems_reader.find(&t, "[\"mm_1-2\",[4064,\"torch.float16\"]]") ==
			       READER_OWN,
	       "is found by its key alone");
	tap_int(reader_table_add(&t, "[\"mv_1-2\",[true,0.5]]", &t.rows->config, &e), ASC_OK,
		"another kernel");
	tap_int(flaggems_reader.write(&t, &text, &e), ASC_OK, "a text");
	tap_int(flaggems_reader.pack(&text, NULL, &packed, &e), ASC_OK, "a new file");
	tap_ok(foreign_rows_is_file(&packed) && !foreign_rows_is_file(&text), "is one of SQLite");
	tap_int(count(&packed, "SELECT num_stages FROM \"mm_1-2\" WHERE num_ctas = 1"), 3,
		"with all options");
	tap_int(count(&packed, "SELECT count(*) FROM pragma_table_info('mv_1-2') WHERE type IN "
			       "('BOOLEAN', 'FLOAT') AND pk > 0"),
		2, "and SQLAlchemy's types of columns");
	tap_int(flaggems_reader.read("k.db", &packed, &again, &e), ASC_OK, "it is read");
	tap_ok(again.n == 2 && reader_table_find(&again, "[\"mv_1-2\",[true,0.5]]"),
	       "with both rows");
	buf_clear(&packed);
	tap_int(flaggems_reader.pack(&text, &file, &packed, &e), ASC_OK,
		"into a file that is there");
	tap_int(count(&packed, "SELECT count(*) FROM \"mm_9_benchmark-3\""), 1, "times stay");
	tap_int(count(&packed, "SELECT count(*) FROM \"mm_1-2\""), 1, "rows are replaced");
	reader_table_fini(&t);
	reader_table_fini(&again);
	buf_fini(&file);
	buf_fini(&text);
	buf_fini(&packed);
	buf_fini(&config);
}

static void test_refused(void)
{
	struct reader_table t = {0};
	struct buf file = {0}, text = {0}, packed = {0};

	tap_ok(flaggems_reader.read("k.db", &file, &t, &e) == ASC_OK && t.n == 0,
	       "an empty file has no rows, as to SQLite");
	buf_add_str(&text, "[{\"table\":\"k\",\"key\":[1],\"values\":{\"BLOCK\":2}}]");
	tap_int(flaggems_reader.pack(&text, &file, &packed, &e), ASC_OK, "and takes rows: %s",
		e.text);
	buf_clear(&text);
	buf_add_str(&text, "1,2\n");
	tap_int(flaggems_reader.read("k.db", &text, &t, &e), ASC_INPUT, "no file of SQLite: %s",
		e.text);
	make_file(theirs, &file);
	file.len /= 2;
	tap_int(flaggems_reader.read("k.db", &file, &t, &e), ASC_INPUT, "a torn one: %s", e.text);
	buf_clear(&file);
	make_file("CREATE TABLE \"k\"\"; DROP--\" (key_0 INTEGER, \"B\" INTEGER, PRIMARY "
		  "KEY(key_0)); INSERT INTO \"k\"\"; DROP--\" VALUES(1, 2)",
		  &file);
	tap_ok(flaggems_reader.read("k.db", &file, &t, &e) == ASC_OK && t.n == 1 &&
		       strcmp(t.rows->key, "[\"k\\\"; DROP--\",[1]]") == 0,
	       "names with quotes are names");
	buf_clear(&file);
	make_file("CREATE TABLE \"mm_1-2\" (key_0 INTEGER NOT NULL PRIMARY KEY, \"OTHER\" INTEGER)",
		  &file);
	buf_clear(&text);
	buf_add_str(&text, "[{\"table\":\"mm_1-2\",\"key\":[1],\"values\":{\"BLOCK\":2}}]");
	tap_int(flaggems_reader.pack(&text, &file, &packed, &e), ASC_INPUT,
		"a row that a table has no column for: %s", e.text);
	reader_table_fini(&t);
	buf_fini(&file);
	buf_fini(&text);
	buf_fini(&packed);
}

static void put(unsigned char *at, int n_bytes, unsigned value)
{
	for (int i = n_bytes - 1; i >= 0; i--, value >>= 8)
		at[i] = (unsigned char)value;
}

/* Replaces the table of a file of three pages, the last a leaf, by a tree of 18 levels, each page
 * with the next one as all of its 40 children: 40^18 rows. Pages as in
 * https://www.sqlite.org/fileformat.html, 1.6. */
static void deepen(struct buf *file)
{
	enum { PAGE = 512, LEVELS = 18, CHILDREN = 40 };
	unsigned char page[PAGE] = {5};

	put((unsigned char *)file->data + 28, 4, 3 + LEVELS);
	put(page + 3, 2, CHILDREN);
	for (unsigned level = 0; level <= LEVELS; level++) {
		const unsigned child = level == LEVELS ? 3 : 4 + level;
		unsigned at = PAGE;

		for (int i = 0; i < CHILDREN; i++) {
			at -= 5; /* the child's number and a key of one byte */
			put(page + at, 4, child);
			page[at + 4] = 1;
			put(page + 12 + 2 * i, 2, at);
		}
		put(page + 5, 2, at);
		put(page + 8, 4, child);
		if (level == 0)
			memcpy(file->data + PAGE, page, PAGE);
		else
			buf_add(file, (const char *)page, PAGE);
	}
}

/* Triggers in the file of somebody else are not run. */
static void test_foreign(void)
{
	struct reader_table t = {0};
	struct buf file = {0}, text = {0}, packed = {0};

	make_file(
		"CREATE TABLE \"mm_1-2\" (key_0 INTEGER NOT NULL PRIMARY KEY, \"BLOCK\" INTEGER "
		"NOT NULL); INSERT INTO \"mm_1-2\" VALUES(1, 2); CREATE TABLE seen(how); "
		"CREATE TRIGGER t AFTER INSERT ON \"mm_1-2\" BEGIN INSERT INTO seen VALUES(1); "
		"END; "
		"CREATE TRIGGER d AFTER DELETE ON \"mm_1-2\" BEGIN INSERT INTO seen VALUES(2); END",
		&file);
	buf_add_str(&text, "[{\"table\":\"mm_1-2\",\"key\":[1],\"values\":{\"BLOCK\":4}}]");
	tap_int(flaggems_reader.pack(&text, &file, &packed, &e), ASC_OK, "a file with triggers");
	tap_int(count(&packed, "SELECT count(*) FROM seen"), 0, "none of which runs");
	tap_int(count(&packed, "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"), 2,
		"and that stay");
	buf_clear(&file);
	make_file(
		"PRAGMA page_size = 512; CREATE TABLE k(key_0 INTEGER NOT NULL, B INTEGER, PRIMARY "
		"KEY(key_0)); CREATE TABLE other(a); INSERT INTO k VALUES(1, 2); "
		"INSERT INTO other VALUES(3)",
		&file);
	tap_int((long long)file.len, 3 * 512, "a file of three pages");
	deepen(&file);
	tap_int(flaggems_reader.read("k.db", &file, &t, &e), ASC_INPUT, "rows without end");
	tap_str(e.text, "k.db: a table needs more work than the size of the file explains",
		"are a reason");
	reader_table_fini(&t);
	buf_fini(&file);
	buf_fini(&text);
	buf_fini(&packed);
}

static void test_limits(void)
{
	static const char answer
		[] = "{\"file\":\"config_cache/T.db\",\"table\":\"mm_1-2\",\"key\":[64],\"names\":["
		     "\"BLOCK\",\"num_warps\",\"num_ctas\",\"num_stages\"],\"listed\":null}",
	  hooked[] = "{\"file\":\"config_cache/"
		     "T.db\",\"table\":\"mm_1-2\",\"key\":[64],\"names\":[\"BLOCK\",\"num_warps\","
		     "\"num_ctas\",\"num_stages\"],"
		     "\"listed\":[{\"BLOCK\":32,\"num_warps\":4},{\"BLOCK\":64,\"num_warps\":8}]}";
	static const char keyless[] = "{\"file\":\"T.db\",\"table\":\"mm_1-2\"}";
	struct reader_problem p = {.kernel = "m:k", .device = "NVIDIA H200"};
	struct reader_config c = {0};
	struct json_doc *doc = NULL, *list = NULL;
	struct buf name = {0}, key = {0};

	tap_int(json_open_text("answer", answer, sizeof answer - 1, &doc, &e), ASC_OK, "an answer");
	tap_int(json_open_text("answer", hooked, sizeof hooked - 1, &list, &e), ASC_OK, "a hook");
	p.told = json_root(doc);
	tap_int(flaggems_reader.name_file(&p, NULL, &name, &e), ASC_OK, "a name is told");
	tap_str(buf_str(&name), "config_cache/T.db", "with its folder");
	tap_int(flaggems_reader.print_key(&flaggems_reader, &p, &key, &e), ASC_OK, "and a key");
	tap_str(buf_str(&key), "[\"mm_1-2\",[64]]", "with its table");
	reader_add_parameter(&c, "BLOCK", value_int(64));
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_INPUT, "options are missing: %s", e.text);
	reader_add_parameter(&c, "num_warps", value_int(4));
	flaggems_reader.complete(&c);
	tap_ok(c.n == 4 && reader_get_parameter(&c, "num_stages", 0) == 3 &&
		       reader_get_parameter(&c, "num_ctas", 0) == 1,
	       "and get Triton's defaults");
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_OK, "a row that FlagGems takes");
	p.told = json_root(list);
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_INPUT, "not in the list: %s", e.text);
	c.list[1].value = value_int(8);
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_OK, "in the list");
	p.told = json_root(doc);
	c.list[1].value = value_int(12);
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_INPUT, "warps: %s", e.text);
	c.list[1].value = value_int(8);
	reader_add_parameter(&c, "GROUP", value_int(8));
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_INPUT, "no column: %s", e.text);
	c.n = 0;
	flaggems_reader.complete(&c);
	tap_int(flaggems_reader.check(&p, &c, &e), ASC_INPUT, "no value: %s", e.text);
	json_close(doc);
	tap_int(json_open_text("answer", keyless, sizeof keyless - 1, &doc, &e), ASC_OK, "no key");
	p.told = json_root(doc);
	tap_int(flaggems_reader.print_key(&flaggems_reader, &p, &key, &e), ASC_INPUT,
		"an answer without a key: %s", e.text);
	json_close(doc);
	json_close(list);
	buf_fini(&name);
	buf_fini(&key);
}

int main(void)
{
	test_files();
	test_refused();
	test_foreign();
	test_limits();
	return tap_done();
}
