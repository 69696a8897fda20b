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

/* One row per content: name, dims, flops and bytes are those of the newest run. */
static const char problem[] =
	"CREATE TABLE problem("
	" id INTEGER PRIMARY KEY, workload_id INTEGER NOT NULL REFERENCES workload,"
	" key TEXT NOT NULL, name TEXT NOT NULL, dims_json TEXT, flops REAL, bytes REAL,"
	" UNIQUE(workload_id, key)) STRICT";

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
	" cache_policy TEXT, seed INTEGER NOT NULL, simulated INTEGER NOT NULL,"
	" started_ms INTEGER NOT NULL, ended_ms INTEGER, outcome TEXT) STRICT";

/* Times of samples are NULL without samples, error norms NULL without a verification. */
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
	" not_finite INTEGER, bad INTEGER) STRICT";

/* By hash (hash_bytes of the key's text): half of what an index over the keys themselves writes. */
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

static const char best[] =
	"CREATE VIEW best AS"
	" SELECT w.name AS workload, w.operator, p.name AS problem, p.dims_json,"
	"  d.kind AS device_kind, d.model AS device_model, d.arch AS device_arch,"
	"  d.fingerprint AS device_fingerprint, d.clock,"
	"  i.name AS implementation, i.idx AS implementation_index, t.config_json, t.config_key,"
	"  strftime('%Y-%m-%dT%H:%M:%SZ', t.recorded_ms / 1000, 'unixepoch') AS recorded_at,"
	"  t.run_id, t.id AS trial_id, t.n_samples,"
	"  t.median_ns, t.q1_ns, t.q3_ns, t.min_ns, t.max_ns, p.flops, p.bytes, t.max_abs,"
	"  t.implementation_id, f.device_id, f.problem_id"
	" FROM (SELECT trial.id AS trial_id, device_id, problem_id, row_number() OVER ("
	"   PARTITION BY device_id, problem_id"
	"   ORDER BY median_ns, recorded_ms DESC, trial.id DESC) AS place"
	"  FROM trial JOIN run ON run.id = run_id"
	"  WHERE status = 'ok' AND median_ns IS NOT NULL AND NOT simulated) f"
	" JOIN trial t ON t.id = f.trial_id"
	" JOIN implementation i ON i.id = t.implementation_id"
	" JOIN device d ON d.id = f.device_id"
	" JOIN problem p ON p.id = f.problem_id"
	" JOIN workload w ON w.id = p.workload_id"
	" WHERE f.place = 1";

/* Every trial whose quartiles overlap those of the best, the best among them. */
static const char ties[] =
	"CREATE VIEW ties AS"
	" SELECT b.device_id, b.problem_id, b.trial_id AS best_id, t.id AS trial_id,"
	"  t.implementation_id, t.config_key, t.median_ns, t.q1_ns, t.q3_ns"
	" FROM best b"
	" JOIN run r ON r.device_id = b.device_id AND r.problem_id = b.problem_id AND NOT "
	"r.simulated"
	" JOIN trial t ON t.run_id = r.id AND t.status = 'ok'"
	"  AND t.q1_ns <= b.q3_ns AND t.q3_ns >= b.q1_ns";

static const char *const schema_1[] = {
	device,        workload,    problem, implementation, run,  trial, trial_config, metric,
	trial_default, metric_name, series,  verdict,        best, ties,  NULL,
};

/* ---- version 2 ---- */

/* What a device reaches at best, as it was measured: FLOP/s, byte/s. */
static const char peak[] = "CREATE TABLE peak("
			   " device_id INTEGER PRIMARY KEY REFERENCES device,"
			   " flops REAL NOT NULL, bandwidth REAL NOT NULL,"
			   " measured_ms INTEGER NOT NULL) STRICT";

static const char *const schema_2[] = {peak, NULL};

/* migrations[n] leads from version n to n + 1. */
static const char *const *const migrations[] = {schema_1, schema_2};

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
		return asc_err_set(e, ASC_INPUT, "%s: a database of another program", d->path);
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

static enum asc_status step(struct db *d, bool *current, struct asc_err *e)
{
	int64_t version = 0;
	enum asc_status status;

	if (transaction_begin(d, e))
		return e->status;
	status = find_version(d, &version, e);
	if (status == ASC_OK && version < LATEST)
		status = apply(d, version++, e);
	*current = version == LATEST;
	return transaction_end(d, status, e);
}

enum asc_status migrate_run(struct db *d, struct asc_err *e)
{
	bool current;
	enum asc_status status = migrate_check(d, &current, e);

	while (status == ASC_OK && !current)
		status = step(d, &current, e);
	return status;
}
