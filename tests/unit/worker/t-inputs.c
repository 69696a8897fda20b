/* Fills of data/workload/full.json, problem "tiny"; expected properties are those that the fill's
 * definition promises.
 * covers: inputs.c */
#include "tuner/worker/inputs.h"
#include "tuner/workload/binding/workload_open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/worker/worker_problem.h"

static struct workload *full;
static struct binding tiny;

static size_t find(const char *name)
{
	size_t i = 0;

	while (i < full->n_tensors && strcmp(full->tensors[i].name, name) != 0)
		i++;
	return i;
}

/* The elements of a tensor as doubles; heap. */
static double *made(const char *name, uint64_t seed)
{
	struct asc_err e;
	size_t i = find(name);
	const struct bound_tensor *t = &tiny.tensors[i];
	void *bytes = malloc((size_t)t->bytes);
	double *numbers = calloc((size_t)t->count, sizeof *numbers);

	if (!bytes || !numbers)
		abort();
	enum asc_status s = inputs_fill(&tiny, i, seed, NULL, bytes, &e);
	tap_int(s, ASC_OK, "%s: %s", name, s ? e.text : "is filled");
	dtype_to_double(t->dtype, bytes, numbers, (size_t)t->count);
	free(bytes);
	return numbers;
}

static int64_t count(const char *name)
{
	return tiny.tensors[find(name)].count;
}

