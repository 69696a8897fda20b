#include "tuner/worker/reference.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/base/md5.h"
#include "tuner/base/owner.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/process/thread.h"
#include "tuner/worker/buffer_label.h"
#include "tuner/worker/inputs.h"
#include "tuner/workload/binding/binding.h"

bool reference_has(const struct binding *b, size_t i)
{
	return b->tensors[i].present && b->workload->tensors[i].role != ROLE_IN;
}

size_t reference_bytes(const struct binding *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (reference_has(b, i))
			n += (size_t)b->tensors[i].count * sizeof(double);
	return n;
}

static bool is_made(const struct binding *b, size_t i)
{
	const struct tensor *t = &b->workload->tensors[i];

	return b->tensors[i].present && t->role != ROLE_OUT && t->fill.kind == FILL_FUNCTION;
}

/* Bytes of the inputs that functions make, and of the time that they took; 0: there are none. */
static size_t made_bytes(const struct binding *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		n += is_made(b, i) ? (size_t)b->tensors[i].bytes : 0;
	return n > 0 ? n + sizeof(int64_t) : 0;
}

size_t reference_file_bytes(const struct binding *b)
{
	const size_t n = reference_bytes(b);

	return n > 0 ? n + made_bytes(b) + sizeof(uint64_t) : 0;
}

/* ---- elements that are left alone ---- */

/* Bits of the mark: a quiet NaN with a payload of its own. Kept numbers that are NaN are all
 * written as NAN, whose payload is 0 here. */
static const uint64_t LEFT_BITS = UINT64_C(0xfff86c6566740000);

double reference_left(void)
{
	double x;

	memcpy(&x, &LEFT_BITS, sizeof x);
	return x;
}

bool reference_is_left(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits == LEFT_BITS;
}

bool reference_is_telling(const double *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(numbers[i]) || reference_is_left(numbers[i]))
			return true;
	return false;
}

void reference_expect(enum dtype dtype, const double *reference, const void *before, size_t n,
		      double *out)
{
	const size_t bytes = dtype_bytes(dtype);

	memcpy(out, reference, n * sizeof *out);
	for (size_t i = 0; i < n; i++)
		if (reference_is_left(out[i]))
			dtype_to_double(dtype, (const char *)before + i * bytes, &out[i], 1);
}

/* ---- the file's name ---- */

struct reference_key reference_key_of(const struct reference_key *any, const uint64_t *seeds,
				      size_t set)
{
	struct reference_key k = *any;

	k.seed = seeds[set];
	k.set = any->binding->problem->n_sets > 0 ? set : 0;
	return k;
}

char *reference_path(const char *cache, const struct reference_key *k)
{
	char set[24] = "", seed[MD5_TEXT_SIZE];

	(void)snprintf(seed, sizeof seed, "%" PRIu64, k->seed);
	if (k->seed != INPUTS_SEED)
		md5_print(seed, strlen(seed), seed);
	if (k->set)
		(void)snprintf(set, sizeof set, "-s%zu", k->set);
	char hard[HARD_KEY_SIZE];

	hard_set_print_key(k->hard, k->binding, hard);
	return str_print("%s/reference/%s-%s%s%s%s%s.%d.f64", cache, k->binding->key, seed, set,
			 hard, k->own ? "-" : "", k->own ? k->own : "", INPUTS_VERSION);
}

static bool has_size(const struct stat *st, const struct binding *b)
{
	const size_t bytes = reference_file_bytes(b);

	return S_ISREG(st->st_mode) &&
	       (st->st_size == (off_t)bytes || st->st_size == (off_t)(bytes - made_bytes(b)));
}

bool reference_is_kept(const char *cache, const struct reference_key *k)
{
	char *path = reference_path(cache, k);
	struct stat st;
	const bool kept = path && lstat(path, &st) == 0 && has_size(&st, k->binding);

	free(path);
	return kept;
}

/* ---- mapping ---- */

/* A kernel may have lowered the limit of the process that it runs in. */
static enum asc_status fail_map(int error, struct asc_err *e)
{
	struct rlimit limit;
	char bytes[UNITS_TEXT_SIZE];

	if (error != ENOMEM)
		return asc_err_set(e, ASC_IO, "cannot map the reference: %s", strerror(error));
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return asc_err_set(e, ASC_NOMEM, "no memory for the reference");
	return asc_err_set(e, ASC_NOMEM,
			   "no address space for the reference: the process is limited to %s "
			   "(RLIMIT_AS), by the kernel or by the user",
			   units_print_bytes((double)limit.rlim_cur, bytes));
}

