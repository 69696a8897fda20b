#include "tuner/cmd/again/reproduce_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/track/track_write.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/again/again.h"
#include "tuner/cmd/again/claim.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/command.h"
#include "tuner/process/sandbox.h"

void reproduce_view_fini(struct reproduce_view *v)
{
	buf_fini(&v->differences);
	buf_fini(&v->unknown);
}

/* ---- for people ---- */

static double pct(double ratio)
{
	return 100 * (ratio - 1);
}

static void add_recorded(const struct db_record *r, struct buf *out)
{
	char text[3][UNITS_TEXT_SIZE];

	buf_print(out, "  recorded  %s", units_print_duration(r->median_ns, text[0]));
	if (!isnan(r->low_ns) && !isnan(r->high_ns))
		buf_print(out, " (95 %% interval %s .. %s, %lld samples)",
			  units_print_duration(r->low_ns, text[1]),
			  units_print_duration(r->high_ns, text[2]), (long long)r->n_samples);
	buf_print(out, "%s\n", r->of_finals ? " in the finals" : "");
}

/* Appends each line under a label. */
static void add_lines(const char *label, const char *lines, struct buf *out)
{
	while (*lines) {
		const size_t n = strcspn(lines, "\n");

		buf_print(out, "  %-9s %.*s\n", label, (int)n, lines);
		lines += n + (lines[n] == '\n');
		label = "";
	}
}

enum asc_status reproduce_text_begin(const struct reproduce_view *v, struct asc_err *e)
{
	const struct db_record *r = &v->claim->row;
	struct buf lines = {0};

	if (r->trial_id)
		buf_print(&lines, "trial %lld: ", (long long)r->trial_id);
	buf_print(&lines, "%s/%s on %s: %s, %s %s%s\n", r->workload, r->problem, r->device_kind,
		  r->device_model ? r->device_model : "", r->implementation, r->config_key,
		  sandbox_is_off() ? "; no sandbox (--trust)" : "");
	add_recorded(r, &lines);
	add_lines("differs",
		  v->differences.len ? buf_str(&v->differences) : "nothing that was recorded",
		  &lines);
	if (v->unknown.len)
		buf_print(&lines, "  unknown   not recorded then: %s\n", buf_str(&v->unknown));
	return show_text_print(&lines, e);
}

static void add_bytes(const struct reproduce_view *v, struct buf *out)
{
	const char *built = v->measured.digest[CONFIRMATION_AFTER], *then = v->claim->made.digest;

	if (!*built) /* not built, or a function of a library */
		return;
	buf_print(out, "  built     ");
	if (!then)
		buf_print(out, "%s: which bytes were measured then is not recorded\n", built);
	else if (v->result.same_bytes)
		buf_print(out, "the same bytes, %s\n", built);
	else
		buf_print(out, "other bytes: %s, recorded are %s\n", built, then);
}

static void add_change(double ratio, double low, double high, struct buf *out)
{
	track_write_change(&(struct track_change){pct(ratio), pct(low), pct(high), true}, out);
}

static void add_times(const struct reproduce_view *v, struct buf *out)
{
	const struct reproduction *r = &v->result;
	char text[UNITS_TEXT_SIZE];

	buf_print(out, "  now      ");
	for (size_t k = 0; k < v->measured.n; k++)
		buf_print(out, "%s %s", k ? "," : "",
			  units_print_duration(
				  v->measured.sessions[k].time[CONFIRMATION_AFTER].median, text));
	buf_print(out, " in %zu processes, verified in each\n", v->measured.n);
	if (!r->beside)
		return;
	buf_add_str(out, "  beside    ");
	add_change(r->built_ratio, r->built_low, r->built_high, out);
	buf_add_str(out, " against the recorded artifact, in the same rounds\n");
}

