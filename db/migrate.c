#include "db/migrate.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "db/connection.h"
#include "db/statement.h"

enum { APPLICATION_ID = 0x41534354 /* "ASCT" */ };

/* ---- version 1 ---- */

static const char device[] =
	"CREATE TABLE device("
	" id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE,"
	" kind TEXT NOT NULL, model TEXT, arch TEXT, driver TEXT, clock TEXT) STRICT";

static const char workload[] =
	"CREATE TABLE workload("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, operator TEXT) STRICT";

/* One row per name and content: dims, flops and bytes are those of the newest run. */
static const char problem[] =
	"CREATE TABLE problem("
	" id INTEGER PRIMARY KEY, workload_id INTEGER NOT NULL REFERENCES workload,"
	" key TEXT NOT NULL, name TEXT NOT NULL, dims_json TEXT, flops REAL, bytes REAL,"
	" UNIQUE(workload_id, name, key)) STRICT";

static const char implementation[] =
	"CREATE TABLE implementation("
	" id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, idx INTEGER NOT NULL,"
	" UNIQUE(name, key, idx)) STRICT";

/* uid is what tells runs of different machines apart when files are joined; seed is the bits of an
 * unsigned number. */
static const char run[] =
	"CREATE TABLE run("
	" id INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE DEFAULT (randomblob(16)),"
	" device_id INTEGER NOT NULL REFERENCES device,"
	" problem_id INTEGER NOT NULL REFERENCES problem,"
	" workload_hash TEXT, version TEXT, strategy TEXT, policy_json TEXT, budget TEXT,"
	" cache_policy TEXT, seed INTEGER NOT NULL, simulated INTEGER NOT NULL, baseline TEXT,"
	" started_ms INTEGER NOT NULL, ended_ms INTEGER, outcome TEXT, steady_json TEXT) STRICT";

/* Implementations that took part in a run, those of resumed results too. */
static const char run_implementation[] =
	"CREATE TABLE run_implementation("
	" run_id INTEGER NOT NULL REFERENCES run,"
	" implementation_id INTEGER NOT NULL REFERENCES implementation,"
	" PRIMARY KEY(run_id, implementation_id)) STRICT, WITHOUT ROWID";

/* Times of samples are NULL without samples, error norms NULL without a verification; low_ns and
 * high_ns, the interval of the median, below 6 samples. sample_order is the number of the first
 * sample within the run; notes is a blob like samples: marks and clocks. */
static const char trial[] =
	"CREATE TABLE trial("
	" id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES run,"
	" implementation_id INTEGER NOT NULL REFERENCES implementation,"
	" config_hash INTEGER NOT NULL, config_key TEXT NOT NULL, config_json TEXT NOT NULL,"
	" is_default INTEGER NOT NULL,"
	" recorded_ms INTEGER NOT NULL, status TEXT NOT NULL, phase TEXT NOT NULL,"
	" reason TEXT, log TEXT, artifact TEXT, cached INTEGER NOT NULL,"
	" build_ns INTEGER NOT NULL, load_ns INTEGER NOT NULL,"
	" verify_ns INTEGER NOT NULL, measure_ns INTEGER NOT NULL,"
	" launches INTEGER NOT NULL, n_samples INTEGER NOT NULL, samples BLOB,"
	" min_ns REAL, q1_ns REAL, median_ns REAL, q3_ns REAL, max_ns REAL,"
	" max_abs REAL, mean_abs REAL, max_rel REAL,"
	" not_finite INTEGER, bad INTEGER, low_ns REAL, high_ns REAL,"
	" sample_order INTEGER, retaken INTEGER, notes BLOB) STRICT";

/* Index by hash (hash_bytes of the key's text): half as large as one over the keys themselves. */
static const char trial_config[] =
	"CREATE INDEX trial_config ON trial(implementation_id, config_hash)";

static const char trial_default[] =
	"CREATE INDEX trial_default ON trial(implementation_id) WHERE is_default";

static const char metric_name[] =
	"CREATE TABLE metric_name("
	" id INTEGER PRIMARY KEY, probe TEXT NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL,"
	" UNIQUE(probe, name, unit)) STRICT";

static const char metric[] = "CREATE TABLE metric("
			     " trial_id INTEGER NOT NULL REFERENCES trial,"
			     " name_id INTEGER NOT NULL REFERENCES metric_name, value REAL,"
			     " PRIMARY KEY(trial_id, name_id)) STRICT, WITHOUT ROWID";