enum asc_status reference_map(struct reference *r, const struct binding *b, struct asc_err *e)
{
	struct stat st;

	if (r->map || r->bytes == 0)
		return ASC_OK;
	/* A kernel shares this process: it may have closed the descriptor, and opened another file
	 * that got its number. */
	if (fstat(r->file, &st) != 0 || st.st_dev != r->device || st.st_ino != r->number)
		return asc_err_set(e, ASC_INPUT, "the reference's file was closed or replaced");
	void *map = mmap(NULL, r->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, r->file, 0);
	if (map == MAP_FAILED)
		return fail_map(errno, e);
	const double *at = r->map = map;
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		r->has[i] = reference_has(b, i);
		r->tensors[i] = r->has[i] ? at : NULL;
		if (r->has[i])
			at += b->tensors[i].count;
	}
	const bool has_made = made_bytes(b) > 0 && r->bytes == reference_file_bytes(b);
	const char *made = (const char *)at;

	for (size_t i = 0; i < b->workload->n_tensors && has_made; i++)
		if (is_made(b, i)) {
			r->inputs[i] = made;
			made += b->tensors[i].bytes;
		}
	if (has_made)
		memcpy(&r->inputs_ns, made, sizeof r->inputs_ns);
	return ASC_OK;
}

void reference_unmap(struct reference *r)
{
	if (!r->map)
		return;
	munmap(r->map, r->bytes);
	r->map = NULL;
	memset(r->tensors, 0, sizeof r->tensors);
	memset(r->inputs, 0, sizeof r->inputs);
}

void reference_close(struct reference *r)
{
	reference_unmap(r);
	if (r->bytes)
		close(r->file);
	*r = (struct reference){0};
}

/* ---- the file ---- */

/* The file ends with the XXH3-64 of what precedes it. */
static bool is_whole(const void *file, size_t bytes)
{
	uint64_t sum;

	memcpy(&sum, (const char *)file + bytes, sizeof sum);
	return sum == hash_bytes(file, bytes);
}

enum asc_status reference_check_owner(const char *cache, const struct reference_key *k,
				      struct asc_err *e)
{
	char *path = reference_path(cache, k), *folder = path ? path_folder(path) : NULL;
	enum asc_status s = folder ? owner_check_folder(folder, e) : asc_err_nomem(e);

	/* Another user's file in a folder of ours is no reason to stop. */
	if (s == ASC_OK && owner_check_file(path, e)) {
		log_print(LOG_WARN, "%s", e->text);
		(void)unlink(path);
	}
	free(folder);
	free(path);
	return s;
}

/* Maps an open file, which is closed where its size or its sum is wrong. */
static enum asc_status take_file(int fd, const char *path, const struct binding *b,
				 struct reference *r, struct asc_err *e)
{
	struct stat st;

	*r = (struct reference){.file = file_raise(fd), .bytes = reference_file_bytes(b)};
	if (fstat(r->file, &st) != 0)
		return asc_err_set(e, ASC_IO, "cannot read %s: %s", path, strerror(errno));
	if (!has_size(&st, b)) {
		reference_close(r);
		return ASC_OK;
	}
	r->bytes = (size_t)st.st_size;
	r->device = st.st_dev;
	r->number = st.st_ino;
	if (reference_map(r, b, e))
		return asc_err_wrap(e, "%s", path);
	if (r->map && !is_whole(r->map, r->bytes - sizeof(uint64_t))) {
		log_print(LOG_DEBUG, "%s is damaged and is worked out again", path);
		reference_close(r);
	}
	return ASC_OK;
}

