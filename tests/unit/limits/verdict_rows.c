#include "tests/unit/limits/verdict_rows.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/csv.h"
#include "tuner/base/file.h"

const struct recorded_kernel recorded_kernels[] = {
	{"planner/sdpa.csv", {"BLOCK_SIZE_SUB", "BLOCK_N", "HEAD"}},
	{"planner/gemm.csv", {"BLOCK_M", "BLOCK_N", "BLOCK_K"}},
	{"planner/gated_mlp.csv", {"BLOCK_M", "BLOCK_N", "BLOCK_K"}},
	{"planner/rms_norm.csv", {"BLOCK_M", "BLOCK_N"}},
	{"planner/softmax.csv", {"BLOCK_M", "BLOCK_N"}},
	{"planner/geglu.csv", {"BLOCK_SIZE", "BLOCK_SIZE_SUB"}},
	{"calibrate/layer_norm.csv", {"BLOCK_M", "BLOCK_N"}},
	{"calibrate/rotary.csv", {"BLOCK_T", "BLOCK_H", "HALF"}},
	{"calibrate/decode.csv", {"GROUP", "BLOCK_N", "HEAD"}},
	{"calibrate/cross_entropy.csv", {"BLOCK_M", "BLOCK_N"}},
	{"calibrate/linear_gelu.csv", {"BLOCK_M", "BLOCK_N", "BLOCK_K"}},
	{0},
};

/* Bytes of UB, L1, L0C by the platform files (tests/limits/soc.json). */
static const struct {
	const char *model;
	double capacities[CALIBRATION_SPACES];
} models[] = {{"910B3", {196608, 524288, 131072}}, {"950", {253952, 524288, 262144}}};

static const char *const overflows[CALIBRATION_SPACES] = {"ub_overflow", "cbuf_overflow",
							  "cc_overflow"};

enum { MAX_COLUMNS = 16, MAX_ROWS = 2048 };

struct table {
	struct buf text;
	char *columns[MAX_COLUMNS], *rows[MAX_ROWS][MAX_COLUMNS];
	size_t n_columns, n_rows;
};

static bool table_read(struct table *t, const char *file)
{
	struct asc_err e;
	char path[512];

	*t = (struct table){0};
	snprintf(path, sizeof path, "%s/tests/limits/%s", PROJECT_ROOT, file);
	if (file_read(path, 0, &t->text, &e))
		return false;
	char *line = t->text.data, *next = csv_end_line(line, ',');
	t->n_columns = csv_split(line, ',', t->columns, MAX_COLUMNS);
	for (line = next; line && *line && t->n_rows < MAX_ROWS; line = next) {
		next = csv_end_line(line, ',');
		(void)csv_split(line, ',', t->rows[t->n_rows++], MAX_COLUMNS);
	}
	return true;
}

static size_t column(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->n_columns && strcmp(t->columns[i], name) != 0)
		i++;
	return i;
}

/* ---- variants ---- */

/* Rows of one variant and type, with what the planner said. */
struct variant {
	int64_t rows[MAX_ROWS][TILE_MAX_SIZES];
	const char *verdicts[MAX_ROWS];
	bool asked[MAX_ROWS];
	size_t n;
};

static enum calibration_answer answer_of(const char *verdict, size_t *space)
{
	*space = 0;
	for (size_t s = 0; s < CALIBRATION_SPACES; s++)
		if (strcmp(verdict, overflows[s]) == 0) {
			*space = s;
			return CALIBRATION_REFUSED;
		}
	return strcmp(verdict, "fits") == 0 ? CALIBRATION_FITS : CALIBRATION_UNKNOWN;
}

static void calibrate(struct variant *v, const struct calibration_space *s, size_t questions,
		      struct calibration_report *out)
{
	struct calibration *c = NULL;
	int64_t sizes[TILE_MAX_SIZES];
	struct asc_err e;

	*out = (struct calibration_report){0};
	if (calibration_new(s, questions, &c, &e))
		return;
	while (calibration_ask(c, sizes)) {
		enum calibration_answer a = CALIBRATION_UNKNOWN;
		size_t space = 0;
		for (size_t i = 0; i < v->n; i++)
			if (memcmp(v->rows[i], sizes, sizeof sizes) == 0) {
				a = answer_of(v->verdicts[i], &space);
				v->asked[i] = true;
			}
		calibration_tell(c, a, space);
	}
	calibration_report(c, out);
	calibration_free(c);
}

static void judge(const struct variant *v, const struct calibration_space *s,
		  const struct calibration_report *r, struct recorded_sums *sums)
{
	sums->variants++;
	if (r->asked > sums->most_asked)
		sums->most_asked = r->asked;
	for (size_t i = 0; i < v->n; i++) {
		const bool out = calibration_report_leaves_out(r, s, v->rows[i]);
		if (strcmp(v->verdicts[i], "fits") == 0) {
			sums->fitting++;
			sums->lost += out;
			sums->kept_fitting += !v->asked[i];
			sums->kept_lost += !v->asked[i] && out;
		} else {
			sums->refused++;
			sums->foreseen += out;
			sums->kept_refused += !v->asked[i];
			sums->kept_foreseen += !v->asked[i] && out;
		}
	}
}

