/* A configuration's two members in JSON lines, beside the canonical key that the database has.
 * covers: setting.c */
#include "tuner/result/setting.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/space/config.h"

static void test_write(const char *text, const char *want)
{
	struct buf out = {0};
	struct json_writer w = {&out, false};

	json_write_begin(&w, NULL, '{');
	setting_write_config(text, &w);
	json_write_int(&w, "next", 1);
	json_write_end(&w, '}');
	tap_str(buf_str(&out), want, "\"%s\"", text);
	buf_fini(&out);
}

/* Names of which one begins another come in the order of config_key(), not in that of the text. */
static void test_key(void)
{
	static const char *const names[] = {"B-1", "B", "B1", "A", NULL};
	const struct config c = {4,
				 {value_int(1), value_real(0.5), value_bool(true), value_int(-7)}};
	struct buf text = {0}, key = {0}, out = {0};
	struct json_writer w = {&out, false};

	config_print(&c, names, &text);
	config_key(&c, names, &key);
	setting_write_config(buf_str(&text), &w);
	tap_str(buf_str(&key), "A=-7,B=0.5,B-1=1,B1=true", "the canonical key");
	tap_str(buf_str(&out),
		"\"config\":{\"B-1\":1,\"B\":0.5,\"B1\":true,\"A\":-7},"
		"\"config_key\":\"A=-7,B=0.5,B-1=1,B1=true\"",
		"is the one that is written");
	buf_fini(&text);
	buf_fini(&key);
	buf_fini(&out);
}

int main(void)
{
	test_write("", "{\"config\":{},\"config_key\":\"\",\"next\":1}");
	test_write("N=64", "{\"config\":{\"N\":64},\"config_key\":\"N=64\",\"next\":1}");
	test_write("N=1e+30,how=a b,M=false",
		   "{\"config\":{\"N\":1e+30,\"how\":\"a b\",\"M\":false},"
		   "\"config_key\":\"M=false,N=1e+30,how=a b\",\"next\":1}");
	/* A text that is no value of any space: the workload has it no more. */
	test_write("t=x{}:y",
		   "{\"config\":{\"t\":\"x{}:y\"},\"config_key\":\"t=x{}:y\",\"next\":1}");
	test_key();
	return tap_done();
}