enum asc_status reference_open(const char *path, const struct binding *b, struct reference *r,
			       bool *found, struct asc_err *e)
{
	*found = reference_bytes(b) == 0;
	if (*found)
		return ASC_OK;
	/* A link or a pipe is no file of the cache's own: it will be replaced. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
		return ASC_OK;
	if (fd < 0)
		return asc_err_set(e, ASC_IO, "cannot read %s: %s", path, strerror(errno));
	enum asc_status s = take_file(fd, path, b, r, e);
	if (s)
		reference_close(r);
	*found = r->map != NULL;
	return s;
}

/* Failures are only logged: without the file the reference is worked out again. */
bool reference_move(const char *from, const char *to, const struct reference_key *k)
{
	char *file = reference_path(from, k), *kept = reference_path(to, k);
	char *folder = kept ? path_folder(kept) : NULL;
	struct reference there = {0};
	bool found = true, moved = false;
	struct asc_err e;

	if (file && folder && file_exists(file) && dir_make(folder, &e) == ASC_OK &&
	    reference_open(kept, k->binding, &there, &found, &e) == ASC_OK && !found &&
	    !(moved = rename(file, kept) == 0))
		log_print(LOG_DEBUG, "%s is not kept: %s", kept, strerror(errno));
	reference_close(&there);
	free(folder);
	free(kept);
	free(file);
	return moved;
}

/* Writes what lies from `begin` to `end`, and its sum, for which there is room behind it. */
static enum asc_status write_file(const char *path, const char *begin, char *end, struct asc_err *e)
{
	const size_t bytes = (size_t)(end - begin);
	const uint64_t sum = hash_bytes(begin, bytes);

	memcpy(end, &sum, sizeof sum);
	return file_replace(path, begin, bytes + sizeof sum, e);
}

/* Makes infinities (of f8e4m3 NaN) of numbers that are beyond the output's type: what any kernel
 * writes there. */
static void overflow(const struct binding *b, double *numbers)
{
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const enum dtype type = b->tensors[i].dtype;
		char one[sizeof(double)];

		if (!reference_has(b, i))
			continue;
		for (int64_t k = 0; k < b->tensors[i].count; k++, numbers++)
			if (dtype_is_float(type) && fabs(*numbers) > dtype_largest(type)) {
				dtype_from_double(type, numbers, one, 1);
				dtype_to_double(type, one, numbers, 1);
			}
	}
}

enum asc_status reference_keep(const char *path, const struct binding *b, double *numbers,
			       void *const *inputs, int64_t slow_ns, struct asc_err *e)
{
	char *folder = path_folder(path), *const begin = (char *)numbers;
	char *const outputs_end = begin + reference_bytes(b), *end = outputs_end;
	const enum asc_status s = folder ? dir_make(folder, e) : asc_err_nomem(e);

	free(folder);
	if (s)
		return s;
	overflow(b, numbers);
	for (size_t i = 0; slow_ns > 0 && i < b->workload->n_tensors; i++)
		if (is_made(b, i)) {
			memcpy(end, inputs[i], (size_t)b->tensors[i].bytes);
			end += b->tensors[i].bytes;
		}
	if (end != outputs_end) {
		memcpy(end, &slow_ns, sizeof slow_ns);
		/* On a disk that has no room for these the outputs may fit. */
		if (write_file(path, begin, end + sizeof slow_ns, e) == ASC_OK)
			return ASC_OK;
	}
	return write_file(path, begin, outputs_end, e);
}

/* ---- running it ---- */

enum {
	SAMPLED = 3,       /* calls of a sample, spread evenly over the grid */
	NOT_WRITTEN = 0xFF /* bytes of a NaN */
};

struct run { /* of the reference, every tensor as doubles */
	const struct binding *binding;
	const struct device_ops *ops;
	struct device *device;
	bool own; /* the device was opened here */
	struct device_kernel *kernel;
	struct device_buffer *tensors[WORKLOAD_MAX_TENSORS];
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS];
	struct plan plan;
	double *numbers; /* the inputs in turn, then what the file has */
};

static size_t numbers_bytes(const struct binding *b)
{
	size_t bytes = reference_file_bytes(b);

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (b->tensors[i].present && (size_t)b->tensors[i].count > bytes / sizeof(double))
			bytes = (size_t)b->tensors[i].count * sizeof(double);
	return bytes;
}

enum asc_status reference_plan(const struct binding *b, struct plan *out, struct asc_err *e)
{
	struct device_info host;
	struct binding here = {0};

	if (device_find("cpu")->inspect("", &host, e) ||
	    binding_init(&here, b->workload, b->problem, "cpu", &host.facts, e))
		return e->status;
	enum asc_status s = binding_plan(&here, NULL, 0, NULL, out, e);
	binding_fini(&here);
	return s;
}

static void run_fini(struct run *r)
{
	struct asc_err none;

	if (r->numbers) /* not for kernels that run here later */
		explicit_bzero(r->numbers, numbers_bytes(r->binding));
	free(r->numbers);
	if (!r->device)
		return;
	r->ops->unload(r->device, r->kernel);
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		/* Memory of a device keeps its contents when it is released, for whoever has it
		 * next. */
		if (r->tensors[i] && r->ops->alloc_host)
			(void)r->ops->fill(r->device, r->tensors[i], 0, &none);
		r->ops->release(r->device, r->tensors[i]);
	}
	for (size_t i = 0; i < PLAN_MAX_ARGUMENTS; i++)
		r->ops->release(r->device, r->scratch[i]);
	if (r->own)
		r->ops->close(r->device);
}