static void test_normal(void)
{
	double *x = made("x", 1), mean = 0, square = 0;
	int64_t n = count("x");

	for (int64_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (int64_t i = 0; i < n; i++)
		square += (x[i] - mean) * (x[i] - mean) / (double)n;
	tap_real(mean, 0, 5 * 0.25 / sqrt((double)n), "mean within five standard errors");
	tap_real(sqrt(square), 0.25, 5 * 0.25 / sqrt(2.0 * (double)n), "standard deviation too");
	free(x);
}

static void test_uniform(void)
{
	double *x = made("bias", 1), low = 9, high = -9;

	for (int64_t i = 0; i < count("bias"); i++) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	tap_ok(low >= -1 && low < -0.7, "reaches down to %g", low);
	tap_ok(high <= 1 && high > 0.7, "and up to %g", high);
	free(x);
}

static void test_plain(void)
{
	double *gain = made("gain", 1), *ids = made("ids", 1);
	bool as_said = true;

	tap_real(gain[0], 0.5, 0, "a constant");
	for (int64_t i = 0; i < count("ids"); i++)
		as_said &= ids[i] == (double)(i % 16);
	tap_ok(as_said, "indices modulo 16");
	free(gain);
	free(ids);
}

static void check_different(const char *name, int64_t below)
{
	double *x = made(name, 1);
	bool *seen = calloc((size_t)below, sizeof *seen), different = true, ordered = true;

	for (int64_t i = 0; i < count(name); i++) {
		bool fits = x[i] >= 0 && x[i] < (double)below;
		different &= fits && !seen[(int64_t)x[i]];
		if (fits)
			seen[(int64_t)x[i]] = true;
		ordered &= i == 0 || x[i] > x[i - 1];
	}
	tap_ok(different, "%s: different numbers below %lld", name, (long long)below);
	tap_ok(!ordered, "%s: in no order", name);
	free(seen);
	free(x);
}

static void test_lengths(void)
{
	double *x = made("lengths", 1);
	double least = 1e9;

	tap_real(x[0], 0, 0, "cumulative lengths begin with 0");
	for (int64_t i = 1; i < count("lengths"); i++)
		least = fmin(least, x[i] - x[i - 1]);
	tap_ok(least >= 0, "and never fall");
	free(x);
}

static void test_seeds(void)
{
	double *a = made("x", 1), *b = made("x", 1), *c = made("x", 2);
	size_t bytes = (size_t)count("x") * sizeof *a;

	tap_ok(memcmp(a, b, bytes) == 0, "the same seed makes the same numbers");
	tap_ok(memcmp(a, c, bytes) != 0, "another seed others");
	tap_ok(inputs_seed(1, "q") != inputs_seed(1, "k"), "tensors of one problem differ");
	free(a);
	free(b);
	free(c);
}

static void test_whole(void)
{
	/* An integer tensor filled with uniform [0, 2): rounding would give 2. */
	struct tensor t = {.name = "t", .fill = full->tensors[find("bias")].fill};
	struct workload w = {.tensors = &t, .n_tensors = 1, .path = full->path};
	struct bound_tensor bound = {.present = true, .dtype = DTYPE_I32, .count = 1000};
	struct binding b = tiny;
	int32_t out[1000];
	int64_t n[3] = {0};
	struct asc_err e;

	b.workload = &w;
	b.tensors = &bound;
	t.fill.low.text = "0";
	t.fill.high.text = "2";
	tap_int(inputs_fill(&b, 0, 1, NULL, out, &e), ASC_OK, "integers, uniform in [0, 2)");
	for (size_t i = 0; i < 1000; i++)
		n[out[i] >= 0 && out[i] < 2 ? out[i] : 2]++;
	tap_int(n[2], 0, "are 0 or 1");
	tap_ok(n[0] > 400 && n[1] > 400, "as often: %lld and %lld", (long long)n[0],
	       (long long)n[1]);
	t.fill.kind = FILL_SLOTS;
	t.fill.slots = t.fill.low;
	t.fill.slots.text = "999";
	tap_int(inputs_fill(&b, 0, 1, NULL, out, &e), ASC_INPUT, "1000 slots below 999");
	tap_has(e.text, "no 1000 different numbers below 999", "says so");
	t.fill.high.text = "-1";
	t.fill.kind = FILL_UNIFORM;
	tap_int(inputs_fill(&b, 0, 1, NULL, out, &e), ASC_INPUT, "an empty range");
	tap_has(e.text, "fill of tensor t: high is below low", "says so");
}

/* Draws of which one in 7 is beyond 448, the largest of f8e4m3, which has a NaN above it. */
static void test_tails(void)
{
	enum { N = 1000 };
	struct tensor t = {.name = "t", .fill = full->tensors[find("x")].fill};
	struct workload w = {.tensors = &t, .n_tensors = 1, .path = full->path};
	struct bound_tensor bound = {.present = true, .dtype = DTYPE_F8E4M3, .count = N};
	struct binding b = tiny;
	unsigned char out[N];
	double numbers[N];
	struct asc_err e;
	int largest = 0, none = 0;

	b.workload = &w;
	b.tensors = &bound;
	t.fill.std.text = "300";
	tap_int(inputs_fill(&b, 0, 1, NULL, out, &e), ASC_OK, "a normal distribution in 8 bits");
	dtype_to_double(DTYPE_F8E4M3, out, numbers, N);
	for (size_t i = 0; i < N; i++) {
		none += !isfinite(numbers[i]);
		largest += fabs(numbers[i]) == 448;
	}
	tap_int(none, 0, "has numbers alone");
	tap_ok(largest > 80 && largest < 220, "the largest for %d beyond it", largest);
}

static void check_padding(enum dtype type, const char *share, int64_t padding)
{
	enum { N = INPUTS_PART + 1001, BELOW = INPUTS_PART + 601 };
	struct tensor t = {.name = "t", .fill = full->tensors[find("bias")].fill};
	struct workload w = {.tensors = &t, .n_tensors = 1, .path = full->path};
	struct bound_tensor bound = {.present = true, .dtype = type, .count = N};
	struct binding b = tiny;
	void *out = calloc(N, sizeof(int64_t)), *again = calloc(N, sizeof(int64_t));
	bool *seen = calloc(BELOW, sizeof *seen), different = true;
	int64_t none = 0, first = 0;
	struct asc_err e;

	if (!out || !again || !seen)
		abort();
	b.workload = &w;
	b.tensors = &bound;
	t.fill.kind = FILL_SLOTS;
	t.fill.slots = t.fill.padding = t.fill.low;
	t.fill.slots.text = "2 ** 18 + 601";
	t.fill.padding.text = share;
	tap_int(inputs_fill(&b, 0, 1, NULL, out, &e), ASC_OK, "%s of %s", share, dtype_name(type));
	for (int64_t i = 0; i < N; i++) {
		const int64_t slot = type == DTYPE_I32 ? ((int32_t *)out)[i] : ((int64_t *)out)[i];
		const bool fits = slot >= -1 && slot < BELOW;

		none += slot == -1;
		first += slot == -1 && i < N / 2;
		different &= fits && (slot < 0 || !seen[slot]);
		if (fits && slot >= 0)
			seen[slot] = true;
	}
	tap_int(none, padding, "exactly so many are -1");
	tap_ok(different, "the others are different slots");
	tap_ok(llabs(2 * first - padding) < 1000, "on all places: %lld of the first half",
	       (long long)first);
	(void)inputs_fill_part(&b, 0, 1, 1, again, &e);
	(void)inputs_fill_part(&b, 0, 1, 0, again, &e);
	tap_ok(memcmp(out, again, N * dtype_bytes(type)) == 0, "whichever part is made first");
	free(out);
	free(again);
	free(seen);
}

/* Slots that are -1, in the order of a permutation: half of 263,145 is 131,572.5. */
static void test_padding(void)
{
	check_padding(DTYPE_I64, "0.5", 131573);
	check_padding(DTYPE_I32, "0.5", 131573);
	check_padding(DTYPE_I32, "0.01", 2631);
	check_padding(DTYPE_I64, "1", INPUTS_PART + 1001);
}

/* Each part is made by a call of its own, in any order. */
static void test_parts(void)
{
	enum { N = 2 * INPUTS_PART + 3 };
	struct tensor t = {.name = "t", .fill = full->tensors[find("bias")].fill};
	struct workload w = {.tensors = &t, .n_tensors = 1, .path = full->path};
	struct bound_tensor bound = {.present = true, .dtype = DTYPE_F32, .count = N};
	struct binding b = tiny;
	float *whole = calloc(N, sizeof *whole), *parts = calloc(N, sizeof *parts);
	struct asc_err e;

	if (!whole || !parts)
		abort();
	b.workload = &w;
	b.tensors = &bound;
	tap_int((long long)inputs_parts(&b, 0), 3, "two whole parts and three elements");
	tap_int(inputs_fill(&b, 0, 1, NULL, whole, &e), ASC_OK, "all parts at once");
	for (size_t i = 3; i-- > 0;)
		tap_int(inputs_fill_part(&b, 0, 1, i, parts, &e), ASC_OK, "part %zu", i);
	tap_ok(memcmp(whole, parts, N * sizeof *whole) == 0, "make the same");
	tap_ok(memcmp(whole, whole + INPUTS_PART, 100 * sizeof *whole) != 0, "and differ");
	t.fill.kind = FILL_RAGGED_LENGTHS;
	tap_int((long long)inputs_parts(&b, 0), 1, "lengths are made in one");
	free(whole);
	free(parts);
}

/* Two tensors of several parts each, filled by as many threads as there are. */
static void test_hands(void)
{
	enum { N = 3 * INPUTS_PART + 5 };
	struct tensor list[] = {{.name = "a", .fill = full->tensors[find("x")].fill},
				{.name = "b", .fill = full->tensors[find("bias")].fill}};
	struct workload w = {.tensors = list, .n_tensors = 2, .path = full->path};
	struct bound_tensor bound[] = {{.present = true, .dtype = DTYPE_F32, .count = N},
				       {.present = true, .dtype = DTYPE_F32, .count = N}};
	const struct worker_problem_request request = {.seeds = {1, 1, 1}, .n_sets = 3};
	struct binding b = tiny;
	float *one = calloc(N, sizeof *one);
	void *inputs[WORKLOAD_MAX_TENSORS] = {calloc(N, sizeof *one), calloc(N, sizeof *one)};
	struct asc_err e;

	if (!one || !inputs[0] || !inputs[1])
		abort();
	b.workload = &w;
	b.tensors = bound;
	tap_int(inputs_make(&b, &request, 0, inputs, &e), ASC_OK, "two tensors at once");
	for (size_t i = 0; i < 2; i++) {
		tap_int(inputs_fill(&b, i, 1, NULL, one, &e), ASC_OK, "tensor %s alone",
			list[i].name);
		tap_ok(memcmp(one, inputs[i], N * sizeof *one) == 0, "is the same");
	}
	list[1].fill.high.text = "-2";
	tap_int(inputs_make(&b, &request, 0, inputs, &e), ASC_INPUT, "one cannot be filled");
	tap_has(e.text, "fill of tensor b: high is below low", "says so, whoever met it");
	for (size_t i = 0; i < 2; i++)
		free(inputs[i]);
	free(one);
}

/* ---- files ---- */

/* Two tensors of a set whose numbers are made anew: 1000 reals, every tenth -inf, and their places.
 */
static void test_fresh(void)
{
	enum { N = 1000 };
	static const char header[] =
		"{\"x\":{\"dtype\":\"F32\",\"shape\":[1000],\"data_offsets\":[0,4000]},"
		"\"i\":{\"dtype\":\"I32\",\"shape\":[1000],\"data_offsets\":[4000,8000]}} ";
	static struct {
		uint64_t length;
		char header[sizeof header - 1];
		float x[N];
		int32_t i[N];
	} __attribute__((packed)) file = {.length = sizeof header - 1};
	char folder[] = "/tmp/t-inputs.XXXXXX";
	struct tensor list[] = {{.name = "x", .fill = {.kind = FILL_FILE}},
				{.name = "i", .fill = {.kind = FILL_FILE}}};
	struct workload w = {.tensors = list, .n_tensors = 2, .folder = folder};
	struct input_set sets[] = {{.file = "f.safetensors"},
				   {.file = "f.safetensors", .fresh = true},
				   {.file = "f.safetensors", .fresh = true}};
	struct problem p = {.name = "p", .sets = sets, .n_sets = 3};
	struct bound_tensor bound[] = {{.present = true, .dtype = DTYPE_F32, .count = N},
				       {.present = true, .dtype = DTYPE_I32, .count = N}};
	struct binding b = {.workload = &w, .problem = &p, .tensors = bound};
	const struct worker_problem_request request = {.seeds = {1, 1, 1}, .n_sets = 3};
	static float x[4][N];
	static int32_t places[N];
	double sum = 0, squares = 0;
	size_t stayed = 0, equal = 0, same = 0;
	struct asc_err e;

	memcpy(file.header, header, sizeof file.header);
	for (int i = 0; i < N; i++) {
		/* 7.5 and 12.5 in turn: mean 10, standard deviation 2.5. */
		file.x[i] = i % 10 ? (i % 2 ? 7.5F : 12.5F) : -INFINITY;
		file.i[i] = i * 7 % N;
	}
	bound[0].shape[0] = bound[1].shape[0] = N;
	bound[0].rank = bound[1].rank = 1;
	if (!mkdtemp(folder))
		abort();
	char *path = str_print("%s/f.safetensors", folder);

	if (!path || file_write(path, &file, sizeof file, &e))
		abort();
	free(path);
	for (size_t set = 0; set < 4; set++)
		tap_int(inputs_make(&b, &request, set % 3,
				    (void *[WORKLOAD_MAX_TENSORS]){x[set], places}, &e),
			ASC_OK, "set %zu", set % 3);
	tap_ok(memcmp(x[0], file.x, sizeof file.x) == 0, "the first set is the file's");
	tap_ok(memcmp(x[3], x[0], sizeof file.x) == 0, "and is again");
	tap_ok(memcmp(places, file.i, sizeof file.i) == 0, "integers are the file's in each set");
	for (int i = 0; i < N; i++) {
		stayed += i % 10 == 0 && isinf(x[1][i]);
		if (i % 10 == 0)
			continue;
		equal += x[1][i] == x[0][i];
		same += x[1][i] == x[2][i];
		sum += (double)x[1][i];
		squares += ((double)x[1][i] - 10) * ((double)x[1][i] - 10);
	}
	tap_int(stayed, N / 10, "what is not finite stays");
	tap_int(equal, 0, "other numbers are new");
	tap_int(same, 0, "in each set others");
	/* Mean 9.722 of 400 times 12.5 and 500 times 7.5; a mean of 900 draws is off by 0.083, six
	 * times of which is 0.5. */
	tap_real(sum / 900, 9.722, 0.5, "with the mean of the file's");
	tap_real(sqrt(squares / 900), 2.5, 0.4, "and their spread");
	dir_remove(folder);
}

int main(void)
{
	struct asc_err e;
	struct facts facts = {0};

	facts_set(&facts, FACT_THREADS, 4);
	if (workload_open(TEST_DATA "/data/workload/full.json", &full, &e) ||
	    binding_init(&tiny, full, workload_find_problem(full, "tiny"), "cpu", &facts, &e)) {
		tap_ok(false, "%s", e.text);
		return tap_done();
	}
	test_normal();
	test_uniform();
	test_plain();
	check_different("table", 64);
	check_different("slots", 48);
	test_lengths();
	test_fresh();
	test_seeds();
	test_whole();
	test_tails();
	test_padding();
	test_parts();
	test_hands();
	binding_fini(&tiny);
	workload_close(full);
	return tap_done();
}