/* Takes the rows that have the variant of row `first`, and marks them as taken. */
static void take_variant(const struct table *t, size_t first, const size_t *sizes, size_t n_sizes,
			 bool *taken, struct variant *v)
{
	memset(v, 0, sizeof *v);
	for (size_t i = first; i < t->n_rows; i++) {
		bool same = !taken[i];
		for (size_t k = 0; k + 1 < t->n_columns && same; k++) {
			bool is_size = false;
			for (size_t j = 0; j < n_sizes; j++)
				is_size = is_size || sizes[j] == k;
			same = is_size || strcmp(t->rows[i][k], t->rows[first][k]) == 0;
		}
		if (!same)
			continue;
		for (size_t j = 0; j < n_sizes; j++)
			v->rows[v->n][j] = strtoll(t->rows[i][sizes[j]], NULL, 10);
		v->verdicts[v->n++] = t->rows[i][t->n_columns - 1];
		taken[i] = true;
	}
}

bool recorded_replay(const struct recorded_kernel *k, const char *model, size_t questions,
		     recorded_fn *each, struct recorded_sums *out)
{
	static struct table t;
	static struct variant v;
	static bool taken[MAX_ROWS];
	struct calibration_space s = {
		.rows = v.rows, .fixed = 1, .checks = CALIBRATION_CHECKS, .between = 7};
	size_t sizes[TILE_MAX_SIZES];

	*out = (struct recorded_sums){0};
	memset(taken, 0, sizeof taken);
	if (!table_read(&t, k->file))
		return false;
	for (s.n_sizes = 0; k->sizes[s.n_sizes]; s.n_sizes++)
		sizes[s.n_sizes] = column(&t, k->sizes[s.n_sizes]);
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (strcmp(models[i].model, model) == 0)
			memcpy(s.capacities, models[i].capacities, sizeof s.capacities);
	for (size_t first = 0; first < t.n_rows; first++) {
		struct calibration_report r;
		char name[256] = "";
		if (taken[first] || strcmp(t.rows[first][0], model) != 0)
			continue;
		take_variant(&t, first, sizes, s.n_sizes, taken, &v);
		s.n_rows = v.n;
		calibrate(&v, &s, questions, &r);
		judge(&v, &s, &r, out);
		for (size_t c = 1, len = 0; c + 1 < t.n_columns && len < sizeof name; c++) {
			bool is_size = false;
			for (size_t j = 0; j < s.n_sizes; j++)
				is_size = is_size || sizes[j] == c;
			if (!is_size)
				len += (size_t)snprintf(name + len, sizeof name - len, "%s%s=%s",
							len ? " " : "", t.columns[c],
							t.rows[first][c]);
		}
		if (each)
			each(name, &r, k->sizes);
	}
	buf_fini(&t.text);
	return true;
}

/* ---- largest tiles ---- */

bool recorded_largest(size_t questions, size_t *lines, size_t *found, size_t *most_asked)
{
	static const int64_t values[] = {64, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
	static struct table t;

	*lines = *found = *most_asked = 0;
	if (!table_read(&t, "calibrate/largest.csv"))
		return false;
	for (size_t i = 0; i < t.n_rows; i++) {
		const int64_t largest = strtoll(t.rows[i][column(&t, "largest")], NULL, 10);
		const int64_t m = strtoll(t.rows[i][column(&t, "BLOCK_M")], NULL, 10);
		int64_t rows[sizeof values / sizeof *values][TILE_MAX_SIZES] = {0};
		struct calibration_space s = {.n_sizes = 1,
					      .rows = rows,
					      .capacities = {1},
					      .fixed = 1,
					      .between = 7,
					      .step = m == 8 ? 16 : 64};
		struct calibration *c = NULL;
		int64_t sizes[TILE_MAX_SIZES], best = 0;
		struct asc_err e;
		size_t asked = 0;

		/* Tiles of 1,024 to 65,536 elements, as the spaces have them. */
		for (size_t k = 0; k < sizeof values / sizeof *values; k++)
			if (values[k] * (m ? m : 1) >= 1024 && values[k] * (m ? m : 1) <= 65536)
				rows[s.n_rows++][0] = values[k];
		if (calibration_new(&s, questions, &c, &e))
			break;
		while (calibration_ask(c, sizes)) {
			const bool fits = sizes[0] <= largest;
			best = fits && sizes[0] > best ? sizes[0] : best;
			calibration_tell(c, fits ? CALIBRATION_FITS : CALIBRATION_REFUSED, 0);
			asked++;
		}
		calibration_free(c);
		(*lines)++;
		*found += best == largest;
		*most_asked = asked > *most_asked ? asked : *most_asked;
	}
	buf_fini(&t.text);
	return true;
}