/* Puts the tensors and scratch buffers on the device, inputs with the values that kernels see:
 * those of the tensor's own type. A sample writes a part of each output: the rest is NaN. */
static enum asc_status put_buffers(struct run *r, void *const *inputs, struct asc_err *e)
{
	const struct workload *w = r->binding->workload;
	const struct device_ops *ops = r->ops;

	for (size_t i = 0; i < w->n_tensors; i++) {
		const struct bound_tensor *t = &r->binding->tensors[i];
		const size_t bytes = (size_t)t->count * sizeof(double);

		if (!t->present)
			continue;
		if (ops->alloc(r->device, bytes, &r->tensors[i], e))
			return e->status;
		buffer_label_tensor(ops, r->tensors[i], w->tensors[i].name, t, DTYPE_F64);
		if (w->tensors[i].role == ROLE_OUT) {
			if (ops->fill(r->device, r->tensors[i], r->plan.sampled ? NOT_WRITTEN : 0,
				      e))
				return e->status;
			continue;
		}
		dtype_to_double(t->dtype, inputs[i], r->numbers, (size_t)t->count);
		if (ops->write(r->device, r->tensors[i], r->numbers, bytes, e))
			return e->status;
	}
	for (size_t i = 0; i < r->plan.n_arguments; i++) {
		const struct bound_argument *a = &r->plan.arguments[i];

		if (a->kind != ARG_SCRATCH)
			continue;
		if (ops->alloc(r->device, (size_t)a->bytes, &r->scratch[i], e))
			return e->status;
		buffer_label_scratch(ops, r->scratch[i], NULL, a);
	}
	return ASC_OK;
}

/* Reads the outputs into r->numbers, each after a look at its bounds: a reference that writes
 * beside a tensor may be wrong everywhere. */
static enum asc_status take_outputs(struct run *r, struct asc_err *e)
{
	const struct workload *w = r->binding->workload;
	double *at = r->numbers;

	for (size_t i = 0; i < w->n_tensors; i++) {
		const size_t n = (size_t)r->binding->tensors[i].count;
		enum device_harm harm = DEVICE_UNHARMED;

		if (r->tensors[i] && device_look(r->ops, r->device, r->tensors[i], &harm, e))
			return e->status;
		if (harm)
			return asc_err_set(e, ASC_INPUT, "wrote outside of tensor %s",
					   w->tensors[i].name);
		if (!reference_has(r->binding, i))
			continue;
		if (r->ops->read(r->device, r->tensors[i], at, n * sizeof *at, e))
			return e->status;
		at += n;
	}
	return ASC_OK;
}

/* Runs r->plan on r->device, both set by the caller, and puts the outputs into r->numbers. */
static enum asc_status run_all(struct run *r, const char *artifact, void *const *inputs,
			       struct asc_err *e)
{
	const struct callable *call = workload_reference(r->binding->workload, r->ops->name);
	const char *entry = callable_entry(call, r->ops->name);
	struct vendor_kernel *v;

	r->numbers = malloc(numbers_bytes(r->binding) + 1);
	if (!r->numbers)
		return asc_err_nomem(e);
	if (put_buffers(r, inputs, e) ||
	    device_load(r->ops, r->device, artifact, entry, &v, &r->kernel, e) ||
	    r->ops->bind(r->device, r->kernel, &r->plan, r->tensors, r->scratch, e) ||
	    r->ops->launch(r->device, &(struct device_sequence){&r->kernel, 1}, 1, e) ||
	    r->ops->wait(r->device, e) || take_outputs(r, e))
		return asc_err_wrap(e, "the reference of %s on %s", r->binding->workload->path,
				    r->ops->name);
	return ASC_OK;
}

/* Runs the C function, in all calls or in `sampled` of them. */
static enum asc_status run_here(struct run *r, const char *artifact, int64_t sampled,
				void *const *inputs, struct asc_err *e)
{
	r->ops = device_find("cpu");
	if (reference_plan(r->binding, &r->plan, e) || r->ops->open("", &r->device, e))
		return e->status;
	r->own = true;
	r->plan.sampled = sampled;
	return run_all(r, artifact, inputs, e);
}

