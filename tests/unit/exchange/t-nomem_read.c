/* Files that people bring, with each allocation failing in turn: workloads with ladders, results of
 * other programs, records of a captured one.
 * covers: import.c workload_read.c workload_ladder.c capture.c capture_record.c capture_workload.c
 * ttir_roles.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/capture.h"
#include "reports/exchange/import.h"
#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/workload_open.h"

static const char clblast[] =
	"{\"kernel_family\":\"copy\",\"precision\":\"32\",\"arg_m\":\"1024\",\"arg_n\":8,"
	"\"results\":[{\"kernel\":\"Copy\",\"time\":1.5,\"parameters\":{\"A\":1,\"PRECISION\":32}},"
	"{\"kernel\":\"Copy\",\"time\":2,\"parameters\":{\"A\":2,\"PRECISION\":32}}]}";

static const char catlass[] = "task_duration(us),description,m,n,k,A\n"
			      "13.9,a_1x2x3_4x5x6_swizzle3x0,1,2,3,fp16:row\n"
			      "12.7,a_1x2x4_4x5x6_swizzle3x0,1,2,3,fp16:row\n"
			      "12.7,b_1x2x4_4x5x6_swizzle3x0,1,2,3,fp16:row\n";

static const char ladder[] =
	"{\"asctune\":1,\"name\":\"w\",\"problems\":[{\"name\":\"x\",\"dims\":{\"M\":[1,2],"
	"\"N\":[3,4]}},{\"name\":\"y\",\"dims\":{\"M\":5}}],\"tensors\":{\"c\":{\"shape\":[\"M\"],"
	"\"dtype\":\"i32\",\"role\":\"out\"}},\"reference\":{\"source\":\"k.c\",\"entry\":\"f\","
	"\"arguments\":[{\"tensor\":\"c\"}]},\"implementations\":[{\"name\":\"i\","
	"\"source\":\"k.c\",\"builder\":\"cc\",\"entry\":\"f\",\"arguments\":[{\"tensor\":\"c\"}"
	"]}]}";

/* Two keys, a number, names, formulas over a dimension that one problem lacks, a file. */
static const char faulty[] =
	"{\"asctune\":1,\"nam\":\"w\",\"problems\":[{\"name\":\"x\",\"dims\":{\"M\":1,"
	"\"N\":9007199254740993}},{\"name\":\"y\",\"name\":\"z\",\"dims\":{\"N\":5}}],"
	"\"tensors\":{\"c\":{\"shape\":[\"M\",\"N\"],\"dtype\":\"i32\",\"role\":\"out\"}},"
	"\"bytes\":\"M * sizeof(d) + FOO\",\"reference\":{\"source\":\"l.c\",\"entry\":\"f\","
	"\"arguments\":[{\"tensor\":\"c\"}]},\"implementations\":[{\"name\":\"i\","
	"\"source\":\"k.c\",\"builder\":\"cc\",\"entry\":\"f\",\"arguments\":[{\"tensor\":\"e\"}"
	",{\"scalar\":\"P\",\"type\":\"i32\"}]}]}";

static char path[5120];

static void put(const char *name, const char *text)
{
	struct asc_err e;

	snprintf(path, sizeof path, "%s", rows_path(name));
	if (file_write(path, text, strlen(text), &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
}

static enum asc_status job_import(struct asc_err *e)
{
	const struct import_names names = {.version = "0"};
	struct import_summary summary;
	struct import *i = NULL;
	struct db *d = NULL;
	enum asc_status status = import_open(path, NULL, &i, e);

	if (status == ASC_OK)
		status = db_open(rows_path("r.db"), DB_WRITE, &d, e);
	if (status == ASC_OK)
		status = import_record(i, d, &names, &summary, e);
	import_close(i);
	db_close(d);
	return status;
}

static enum asc_status job_workload(struct asc_err *e)
{
	struct workload *w = NULL;
	enum asc_status status = workload_parse(path, ladder, strlen(ladder), &w, e);

	if (status == ASC_OK && (w->n_problems != 5 || strcmp(w->problems[3].name, "x.M2.N4") != 0))
		status = asc_err_set(e, ASC_INTERNAL, "%zu problems", w->n_problems);
	workload_close(w);
	return status;
}

/* Each fault of the file, no more and no less, where memory suffices. */
static enum asc_status job_faults(struct asc_err *e)
{
	static const char rest[] = " lists all 8 faults";
	struct workload *w = NULL;
	enum asc_status status = workload_open(path, &w, e);
	const size_t len = strlen(e->text);

	workload_close(w);
	if (status != ASC_INPUT)
		return status ? status : asc_err_set(e, ASC_INTERNAL, "a faulty file is open");
	if (len < sizeof rest || strcmp(e->text + len - sizeof rest + 1, rest) != 0)
		return asc_err_set(e, ASC_INTERNAL, "other faults: %s", e->text);
	return ASC_OK;
}

static enum asc_status job_capture(struct asc_err *e)
{
	struct capture_forms forms = {0};
	struct capture *c = NULL;
	struct buf text = {0};
	enum asc_status status = capture_open(TEST_DATA "/data/capture/add", &c, e);

	if (status == ASC_OK)
		status = capture_find_forms(c, &forms, e);
	if (status == ASC_OK)
		status = capture_write_workload(c, forms.list, 16, &text, e);
	if (status == ASC_OK && *forms.list->reason)
		status = asc_err_set(e, ASC_INTERNAL, "%s", forms.list->reason);
	if (status == ASC_OK)
		nomem_give(buf_str(&text));
	buf_fini(&text);
	capture_forms_fini(&forms);
	capture_close(c);
	return status;
}

int main(void)
{
	rows_enter();
	put("clblast.json", clblast);
	nomem_exhaust("a file of CLBlast", job_import);
	tap_int(rows_ask(rows_path("r.db"), "SELECT count(*) FROM trial"), 2,
		"is recorded as a whole, once");
	put("catlass.csv", catlass);
	nomem_exhaust("a file of catlass", job_import);
	tap_int(rows_ask(rows_path("r.db"), "SELECT count(*) FROM run"), 3,
		"is recorded as a run for each problem and kernel, once");
	put("k.c", "");
	put("w.json", ladder);
	nomem_exhaust("a workload with ladders", job_workload);
	put("w.json", faulty);
	nomem_exhaust("a workload with many faults", job_faults);
	nomem_exhaust("records of a captured program", job_capture);
	rows_leave();
	return tap_done();
}