/* The history of one figure: of the best configuration, or of one that is named. */
static const char series[] =
	"CREATE TABLE series("
	" id INTEGER PRIMARY KEY, device_id INTEGER NOT NULL REFERENCES device,"
	" problem_id INTEGER NOT NULL REFERENCES problem, implementation TEXT NOT NULL,"
	" config_key TEXT NOT NULL DEFAULT '', figure TEXT NOT NULL,"
	" UNIQUE(device_id, problem_id, implementation, config_key, figure)) STRICT";

static const char verdict[] =
	"CREATE TABLE verdict("
	" id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL REFERENCES series,"
	" run_id INTEGER NOT NULL REFERENCES run, kind TEXT NOT NULL, ratio REAL,"
	" made_ms INTEGER NOT NULL, acknowledged_ms INTEGER, acknowledged_by TEXT, note TEXT,"
	" UNIQUE(series_id, run_id)) STRICT";

/* One row per finalist of a run; samples of equal index are of the same round. */
static const char final[] =
	"CREATE TABLE final("
	" run_id INTEGER NOT NULL REFERENCES run,"
	" implementation_id INTEGER NOT NULL REFERENCES implementation,"
	" config_hash INTEGER NOT NULL, config_key TEXT NOT NULL,"
	" tied INTEGER NOT NULL, winner INTEGER NOT NULL,"
	" ratio REAL NOT NULL, ratio_low REAL, ratio_high REAL,"
	" threads REAL, memory_bytes REAL, n_samples INTEGER NOT NULL, samples BLOB,"
	" min_ns REAL, q1_ns REAL, median_ns REAL, q3_ns REAL, max_ns REAL,"
	" low_ns REAL, high_ns REAL,"
	" PRIMARY KEY(run_id, implementation_id, config_key)) STRICT";

static const char final_config[] =
	"CREATE INDEX final_config ON final(implementation_id, config_hash)";

/* The views of what is best are those of the newest version: schema_answers. */
static const char *const schema_1[] = {
	device,  workload,     problem,       implementation, run,    run_implementation,
	trial,   trial_config, trial_default, metric_name,    metric, series,
	verdict, final,        final_config,  NULL,
};

/* ---- version 2 ---- */

/* Measured peaks of a device: FLOP/s, byte/s. */
static const char peak[] = "CREATE TABLE peak("
			   " device_id INTEGER PRIMARY KEY REFERENCES device,"
			   " flops REAL NOT NULL, bandwidth REAL NOT NULL,"
			   " measured_ms INTEGER NOT NULL) STRICT";

static const char *const schema_2[] = {peak, NULL};

/* ---- version 3 ---- */

/* Rewrites that made the configuration: [{"rewrite","before","after"},...]; NULL: none did. */
static const char trial_rewrites[] = "ALTER TABLE trial ADD COLUMN rewrites_json TEXT";

static const char *const schema_3[] = {trial_rewrites, NULL};

/* ---- acknowledged regressions ---- */

/* Acknowledgement of one change of a series, which is known by its name: since_ms is the start of
 * the first run after it. */
static const char acknowledgement[] =
	"CREATE TABLE acknowledgement("
	" id INTEGER PRIMARY KEY, series TEXT NOT NULL, since_ms INTEGER NOT NULL,"
	" reason TEXT NOT NULL, who TEXT, made_ms INTEGER NOT NULL,"
	" until_ms INTEGER NOT NULL) STRICT";

static const char *const schema_acknowledgement[] = {acknowledgement, NULL};

/* ---- version 5 ---- */

/* Counts of an implementation's space at the start of a run. Rows in order: kind 'all' (every
 * combination of values), then 'condition' for the configurations that each removes from the rest
 * (NULL: not counted), last 'valid' for the rest. */
static const char run_space[] =
	"CREATE TABLE run_space("
	" run_id INTEGER NOT NULL REFERENCES run,"
	" implementation_id INTEGER NOT NULL REFERENCES implementation,"
	" place INTEGER NOT NULL, kind TEXT NOT NULL, origin TEXT, text TEXT,"
	" configurations REAL,"
	" PRIMARY KEY(run_id, implementation_id, place)) STRICT, WITHOUT ROWID";

static const char *const schema_5[] = {run_space, NULL};

/* ---- version 6: machines, clocks, matrix units ---- */

/* Identity of a device among those of its model, through all drivers (NULL: unknown), so that
 * series neither break with an update nor mix two machines. */
static const char device_machine[] = "ALTER TABLE device ADD COLUMN machine TEXT";