enum asc_status reference_compute(const char *path, const struct binding *b, const char *artifact,
				  void *const *inputs, int64_t slow_ns, struct asc_err *e)
{
	struct run *r = calloc(1, sizeof *r);

	if (!r)
		return asc_err_nomem(e);
	r->binding = b;
	enum asc_status s = run_here(r, artifact, 0, inputs, e);
	if (!s)
		s = reference_keep(path, b, r->numbers, inputs, slow_ns, e);
	run_fini(r);
	free(r);
	return s;
}

/* ---- on the device ---- */

/* Compares with the sampled elements, those that are not NaN: a hundredth of what kernels are
 * allowed, so that the reference adds nothing to their errors. */
static enum asc_status check_tensor(const struct binding *b, size_t i, const double *have,
				    const double *want, struct asc_err *e)
{
	const struct bound_tensor *t = &b->tensors[i];

	for (int64_t k = 0; k < t->count; k++) {
		const double allowed =
			isfinite(want[k]) ? (t->atol + t->rtol * fabs(want[k])) / 100 : 0;
		if (isnan(want[k]) || have[k] == want[k] || fabs(have[k] - want[k]) <= allowed)
			continue;
		return asc_err_set(e, ASC_INPUT,
				   "%s: the reference on %s is wrong: element %lld of %s is %.17g, "
				   "not %.17g",
				   b->workload->path, b->device, (long long)k,
				   b->workload->tensors[i].name, have[k], want[k]);
	}
	return ASC_OK;
}

static enum asc_status check_sample(const struct run *r, const struct run *sample,
				    struct asc_err *e)
{
	const struct binding *b = r->binding;
	enum asc_status s = ASC_OK;
	size_t at = 0;

	for (size_t i = 0; !s && i < b->workload->n_tensors; i++) {
		if (!reference_has(b, i))
			continue;
		if (b->workload->tensors[i].role == ROLE_OUT &&
		    b->workload->tensors[i].verify.kind != VERIFY_DISTRIBUTION)
			s = check_tensor(b, i, r->numbers + at, sample->numbers + at, e);
		at += (size_t)b->tensors[i].count;
	}
	return s;
}

struct reference_sample {
	struct run run;
	const char *artifact;
	void *const *inputs;
	pthread_t thread;
	bool running;
	enum asc_status status;
	struct asc_err failure;
};

static void *run_sample(void *user)
{
	struct reference_sample *s = user;

	s->status = run_here(&s->run, s->artifact, SAMPLED, s->inputs, &s->failure);
	return NULL;
}

enum asc_status reference_sample_new(const struct binding *b, const char *artifact,
				     void *const *inputs, struct reference_sample **out,
				     struct asc_err *e)
{
	struct reference_sample *s = calloc(1, sizeof *s);

	*out = s;
	if (!s)
		return asc_err_nomem(e);
	s->run.binding = b;
	s->artifact = artifact;
	s->inputs = inputs;
	s->running = thread_start(&s->thread, NULL, run_sample, s) == 0;
	if (!s->running)
		(void)run_sample(s);
	return ASC_OK;
}

static enum asc_status sample_finish(struct reference_sample *s, struct asc_err *e)
{
	if (s->running)
		(void)pthread_join(s->thread, NULL);
	s->running = false;
	if (s->status)
		*e = s->failure;
	return s->status;
}

void reference_sample_free(struct reference_sample *s)
{
	struct asc_err e;

	if (!s)
		return;
	(void)sample_finish(s, &e);
	run_fini(&s->run);
	free(s);
}

enum asc_status reference_compute_on(const char *path, const struct binding *b,
				     const struct reference_site *site,
				     struct reference_sample *sample, void *const *inputs,
				     int64_t slow_ns, struct asc_err *e)
{
	struct run *r = calloc(1, sizeof *r);

	if (!r)
		return asc_err_nomem(e);
	r->ops = site->ops;
	r->device = site->device;
	r->binding = b;
	enum asc_status s = binding_plan(b, NULL, 0, NULL, &r->plan, e);
	if (!s)
		s = run_all(r, site->artifact, inputs, e);
	if (!s)
		s = sample_finish(sample, e);
	if (!s)
		s = check_sample(r, &sample->run, e);
	if (!s)
		s = reference_keep(path, b, r->numbers, inputs, slow_ns, e);
	run_fini(r);
	free(r);
	return s;
}
