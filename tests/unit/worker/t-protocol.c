/* Times of the clock in messages: those of a machine that was up for 104 days and more are as exact
 * as any.
 * covers: protocol.c */
#include "tuner/worker/protocol.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static void check_same(int64_t ns)
{
	struct buf text = {0};
	struct json_writer w = {.out = &text};
	struct json_doc *doc = NULL;
	struct asc_err e;
	int64_t got = -1;

	json_write_begin(&w, NULL, '{');
	protocol_write_time(&w, "at", ns);
	json_write_end(&w, '}');
	if (tap_int(json_open_text("a message", buf_str(&text), text.len, &doc, &e), ASC_OK, "%s",
		    buf_str(&text))) {
		tap_int(protocol_read_time(json_find(json_root(doc), "at"), &got, &e), ASC_OK,
			"%lld is read", (long long)ns);
		tap_int(got, ns, "%lld is the same", (long long)ns);
	}
	json_close(doc);
	buf_fini(&text);
}

static void check_refused(const char *message)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	int64_t got = -1;

	if (tap_int(json_open_text("a message", message, strlen(message), &doc, &e), ASC_OK, "%s",
		    message)) {
		tap_int(protocol_read_time(json_find(json_root(doc), "at"), &got, &e), ASC_INPUT,
			"%s is refused", message);
		tap_int(got, -1, "%s sets nothing", message);
	}
	json_close(doc);
}

int main(void)
{
	check_same(0);
	check_same(INT64_C(9007199254740993)); /* 2^53 + 1: no double has it */
	check_same(INT64_MAX);
	check_refused("{\"at\":1}");
	check_refused("{\"at\":\"\"}");
	check_refused("{\"at\":\"-1\"}");
	check_refused("{\"at\":\"1e3\"}");
	check_refused("{\"at\":\"9223372036854775808\"}");
	return tap_done();
}