/* The clock that the samples were taken at, median, MHz; NULL: it could not be read. */
static const char trial_clock[] = "ALTER TABLE trial ADD COLUMN clock_mhz REAL";
static const char final_clock[] = "ALTER TABLE final ADD COLUMN clock_mhz REAL";

static const char peak_matrix[] = "ALTER TABLE peak ADD COLUMN matrix_flops REAL NOT NULL"
				  " DEFAULT 0";

static const char *const schema_machine[] = {device_machine, trial_clock, final_clock, peak_matrix,
					     NULL};

/* ---- toolchains ---- */

/* Toolchain of the implementation, as the builder describes it; part of its key. NULL: recorded
 * before this version. */
static const char implementation_toolchain[] =
	"ALTER TABLE implementation ADD COLUMN toolchain TEXT";

static const char *const schema_toolchain[] = {implementation_toolchain, NULL};

/* Version 8 had other views. */
static const char *const schema_newest[] = {NULL};

/* ---- peaks by type ---- */

/* The type that a problem computes in; NULL: not known. Until its next run that is the narrowest of
 * its named types. */
static const char problem_element[] = "ALTER TABLE problem ADD COLUMN element TEXT";
static const char problem_elements[] = "UPDATE problem SET element = (SELECT value FROM json_each("
				       "  iif(json_valid(dims_json), dims_json, '{}'), '$.dtypes')"
				       "  WHERE value IN ('f16', 'bf16', 'f32', 'f64')"
				       "  ORDER BY substr(value, -2) LIMIT 1)";

/* Peaks of a device: the rate of the best moment, `low` of the worst; unit 'FLOP/s' of each type,
 * or 'B/s' of memory, with type ''. moments 0: by an earlier version, of unknown accuracy. */
static const char peak_rows[] =
	"CREATE TABLE peak_rows("
	" device_id INTEGER NOT NULL REFERENCES device, unit TEXT NOT NULL, type TEXT NOT NULL,"
	" rate REAL NOT NULL, low REAL NOT NULL, moments INTEGER NOT NULL,"
	" measured_ms INTEGER NOT NULL, PRIMARY KEY(device_id, unit, type)) STRICT";
static const char peak_rows_f32[] =
	"INSERT INTO peak_rows SELECT device_id, 'FLOP/s', 'f32', flops, 0, 0, measured_ms"
	" FROM peak WHERE flops > 0";
static const char peak_rows_halves[] =
	"INSERT INTO peak_rows SELECT device_id, 'FLOP/s', h.value, matrix_flops, 0, 0,"
	" measured_ms FROM peak, json_each('[\"f16\", \"bf16\"]') h WHERE matrix_flops > flops";
static const char peak_rows_memory[] =
	"INSERT INTO peak_rows SELECT device_id, 'B/s', '', bandwidth, 0, 0, measured_ms"
	" FROM peak WHERE bandwidth > 0";

static const char *const schema_peaks[] = {problem_element,
					   problem_elements,
					   peak_rows,
					   peak_rows_f32,
					   peak_rows_halves,
					   peak_rows_memory,
					   "DROP TABLE peak",
					   "ALTER TABLE peak_rows RENAME TO peak",
					   NULL};

/* ---- what a trial was built from ---- */

/* Digest of the artifact's bytes; words of the compiler's command, a JSON array; the source and all
 * that it may include, {"PATH": "KEY", ...}; the workload's file. NULL: recorded before this
 * version. */
static const char *const schema_build[] = {"ALTER TABLE trial ADD COLUMN digest TEXT",
					   "ALTER TABLE implementation ADD COLUMN options TEXT",
					   "ALTER TABLE implementation ADD COLUMN sources TEXT",
					   "ALTER TABLE run ADD COLUMN workload_file TEXT", NULL};

/* ---- what a search began and ended with ---- */

/* Earlier results that a search began with: {"results", "sources": [...]}; NULL: none. Reason that
 * it ended before its budget: {"patience", ...}; NULL: it did not. */
static const char *const schema_search[] = {"ALTER TABLE run ADD COLUMN history_json TEXT",
					    "ALTER TABLE run ADD COLUMN patience_json TEXT", NULL};

/* ---- what tables for libraries need ---- */

/* The workload's "export"; kinds of a problem's dimensions, {"NAME": "size", ...}; digest of an
 * implementation's source alone ('': it has none). NULL: recorded before this version. */
