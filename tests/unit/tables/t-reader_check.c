/* Tables of readers beside the device that they are used on: variants of a GPU, and others that the
 * library does not tell apart.
 * covers: reader_check.c evidence_check.c */
#include "reports/tables/reader_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"

static struct asc_err e;

static void add_reason(void *user, const char *row, const char *reason)
{
	(void)row;
	buf_print(user, "%s\n", reason);
}

/* Writes the evidence of a table of one row. */
static const char *make_evidence(const char *reader, const char *op, const char *device)
{
	static char text[2048];
	const char *table = strcmp(reader, "triton") == 0
				    ? "{\\\"key\\\":[1],\\\"configs_timings\\\":[[{\\\"kwargs\\\":{"
				      "\\\"B\\\":1}},0.1]]}"
				    : "";

	snprintf(text, sizeof text,
		 "{\"format\":\"asctune-evidence\",\"version\":1,\"reader\":\"%s\",\"triton\":"
		 "\"3.6.0\",\"table\":\"%s\",\"rows\":[{\"exported_operator\":\"%s\",\"workload\":"
		 "\"w\",\"problem\":\"p\",\"implementation\":\"i\",\"cache_policy\":\"cold\","
		 "\"device_kind\":\"cuda\",\"device_model\":\"%s\",\"device_arch\":\"sm_90\","
		 "\"device_fingerprint\":\"f\","
		 "\"device_driver\":\"580\",\"clock\":\"event\",\"config_key\":\"k\","
		 "\"source_digest\":\"d\",\"median_ns\":1,\"simulated\":false,\"provenance\":"
		 "{\"device_machine\":\"GPU-1\",\"workload_file\":\"/none/"
		 "w.json\",\"sources\":{\"k.py\":\"0\"}},\"sizes\":{\"M\":[1,1],\"E\":[8,8],\"N\":["
		 "64,64]},"
		 "\"types\":{\"dtype\":\"bf16\"}}]}",
		 reader, table, op, device);
	return text;
}

/* Checks the table `name` by evidence, on a machine; the reasons, of one line each. */
static void check_text(const char *text, const char *name, const struct evidence_machine *here,
		       struct buf *out)
{
	struct json_doc *doc = NULL;

	buf_clear(out);
	tap_int(json_open_text("evidence", text, strlen(text), &doc, &e), ASC_OK, "evidence");
	tap_int(reader_check_table(json_root(doc), rows_path(name), here, add_reason, out, &e),
		ASC_OK, "on %s", here->model ? here->model : "no device");
	json_close(doc);
}

static void check_on(const char *reader, const char *op, const char *name, const char *device,
		     const struct evidence_machine *here, struct buf *out)
{
	check_text(make_evidence(reader, op, device), name, here, out);
}

static void check(const char *reader, const char *op, const char *name, const char *device,
		  const char *model, struct buf *out)
{
	const struct evidence_machine here = {.model = model};

	check_on(reader, op, name, device, &here, out);
}