static const char *explain(const struct reproduce_view *v)
{
	const struct reproduction *r = &v->result;

	if (r->verdict == REPRODUCTION_HOLDS)
		return "which agrees with the recorded time";
	if (r->verdict == REPRODUCTION_UNDECIDED)
		return v->measured.unsteady          ? "but the machine was not steady"
		       : r->low <= 1 && r->high >= 1 ? "which scatters too much to tell"
						     : "but sessions on this machine differ by "
						       "that much: no verdict";
	/* Another time: whose is it? */
	switch (r->cause) {
	case REPRODUCTION_BY_MACHINE:
		return r->same_bytes ? "with the same bytes: it is the machine, not the code"
				     : "and so does the recorded artifact: it is the machine, not "
				       "the code";
	case REPRODUCTION_BY_CODE: return "unlike the recorded artifact: it is the code";
	default: break;
	}
	return r->beside ? "by code or machine: the rounds scatter too much to tell"
			 : "by code or machine: the recorded artifact is gone from the cache";
}

enum asc_status reproduce_text_end(const struct reproduce_view *v, struct asc_err *e)
{
	const struct reproduction *r = &v->result;
	struct buf lines = {0};

	add_bytes(v, &lines);
	if (v->measured.n > 0 && !v->measured.failed) {
		add_times(v, &lines);
		buf_print(&lines, "%s: ", reproduction_name(r->verdict));
		add_change(r->ratio, r->low, r->high, &lines);
		buf_print(&lines, ", %s\n", explain(v));
	} else {
		buf_print(&lines, "%s: %s\n", reproduction_name(r->verdict), v->measured.reason);
	}
	return show_text_print(&lines, e);
}

/* ---- for programs ---- */

static void write_claim(const struct claim *c, struct json_writer *w)
{
	const struct db_record *r = &c->row;

	json_write_int(w, "trial_id", r->trial_id);
	json_write_string(w, "workload", r->workload);
	json_write_string(w, "problem", r->problem);
	json_write_string(w, "implementation", r->implementation);
	json_write_string(w, "config_key", r->config_key);
	json_write_real(w, "recorded_ns", r->median_ns);
	json_write_string(w, "recorded_digest", c->made.digest);
}

/* Writes an array of the parts of a text between `separator`s. */
static void write_parts(const char *key, const char *text, const char *separator,
			struct json_writer *w)
{
	const size_t n = strlen(separator);
	struct buf part = {0};

	json_write_begin(w, key, '[');
	while (*text) {
		const char *end = strstr(text, separator);

		buf_clear(&part);
		buf_add(&part, text, end ? (size_t)(end - text) : strlen(text));
		json_write_string(w, NULL, buf_str(&part));
		text = end ? end + n : "";
	}
	json_write_end(w, ']');
	w->out->failed |= part.failed;
	buf_fini(&part);
}

static void write_result(const struct reproduce_view *v, struct json_writer *w)
{
	const struct reproduction *r = &v->result;
	const char *digest = v->measured.digest[CONFIRMATION_AFTER];
	const bool timed = v->measured.n > 0 && !v->measured.failed;

	json_write_string(w, "digest", *digest ? digest : NULL);
	again_write_medians(timed ? &v->measured : &(struct confirmation){0}, CONFIRMATION_AFTER,
			    "processes_ns", w);
	json_write_real(w, "ratio", timed ? r->ratio : NAN);
	json_write_real(w, "low", timed ? r->low : NAN);
	json_write_real(w, "high", timed ? r->high : NAN);
	json_write_real(w, "beside_ratio", r->beside ? r->built_ratio : NAN);
	json_write_real(w, "beside_low", r->beside ? r->built_low : NAN);
	json_write_real(w, "beside_high", r->beside ? r->built_high : NAN);
	json_write_bool(w, "unsteady", v->measured.unsteady);
	json_write_string(w, "verdict", reproduction_name(r->verdict));
	json_write_string(w, "cause", reproduction_cause_name(r->cause));
	json_write_string(w, "reason", v->measured.reason);
}

enum asc_status reproduce_text_json(const struct reproduce_view *v, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	write_claim(v->claim, &w);
	write_parts("differences", buf_str(&v->differences), "\n", &w);
	write_parts("not_recorded", buf_str(&v->unknown), ", ", &w);
	write_result(v, &w);
	json_write_end(&w, '}');
	const enum asc_status status = command_print_line(&line, e);

	fflush(stdout);
	return status;
}