static const char *const schema_export[] = {
	"ALTER TABLE workload ADD COLUMN export_json TEXT",
	"ALTER TABLE problem ADD COLUMN kinds_json TEXT",
	"ALTER TABLE implementation ADD COLUMN source_digest TEXT", NULL};

/* ---- what a history is compared by ---- */

/* Commit of the workload's folder, and whether nothing in it differed; NULL: not known. */
static const char *const schema_commit[] = {"ALTER TABLE run ADD COLUMN source_commit TEXT",
					    "ALTER TABLE run ADD COLUMN source_clean INTEGER",
					    NULL};

/* ---- when things were done ---- */

/* Nanoseconds since the run began. A trial: when a worker took it up; begin and end of each
 * compiler's command (sample_blob). A run: when its finals began, and how long they took. NULL:
 * recorded before this version, or not done. */
static const char *const schema_spans[] = {"ALTER TABLE trial ADD COLUMN begin_ns INTEGER",
					   "ALTER TABLE trial ADD COLUMN builds BLOB",
					   "ALTER TABLE run ADD COLUMN finals_begin_ns INTEGER",
					   "ALTER TABLE run ADD COLUMN finals_ns INTEGER", NULL};

/* Version 17 had other views. */
static const char *const schema_measured[] = {NULL};

/* migrations[n] leads from version n to n + 1. */
static const char *const *const migrations[] = {
	schema_1,       schema_2,         schema_3,      schema_acknowledgement, schema_5,
	schema_machine, schema_toolchain, schema_newest, schema_peaks,           schema_best,
	schema_build,   schema_search,    schema_export, schema_origin,          schema_commit,
	schema_spans,   schema_measured,  schema_answers};

enum { LATEST = sizeof migrations / sizeof *migrations };

/* ---- running them ---- */

/* One statement, so that all three are of the same moment while another process migrates. */
static enum asc_status find_version(struct db *d, int64_t *version, struct asc_err *e)
{
	struct statement s;
	int64_t id = 0, objects = 0;
	bool row;

	statement_begin(&s, d,
			"SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)"
			" FROM pragma_application_id, pragma_user_version");
	enum asc_status status = statement_step(&s, &row, e);

	if (status == ASC_OK) {
		id = statement_take_int(&s);
		*version = statement_take_int(&s);
		objects = statement_take_int(&s);
	}
	statement_end(&s);
	if (status != ASC_OK)
		return status;
	if (id == APPLICATION_ID ? *version < 1 : id || *version || objects)
		return asc_err_set(e, ASC_INPUT,
				   "%s: is not asctune's: a database of another program", d->path);
	if (*version > LATEST)
		return asc_err_set(e, ASC_NEWER,
				   "%s: written by a newer asctune (schema %" PRId64
				   ", this one knows %d)",
				   d->path, *version, (int)LATEST);
	return ASC_OK;
}

enum asc_status migrate_check(struct db *d, bool *current, struct asc_err *e)
{
	int64_t version = 0;
	enum asc_status status = find_version(d, &version, e);

	*current = version == LATEST;
	return status;
}

enum asc_status migrate_refuse(struct db *d, bool older, struct asc_err *e)
{
	int64_t version = 0;
	enum asc_status status = find_version(d, &version, e);

	if (status == ASC_OK && version == 0)
		return asc_err_set(e, ASC_NOTFOUND, "%s: an empty database", d->path);
	if (status == ASC_OK && !older && version < LATEST)
		return asc_err_set(
			e, ASC_INPUT,
			"%s: written by an older version (schema %" PRId64
			", this one reads %d): `asctune merge %s --db NEW` brings it over",
			d->path, version, (int)LATEST, d->path);
	return status;
}

static enum asc_status apply(struct db *d, int64_t version, struct asc_err *e)
{
	char marks[96];

	for (const char *const *sql = migrations[version]; *sql; sql++)
		if (db_exec(d, *sql, e))
			return e->status;
	snprintf(marks, sizeof marks, "PRAGMA application_id=%d; PRAGMA user_version=%" PRId64,
		 APPLICATION_ID, version + 1);
	return db_exec(d, marks, e);
}

enum asc_status migrate_run(struct db *d, struct asc_err *e)
{
	bool current;
	int64_t version = 0;
	enum asc_status status = migrate_check(d, &current, e);

	if (status != ASC_OK || current)
		return status;
	if (transaction_begin(d, e))
		return e->status;
	/* Another process may have migrated the file meanwhile. */
	status = find_version(d, &version, e);
	while (status == ASC_OK && version < LATEST)
		status = apply(d, version++, e);
	return transaction_end(d, status, e);
}