static void test_variants(void)
{
	static const struct {
		const char *file, *device, *model, *reason;
	} cases[] = {
		{"E=8,N=64,device_name=NVIDIA_H100_80GB_HBM3.json", "NVIDIA H100 80GB HBM3",
		 "NVIDIA H100 80GB HBM3", ""},
		{"E=8,N=64,device_name=NVIDIA_H100_80GB_HBM3.json", "NVIDIA H100 80GB HBM3",
		 "NVIDIA H100 PCIe",
		 "device: measured on NVIDIA H100 80GB HBM3, this machine has another variant, "
		 "NVIDIA H100 PCIe, for which vllm:moe asks for "
		 "E=8,N=64,device_name=NVIDIA_H100_PCIe.json\n"},
		{"E=8,N=64,device_name=NVIDIA_A100-SXM4-80GB.json", "NVIDIA A100-SXM4-80GB",
		 "NVIDIA A100-PCIE-40GB",
		 "device: measured on NVIDIA A100-SXM4-80GB, this machine has another variant, "
		 "NVIDIA A100-PCIE-40GB, for which vllm:moe asks for "
		 "E=8,N=64,device_name=NVIDIA_A100-PCIE-40GB.json\n"},
		/* Other models are others' tables in one folder. */
		{"E=8,N=64,device_name=NVIDIA_H20.json", "NVIDIA H20", "NVIDIA H100 PCIe", ""},
		{"E=8,N=64,device_name=NVIDIA_H200.json", "NVIDIA H200", "NVIDIA GH200 480GB", ""},
		{"E=8,N=64,device_name=NVIDIA_H20.json", "NVIDIA H20", "NVIDIA H200", ""},
		/* vLLM's alias: one file for two GPUs. */
		{"E=8,N=64,device_name=NVIDIA_H200.json", "NVIDIA H200 NVL", "NVIDIA H200",
		 "device: measured on NVIDIA H200 NVL, this machine has NVIDIA H200, for which "
		 "vllm:moe asks for the same file\n"},
	};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		check("vllm:moe", "moe", cases[i].file, cases[i].device, cases[i].model, &out);
		tap_str(buf_str(&out), cases[i].reason, "as it is said");
	}
	/* SGLang has no alias. */
	check("sglang:moe", "moe", "E=8,N=64,device_name=NVIDIA_H200_NVL.json", "NVIDIA H200 NVL",
	      "NVIDIA H200", &out);
	tap_has(buf_str(&out),
		"asks for configs/triton_3_6_0/E=8,N=64,device_name=NVIDIA_H200.json",
		"with the folder");
	check("sglang:moe", "moe", "configs/triton_3_6_0/E=8,N=64,device_name=NVIDIA_H200.json",
	      "NVIDIA H200", NULL, &out);
	tap_str(buf_str(&out), "", "in its folder");
	check("sglang:moe", "moe", "configs/triton_3_7_0/E=8,N=64,device_name=NVIDIA_H200.json",
	      "NVIDIA H200", NULL, &out);
	tap_str(buf_str(&out),
		"sglang:moe does not ask for it with Triton 3.6.0: it asks for "
		"configs/triton_3_6_0/E=8,N=64,device_name=NVIDIA_H200.json\n",
		"in the folder of another Triton");
	/* A folder with a table of each variant is as it should be. */
	tap_int(file_write(rows_path("E=8,N=64,device_name=NVIDIA_H100_PCIe.json"), "{}", 2, &e),
		ASC_OK, "a table of the other variant");
	check("vllm:moe", "moe", cases[1].file, cases[1].device, cases[1].model, &out);
	tap_str(buf_str(&out), "", "is the one that is asked for");
	check("vllm:moe", "moe", "E=8,N=64,device_name=other.json", "NVIDIA H200", NULL, &out);
	tap_str(buf_str(&out),
		"vllm:moe does not ask for it: it asks for "
		"E=8,N=64,device_name=NVIDIA_H200.json\n",
		"a file under another name");
	check("vllm:moe", "moe", "E=8.json", "", "NVIDIA H200", &out);
	check("fla", "kernel", "kernel.json", "NVIDIA H100 PCIe", "NVIDIA H100 NVL", &out);
	tap_has(buf_str(&out), "fla asks for NVIDIA_H100_NVL/kernel.json", "FLA's folder of a GPU");
	buf_fini(&out);
}

/* ---- tables of which the library tells the names ---- */

static struct { /* what a library is asked */
	size_t n;
	int64_t shared_bytes;
	char kernel[64];
} asked;

static enum asc_status ask(const struct reader_asking *a, struct reader_answers *out,
			   struct asc_err *err)
{
	static const char answer[] = "{\"file\":\"AB/k.autotune.json\",\"key\":[1]}";

	out->list = calloc(1, sizeof *out->list);
	if (!out->list || json_open_text("answer", answer, sizeof answer - 1, &out->list->doc, err))
		return ASC_NOMEM;
	out->n = 1;
	for (size_t i = 0; i < a->n; i++)
		a->list[i].told = json_root(out->list->doc);
	asked.n = a->n;
	asked.shared_bytes = a->list->shared_bytes;
	(void)snprintf(asked.kernel, sizeof asked.kernel, "%s", a->list->kernel);
	return ASC_OK;
}

static void note(void *user, const char *library, const char *reason)
{
	buf_print(user, "%s: %s\n", library, reason);
}

