/* What a run records of a configuration beside its result: which rewrites made it. The device is a
 * model that is not here: nothing is run. */
#include "tuner/loop/journal.h"

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/device/device.h"
#include "tuner/loop/arm.h"
#include "tuner/loop/loop.h"
#include "tuner/model/binding.h"
#include "tuner/model/limits.h"
#include "tuner/model/space.h"

static struct asc_err e;

static void add(struct journal *j, const struct arm *arm, const char *text)
{
	struct config c;
	struct result r = rows_result(10, 11, 12);
	tap_ok(config_parse(text, space_names(arm->space), space_params(arm->space), &c, &e) ==
			       ASC_OK &&
		       journal_add(j, arm, 0, &c, &r, &e) == ASC_OK,
	       "%s is recorded", text);
}

static void check_space(const char *path, const struct space *s)
{
	tap_int(rows_ask(path, "SELECT configurations FROM run_space WHERE kind = 'all'"),
		(int64_t)space_cartesian(s), "all combinations of the space are recorded");
	tap_int(rows_ask(path, "SELECT configurations FROM run_space WHERE kind = 'valid'"),
		(int64_t)space_count(s), "and how many are valid");
	tap_int(rows_ask(path, "SELECT sum(configurations * (1 - 2 * (kind <> 'all')))"
			       " FROM run_space"),
		0, "what the conditions take away is what is missing");
	tap_ok(rows_ask(path,
			"SELECT count(*) FROM run_space WHERE origin LIKE '% of Ascend910B3%'") > 0,
	       "limits of the device are told from conditions of the workload");
}

static void record(const struct loop_options *o, const struct binding *b, const char *path)
{
	struct journal j = {0};
	struct arm arm = {.implementation = workload_find_implementation(o->workload, "triton"),
			  .key = "k"};
	struct arms arms = {.list = &arm, .n = 1};
	if (!tap_ok(binding_space(b, arm.implementation, &arm.space, &e) == ASC_OK, "a space") ||
	    !tap_ok(journal_begin(&j, o, b, &arms, "random", &e) == ASC_OK, "a run"))
		return;
	check_space(path, arm.space);
	add(&j, &arm, "BLOCK_M=64,BLOCK_N=64,BLOCK_SIZE_SUB=64,HEAD=32");
	add(&j, &arm, "BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE config_key LIKE 'BLOCK_M=64,%'"
			       " AND rewrites_json IS NULL"),
		1, "no rewrite made the first");
	tap_int(rows_ask(path,
			 "SELECT count(*) FROM trial WHERE config_key LIKE 'BLOCK_M=32,%' AND "
			 "rewrites_json = '[{\"rewrite\":\"square-block\","
			 "\"before\":{\"BLOCK_M\":32,\"BLOCK_N\":32},"
			 "\"after\":{\"BLOCK_M\":32,\"BLOCK_N\":64}},"
			 "{\"rewrite\":\"sub-block\","
			 "\"before\":{\"BLOCK_M\":32,\"BLOCK_SIZE_SUB\":32},"
			 "\"after\":{\"BLOCK_M\":32,\"BLOCK_SIZE_SUB\":16}},"
			 "{\"rewrite\":\"axis-limit\",\"before\":{\"grid\":65536},"
			 "\"after\":{\"grid\":32768}}]'"),
		1, "three made the second, from what to what");
	space_free(arm.space);
}

static void test_rewrites(const struct workload *w)
{
	const struct problem *p = workload_find_problem(w, "swin-b-windows");
	const struct device_info info = {.model = "Ascend910B3"};
	const char *path = rows_path("journal.db");
	struct loop_options o = {.workload = w,
				 .problem = p,
				 .device = device_find("npu"),
				 .info = &info,
				 .rule = rule_default,
				 .version = "0.1.0"};
	struct limits l;
	struct binding b;
	limits_find("Ascend910B3", &l);
	if (!tap_ok(binding_init(&b, w, p, "npu", &l.facts, &e) == ASC_OK, "a problem"))
		return;
	b.limits = &l;
	if (tap_ok(db_open(path, DB_WRITE, &o.db, &e) == ASC_OK, "a database"))
		record(&o, &b, path);
	db_close(o.db);
	binding_fini(&b);
}

int main(void)
{
	struct workload *w = NULL;
	rows_enter();
	if (tap_int(workload_open(PROJECT_ROOT "/workloads/sdpa.json", &w, &e), ASC_OK, "sdpa"))
		test_rewrites(w);
	workload_close(w);
	rows_leave();
	return tap_done();
}
