/* What a run records of a configuration beside its result: which rewrites made it. The device is a
 * model that is not here: nothing is run.
 * covers: recorder.c */
#include "tuner/tune/recorder.h"

#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

/* Options of the compiler, as the workload has them by default. */
#define OPTIONS                                                                                    \
	",multibuffer=false,enable_auto_bind_sub_block=true,unit_flag=false,"                      \
	"set_workspace_multibuffer=2,tile_mix_vector_loop=2,"                                      \
	"limit_auto_multi_buffer_only_for_local_buffer=false"

static struct asc_err e;

static void add(struct recorder *j, const struct impl_search *search, const char *text)
{
	struct config c;
	struct result r = rows_result(10, 11, 12);
	tap_ok(config_parse(text, space_names(search->space), space_params(search->space), &c,
			    &e) == ASC_OK &&
		       recorder_add(j, search, 0, &c, &r, &e) == ASC_OK,
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

static void record(const struct loop_options *o, struct db *d, const struct binding *b,
		   const char *path)
{
	struct recorder j = {0};
	struct impl_search search = {
		.implementation = workload_find_implementation(o->workload, "triton"), .key = "k"};
	struct impl_searches searches = {.list = &search, .n = 1};
	if (!tap_ok(binding_space(b, search.implementation, &search.space, &e) == ASC_OK,
		    "a space") ||
	    !tap_ok(recorder_begin(&j, o, d, b, &searches, "random", &e) == ASC_OK, "a run"))
		return;
	tap_int(rows_ask(path, "SELECT simulated FROM run"), 1,
		"a run on a simulated device is recorded as one");
	check_space(path, search.space);
	add(&j, &search, "BLOCK_M=64,BLOCK_N=64,BLOCK_SIZE_SUB=64,HEAD=32" OPTIONS);
	add(&j, &search, "BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32" OPTIONS);
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
	space_free(search.space);
}

static void test_rewrites(const struct workload *w)
{
	const struct problem *p = workload_find_problem(w, "swin-b-windows");
	const struct device_info info = {.model = "Ascend910B3", .simulated = true};
	const char *path = rows_path("recorder.db");
	struct session session = {.target = {.device = device_find("npu"), .info = &info},
				  .policy = policy_default};
	const struct loop_options o = {
		.workload = w, .problem = p, .session = &session, .version = "0.1.0"};
	struct db *d = NULL;
	struct limits l;
	struct binding b;
	limits_find("Ascend910B3", &l);
	if (!tap_ok(binding_init(&b, w, p, "npu", &l.facts, &e) == ASC_OK, "a problem"))
		return;
	b.limits = &l;
	if (tap_ok(db_open(path, DB_WRITE, &d, &e) == ASC_OK, "a database"))
		record(&o, d, &b, path);
	db_close(d);
	binding_fini(&b);
}

/* sdpa with the rewrite square-block on its blocks, which it has all rectangles of by itself. */
static struct workload *with_squares(void)
{
	static const char path[] = PROJECT_ROOT "/workloads/sdpa.json", mark[] = "\"rewrites\": [";
	struct workload *w = NULL;
	struct buf file = {0}, text = {0};

	/* The first list of rewrites in the file is that of the kernel for NPUs. */
	if (file_read(path, 0, &file, &e) == ASC_OK) {
		const char *at = strstr(buf_str(&file), mark), *rest = at ? at + strlen(mark) : "";

		buf_add(&text, buf_str(&file), (size_t)(rest - buf_str(&file)));
		buf_print(&text,
			  "{\"rewrite\": \"square-block\", \"parameters\": [\"BLOCK_M\", "
			  "\"BLOCK_N\"]}, %s",
			  rest);
		(void)workload_parse(path, buf_str(&text), text.len, &w, &e);
	}
	buf_fini(&file);
	buf_fini(&text);
	return w;
}

int main(void)
{
	struct workload *w = with_squares();
	rows_enter();
	if (tap_ok(w != NULL, "sdpa"))
		test_rewrites(w);
	workload_close(w);
	rows_leave();
	return tap_done();
}