/* A row of a kernel of the program itself, whose file is not recorded, beside another one. */
static void test_program(void)
{
	const char *text = make_evidence("triton", "__main__:k", "NVIDIA H200");
	struct buf both = {0}, out = {0}, notes = {0};
	struct json_doc *doc = NULL;
	const struct evidence_machine here = {.ask = ask, .pass_over = note, .user = &notes};

	asked.n = 0;
	check_text(text, "AC/k.autotune.json", &here, &out);
	tap_ok(asked.n == 0 && out.len == 0, "nothing can be asked");
	tap_str(buf_str(&notes),
		"triton: the file of the program, which has the kernels of __main__, is not "
		"recorded\n",
		"which is said");
	buf_add(&both, text, strlen(text) - strlen("]}"));
	text = strchr(make_evidence("triton", "m:k", "NVIDIA H200"), '[');
	buf_print(&both, ",%s", strstr(text, "{\"exported_operator"));
	check_text(buf_str(&both), "AC/k.autotune.json", &here, &out);
	tap_ok(asked.n == 1 && strcmp(asked.kernel, "m:k") == 0, "the other row is asked for");
	tap_str(buf_str(&out), "triton does not ask for it: it asks for AB/k.autotune.json\n",
		"and compared");
	/* A row's source is freed once where the next row cannot be read. */
	buf_clear(&both);
	text = make_evidence("triton", "__main__:k", "NVIDIA H200");
	buf_print(&both, "%.*s,{}]}", (int)(strlen(text) - strlen("]}")), text);
	tap_int(json_open_text("evidence", buf_str(&both), both.len, &doc, &e), ASC_OK, "evidence");
	tap_int(reader_check_table(json_root(doc), rows_path("k.json"), &here, add_reason, &out,
				   &e),
		ASC_INPUT, "a row without a device: %s", e.text);
	json_close(doc);
	buf_fini(&both);
	buf_fini(&out);
	buf_fini(&notes);
}

static void test_asked(void)
{
	struct evidence_machine here = {.ask = ask};
	struct buf out = {0};

	check_on("triton", "m:k", "AB/k.autotune.json", "NVIDIA H200", &here, &out);
	tap_str(buf_str(&out), "", "the file that is asked for");
	/* CUDA C++ Programming Guide, table of compute capabilities: 227 KB for 9.0. */
	tap_int(asked.shared_bytes, 227 * 1024, "by the architecture's shared memory");
	here.model = "NVIDIA H200";
	check_on("triton", "m:k", "AB/k.autotune.json", "NVIDIA H200", &here, &out);
	tap_str(buf_str(&out), "", "on the device of its results");
	check_on("triton", "m:k", "AB/k.autotune.json", "NVIDIA H100 PCIe", &here, &out);
	tap_str(buf_str(&out),
		"device: measured on NVIDIA H100 PCIe, this machine has NVIDIA H200, and no name "
		"in triton's files tells GPUs apart\n",
		"on another one, for which Triton may ask for the same file");
	buf_fini(&out);
}

static bool is_alike(const void *user, const struct evidence_gpu *gpu)
{
	tap_str(gpu->machine, "GPU-1", "the other GPU is named");
	return *(const bool *)user;
}

/* Two GPUs of one name. */
static void test_machines(void)
{
	const char *text = make_evidence("vllm:moe", "moe", "NVIDIA H200");
	const char *path = rows_path("E=8,N=64,device_name=NVIDIA_H200.json" EVIDENCE_ENDS);
	const struct dispatch none = {0};
	bool alike = true;
	const struct evidence_machine here = {.model = "NVIDIA H200",
					      .driver = "580",
					      .unlike = "device: other clocks",
					      .is_alike = is_alike,
					      .user = &alike};
	struct buf out = {0};
	size_t rows = 0;

	tap_int(file_write(path, text, strlen(text), &e), ASC_OK, "evidence");
	tap_int(evidence_check(path, &none, &here, add_reason, &out, &rows, &e), ASC_OK, "alike");
	tap_str(buf_str(&out), "its result is gone\n", "says nothing of the device");
	alike = false;
	buf_clear(&out);
	tap_int(evidence_check(path, &none, &here, add_reason, &out, &rows, &e), ASC_OK, "unlike");
	tap_str(buf_str(&out), "device: other clocks\nits result is gone\n", "says which");
	buf_fini(&out);
}

static enum asc_status job(struct asc_err *err)
{
	const char *text = make_evidence("vllm:moe", "moe", "NVIDIA H100 PCIe");
	const struct evidence_machine here = {.model = "NVIDIA H100 NVL"};
	struct json_doc *doc = NULL;
	struct buf out = {0};
	enum asc_status status = json_open_text("evidence", text, strlen(text), &doc, err);

	if (status == ASC_OK)
		status = reader_check_table(json_root(doc), "E=8.json", &here, add_reason, &out,
					    err);
	if (status == ASC_OK)
		status = buf_check(&out, err);
	if (status == ASC_OK)
		nomem_give(buf_str(&out));
	json_close(doc);
	buf_fini(&out);
	return status;
}

int main(void)
{
	rows_enter();
	test_variants();
	test_asked();
	test_program();
	test_machines();
	rows_leave();
	nomem_sample("a table is checked", job, 1);
	return tap_done();
}
