#include "tuner/worker/worker_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/tensor_file.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_memory.h"
#include "tuner/process/parts.h"
#include "tuner/worker/buffer_label.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/worker_sets.h"
#include "tuner/workload/binding/binding_files.h"
#include "tuner/workload/binding/workload_open.h"

static const size_t NO_SET = SIZE_MAX;

/* Time beyond which inputs of a further set are not made, since each set is put on the device at
 * least once, beside a search that takes seconds, and those of the first are kept for later runs.
 */
static const int64_t INPUTS_NS = INT64_C(250000000);

/* A problem while it is set up. */
struct setup {
	struct worker_problem *problem;
	const struct worker_problem_request *request;
	size_t set;                         /* whose inputs and reference are made */
	int64_t made_bytes;                 /* of references that the cache had not */
	int64_t reference_ns;               /* time that making a reference took last; 0: unknown */
	size_t held;                        /* set whose inputs are in inputs[]; NO_SET: none */
	int64_t inputs_ns;                  /* time that the inputs of a set took, the least */
	struct device_info info;            /* of the device, which may not be open yet */
	void *inputs[WORKLOAD_MAX_TENSORS]; /* contents of all inputs, until the reference is known
					     */
	char *path;                         /* path of the reference, or NULL */
	struct reference_sample *sample;    /* where the device is to compute that; else NULL */
	bool needs_own;                     /* the program's own configuration is to compute it */
};

static const struct tensor *tensor_at(const struct worker_problem *p, size_t i)
{
	return &p->workload->tensors[i];
}

/* ---- the workload ---- */

static enum asc_status open_workload(struct setup *s, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	struct worker_problem *p = s->problem;
	const struct problem *problem;

	if (workload_open_known(r->workload, r->hash, &p->workload, e) ||
	    workload_open_problem(p->workload, r->problem, &problem, e) ||
	    p->ops->inspect(r->place, &s->info, e))
		return e->status;
	/* Before anything is bound: twins have tensors and arguments of their own. */
	if (s->info.simulated)
		workload_use_twins(p->workload);
	if (binding_init(&p->binding, p->workload, problem, p->ops->name, &s->info.facts, e))
		return e->status;
	p->binding.rewrites_off = r->rewrites_off;
	p->hard = r->hard;
	memcpy(p->seeds, r->seeds, sizeof p->seeds);
	p->n_sets = worker_sets_in_files(p) ? problem->n_sets : r->n_sets;
	for (size_t i = 1; worker_sets_in_files(p) && i < p->n_sets; i++)
		p->seeds[i] = p->seeds[0];
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct json_node *n = json_find(r->fills, tensor_at(p, i)->name);
		const char *artifact;

		if (!n)
			continue;
		if (json_get_string(n, &artifact, e))
			return e->status;
		p->fills[i] = str_dup(artifact);
		if (!p->fills[i])
			return asc_err_nomem(e);
	}
	return binding_take_digests(&p->binding, r->digests, e);
}

/* ---- the inputs ---- */

/* Refuses a problem that does not fit the free memory: swapping would take minutes and end the
 * worker. */
static enum asc_status check_memory(const char *what, double bytes, struct asc_err *e)
{
	const double there = (double)cpu_memory_free_bytes();
	char need[UNITS_TEXT_SIZE], have[UNITS_TEXT_SIZE];

	if (there <= 0 || bytes <= there)
		return ASC_OK;
	return asc_err_set(e, ASC_LIMIT, "%s takes %s of memory, there are %s", what,
			   units_print_bytes(bytes, need), units_print_bytes(there, have));
}

/* Uses the first n sets of inputs, and says why there are no more. */
static enum asc_status use_sets(struct setup *s, size_t n, const char *why, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	/* No array: why there are no more is as long as any error's text. */
	char *text = str_print("%s: results are verified on %zu set%s of inputs instead of %zu: %s",
			       p->binding.problem->name, n, n == 1 ? "" : "s", p->n_sets, why);

	if (!text)
		return asc_err_nomem(e);
	p->n_sets = n;
	const enum asc_status noted = s->request->note(s->request->user, text, e);

	free(text);
	return noted;
}

/* Allocates the images of memories that hold views, the largest of so many bytes. */
static enum asc_status make_images(struct worker_problem *p, size_t largest, struct asc_err *e)
{
	if (largest == 0)
		return ASC_OK;
	p->now = malloc(largest);
	p->spare = malloc(largest);
	if (!p->now || !p->spare)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (!views_has(&p->binding, i))
			continue;
		p->images[i] = malloc((size_t)p->binding.tensors[i].memory_bytes);
		if (!p->images[i])
			return asc_err_nomem(e);
		p->uses[i] = views_find_use(&p->binding, i, p->now, p->spare);
	}
	return ASC_OK;
}

/* Allocates all inputs in this machine's memory, after a look whether there is room for them, for
 * the images of memories, and for the device's tensors where it shares that memory. */
static enum asc_status make_room(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const struct bound_tensor *t = p->binding.tensors;
	size_t largest = 0; /* of the images */
	double bytes = 0;
	struct asc_err none;

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const size_t image = views_has(&p->binding, i) ? (size_t)t[i].memory_bytes : 0;

		if (t[i].present)
			bytes += (double)t[i].memory_bytes * s->info.shares_host +
				 (double)t[i].bytes * (tensor_at(p, i)->role != ROLE_OUT);
		bytes += (double)image;
		largest = image > largest ? image : largest;
	}
	bytes += 2 * (double)largest;
	if (check_memory("the problem", bytes, e))
		return e->status;
	/* Another set is made in memory of its own, beside what kernels need by then. */
	if (!worker_sets_in_files(p) && p->n_sets > 1 &&
	    check_memory("another set", 2 * bytes, &none) && use_sets(s, 1, none.text, e))
		return e->status;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (!t[i].present || tensor_at(p, i)->role == ROLE_OUT)
			continue;
		s->inputs[i] = malloc((size_t)t[i].bytes + 1);
		if (!s->inputs[i])
			return asc_err_nomem(e);
		if (tensor_at(p, i)->role == ROLE_INOUT) /* is needed again */
			p->host[i] = s->inputs[i];
	}
	return make_images(p, largest, e);
}

struct copying {
	const char *from;
	char *to;
};

static void copy_span(void *user, size_t begin, size_t end)
{
	const struct copying *c = user;

	memcpy(c->to + begin, c->from + begin, end - begin);
}

/* Takes inputs of s->set that functions made from the file of its reference, which is open where it
 * has them, and out of wanted[]. *ns: the time that these took, 0: there are none. */
static enum asc_status take_kept(struct setup *s, void *wanted[WORKLOAD_MAX_TENSORS], int64_t *ns,
				 struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const bool aside = p->reference.bytes == 0;
	struct reference *const r = aside ? &p->references[s->set] : &p->reference;

	if (reference_map(r, &p->binding, e))
		return e->status;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (!wanted[i] || !r->inputs[i])
			continue;
		parts_pass((size_t)p->binding.tensors[i].bytes, copy_span,
			   &(struct copying){r->inputs[i], wanted[i]});
		wanted[i] = NULL;
	}
	*ns = r->inputs_ns;
	if (aside)
		reference_unmap(r);
	return ASC_OK;
}

/* Makes the contents of the inputs of s->set: all of them for the set that is the first to be made,
 * of the others what differs. Where two inputs have an element of a memory in common, both get the
 * content that it has there, so that the reference sees what kernels see. */
static enum asc_status make_contents(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const struct bound_tensor *t = p->binding.tensors;
	void *wanted[WORKLOAD_MAX_TENSORS] = {NULL};

	for (size_t i = 0; i < p->workload->n_tensors; i++)
		wanted[i] = s->held == NO_SET || worker_sets_has(p, i) ? s->inputs[i] : NULL;
	s->held = NO_SET;
	const int64_t start = clock_now_ns();
	int64_t kept_ns = 0;

	if (take_kept(s, wanted, &kept_ns, e) ||
	    inputs_make(&p->binding, s->request, s->set, wanted, e))
		return e->status;
	int64_t ns = clock_now_ns() - start;

	ns = ns > kept_ns ? ns : kept_ns;
	s->inputs_ns = s->inputs_ns > 0 && s->inputs_ns < ns ? s->inputs_ns : ns;
	worker_sets_lay_out(p, s->inputs);
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (s->inputs[i] && p->images[t[i].owner])
			view_gather(&t[i], p->images[t[i].owner], s->inputs[i]);
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (s->inputs[i] && inputs_check(&p->binding, i, s->inputs[i], e))
			return e->status;
	s->held = s->set;
	return ASC_OK;
}

/* Has the inputs of s->set made, unless they are there. A fill may fit the first seed alone: a
 * further set whose inputs make no sense ends the sets, so that there is none of its number. */
static enum asc_status make_inputs(struct setup *s, struct asc_err *e)
{
	if (s->held == s->set || make_contents(s, e) == ASC_OK)
		return ASC_OK;
	if (e->status != ASC_INPUT || s->set == 0 || worker_sets_in_files(s->problem))
		return e->status;
	const struct asc_err why_not = *e;

	return use_sets(s, s->set, why_not.text, e);
}

/* Allocates the memories of the tensors on the device, where the workload wants each of them. */
static enum asc_status alloc_tensors(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const struct device_ops *ops = p->ops;
	const struct bound_tensor *t = p->binding.tensors;
	size_t largest = 0;

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct tensor *stated = tensor_at(p, i);
		const bool on_host = stated->place == PLACE_HOST && ops->alloc_host;

		if (t[i].present && stated->role != ROLE_IN && (size_t)t[i].bytes > largest)
			largest = (size_t)t[i].bytes;
		if (!t[i].present || t[i].owner != i)
			continue;
		if ((on_host ? ops->alloc_host : ops->alloc)(p->device, (size_t)t[i].memory_bytes,
							     &p->buffers[i], e))
			return asc_err_wrap(e, "tensor %s", stated->name);
		buffer_label_tensor(ops, p->buffers[i], stated->name, &t[i], t[i].dtype);
	}
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (t[i].present)
			p->buffers[i] = p->buffers[t[i].owner];
	p->staging = malloc(largest + 1);
	return p->staging ? ASC_OK : asc_err_nomem(e);
}

/* ---- the reference ---- */

static enum asc_status say_reference(const struct setup *s, struct asc_err *e)
{
	return s->request->doing(s->request->user, "the reference", e);
}

static enum asc_status open_computed(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	bool found;

	if (reference_open(s->path, &p->binding, &p->reference, &found, e))
		return e->status;
	return found ? ASC_OK : asc_err_set(e, ASC_IO, "%s was changed", s->path);
}

/* Finds what outputs are compared with: numbers in float64 only where all of them are. */
static enum asc_status find_verified_by(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	struct binding_files files = {.binding = &p->binding};
	const struct tensor_member *m;
	bool recorded = false, in_doubles = true;

	p->verified_by = s->request->own_key ? VERIFIED_OWN : VERIFIED_FLOAT64;
	if (p->workload->reference_kind != REFERENCE_FILES)
		return ASC_OK;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		if (!reference_has(&p->binding, i))
			continue;
		if (binding_files_find(&files, s->set, i, CONTENT_AFTER, &m, e)) {
			binding_files_close(&files);
			return e->status;
		}
		recorded |= m != NULL;
		in_doubles &=
			m && m->dtype == DTYPE_F64 && p->binding.tensors[i].dtype != DTYPE_F64;
	}
	binding_files_close(&files);
	if (recorded)
		p->verified_by = in_doubles ? VERIFIED_FLOAT64 : VERIFIED_RECORDED;
	return ASC_OK;
}

/* Time that the inputs took, where it is worth while to keep them, and there is room; else 0. */
static int64_t slow_ns(const struct setup *s)
{
	const int64_t most = s->request->references_bytes;
	const int64_t bytes = (int64_t)reference_file_bytes(&s->problem->binding);

	return s->inputs_ns > INPUTS_NS && (most == 0 || bytes <= most) ? s->inputs_ns : 0;
}

static struct reference_key key_of_set(const struct setup *s, size_t set)
{
	const struct worker_problem *p = s->problem;
	const struct reference_key any = {
		.binding = &p->binding, .hard = p->hard, .own = s->request->own_key};

	return reference_key_of(&any, p->seeds, set);
}

/* Opens the reference that the cache has; *found without any, too, where nothing is verified. */
static enum asc_status find_reference(struct setup *s, bool *found, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	struct worker_problem *p = s->problem;
	const struct reference_key key = key_of_set(s, s->set);

	*found = true;
	if (!r->reference && !r->own_key)
		return ASC_OK;
	if (s->set == 0 && find_verified_by(s, e))
		return e->status;
	s->path = reference_path(r->cache, &key);
	if (!s->path)
		return asc_err_nomem(e);
	if (reference_open(s->path, &p->binding, &p->reference, found, e) || *found)
		return *found ? ASC_OK : e->status;
	free(s->path);
	s->path = reference_path(r->folder ? r->folder : r->cache, &key);
	return s->path ? ASC_OK : asc_err_nomem(e);
}

/* Computes a reference that the cache has not; or, where the device has a faster function, begins
 * with a sample of it, against which the device's results are checked. The program's own
 * configuration needs the device, too. */
static enum asc_status begin_reference(struct setup *s, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	const struct worker_problem *p = s->problem;
	double bytes = 0;

	/* Every tensor as doubles, inputs too. */
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->binding.tensors[i].present)
			bytes += (double)p->binding.tensors[i].count * sizeof(double);
	if (check_memory("the reference", bytes, e))
		return e->status;
	s->needs_own = r->own_key != NULL;
	if (s->needs_own)
		return ASC_OK;
	if (say_reference(s, e))
		return e->status;
	if (r->device_reference)
		return reference_sample_new(&p->binding, r->reference, s->inputs, &s->sample, e);
	if (reference_compute(s->path, &p->binding, r->reference, s->inputs, slow_ns(s), e))
		return e->status;
	return open_computed(s, e);
}

static enum asc_status finish_reference(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const struct reference_site site = {
		.ops = p->ops, .device = p->device, .artifact = s->request->device_reference};

	if (s->needs_own)
		return s->request->own(s->request->user, p, s->set, s->path, e)
			       ? e->status
			       : open_computed(s, e);
	if (!s->sample)
		return ASC_OK;
	if (say_reference(s, e) ||
	    reference_compute_on(s->path, &p->binding, &site, s->sample, s->inputs, slow_ns(s), e))
		return e->status;
	return open_computed(s, e);
}

/* Finds outputs whose reference has no finite number. Where the first set has no other outputs, its
 * comparison is no verification, which each result says then. A reference that was kept is `known`:
 * it was said when it was made. */
static enum asc_status look_at_numbers(struct setup *s, bool known, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	bool any = false, telling = false;
	char name[128], text[400];

	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const size_t n = (size_t)p->binding.tensors[i].count;

		if (!p->reference.tensors[i])
			continue;
		any = true;
		if (reference_is_telling(p->reference.tensors[i], n)) {
			telling = true;
			continue;
		}
		worker_problem_print_set(p, s->set, name, sizeof name);
		(void)snprintf(text, sizeof text,
			       "%s: all %zu elements that %s is compared with are NaN or infinite: "
			       "a wrong kernel may pass",
			       name, n, tensor_at(p, i)->name);
		if (!known && s->request->note(s->request->user, text, e))
			return e->status;
	}
	if (s->set == 0 && any && !telling)
		p->verified_by = VERIFIED_NOTHING_FINITE;
	return ASC_OK;
}

/* ---- all together ---- */

/* Keeps the reference of s->set for later, and makes place for that of the next one. */
static void set_aside(struct setup *s)
{
	struct worker_problem *p = s->problem;

	reference_unmap(&p->reference);
	p->references[s->set] = p->reference;
	p->reference = (struct reference){0};
	reference_sample_free(s->sample);
	s->sample = NULL;
	free(s->path);
	s->path = NULL;
}

/* Has the reference of s->set: the cache's, else one that is made, of inputs that are made and put
 * on the device for that; none where these inputs end the sets. */
static enum asc_status take_set(struct setup *s, struct asc_err *e)
{
	const struct worker_problem_request *r = s->request;
	struct worker_problem *p = s->problem;
	int64_t ns = 0, start;
	bool found = p->references[s->set].bytes > 0;

	if (found) { /* made before, and set aside */
		p->reference = p->references[s->set];
		p->references[s->set] = (struct reference){0};
		if (reference_map(&p->reference, &p->binding, e))
			return e->status;
	} else if (find_reference(s, &found, e)) {
		return e->status;
	}
	if (!found && r->kept_only)
		return asc_err_set(e, ASC_PROTOCOL,
				   "the reference is not in the cache, and kernels have run in "
				   "this process");
	/* Inputs of a further set are of no use until finals. */
	if (s->set > 0 && found)
		return ASC_OK;
	if (make_inputs(s, e))
		return e->status;
	if (s->set >= p->n_sets)
		return ASC_OK;
	start = clock_now_ns();
	if (!found && begin_reference(s, e))
		return e->status;
	ns += clock_now_ns() - start;
	if ((!p->device && (r->device(r->user, &p->device, e) || alloc_tensors(s, e))) ||
	    worker_sets_put_inputs(p, s->inputs, e))
		return e->status;
	start = clock_now_ns();
	if (!found && finish_reference(s, e))
		return e->status;
	ns += clock_now_ns() - start;
	s->reference_ns = found ? s->reference_ns : ns;
	s->made_bytes += found ? 0 : (int64_t)reference_file_bytes(&p->binding);
	return look_at_numbers(s, found, e);
}

/* Time that a reference takes to make: as the last one did, else by the FLOPs that the workload
 * states, where the C function makes it. 0: not known. */
static double expect_reference_ns(const struct setup *s)
{
	enum { A_PROCESSOR = 1 /* FLOPs of plain C in doubles in a ns, about */ };
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (s->reference_ns > 0)
		return (double)s->reference_ns;
	if (s->request->own_key || s->request->device_reference)
		return 0;
	return s->problem->binding.flops /
	       (A_PROCESSOR * (double)(processors > 1 ? processors : 1));
}

/* Leaves out the further sets where their inputs take long to make, as far as that is known. */
static enum asc_status drop_slow_sets(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	char why[200], text[UNITS_TEXT_SIZE];

	if (worker_sets_in_files(p) || s->inputs_ns <= INPUTS_NS)
		return ASC_OK;
	p->slow_fills = true;
	(void)snprintf(why, sizeof why, "the inputs of another one take %s to make",
		       units_print_duration((double)s->inputs_ns, text));
	/* It was said when the problem was set up for the first time. */
	if (s->request->kept_only)
		p->n_sets = 1;
	return p->n_sets > 1 ? use_sets(s, 1, why, e) : ASC_OK;
}

/* Takes the references of the sets behind the first. Those that the cache has not, of inputs that
 * are made here, are made while they are expected to fit the time that there is for that, and the
 * disk. */
static enum asc_status take_further_sets(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	const int64_t bytes = (int64_t)reference_file_bytes(&p->binding);
	const int64_t most_bytes = s->request->references_bytes;
	double spent_ns = 0;

	for (s->set = 1; s->set < p->n_sets; s->set++) {
		const double most_ns = (double)s->request->references_ns;
		const double ns = expect_reference_ns(s);
		const struct reference_key key = key_of_set(s, s->set);
		const bool kept = reference_is_kept(s->request->cache, &key);
		char why[200], text[UNITS_TEXT_SIZE];

		/* It was said when the problem was set up for the first time. */
		if (!worker_sets_in_files(p) && !kept && s->request->kept_only) {
			p->n_sets = s->set;
			return ASC_OK;
		}
		if (!worker_sets_in_files(p) && !kept && most_ns > 0 && spent_ns + ns > most_ns) {
			(void)snprintf(why, sizeof why, "a reference takes %s to make",
				       units_print_duration(ns, text));
			return use_sets(s, s->set, why, e);
		}
		if (!worker_sets_in_files(p) && !kept && most_bytes > 0 &&
		    s->made_bytes + bytes > most_bytes) {
			(void)snprintf(why, sizeof why,
				       "there is no room on disk for a reference of %s more "
				       "($ASCTUNE_REFERENCES_MB)",
				       units_print_bytes((double)bytes, text));
			return use_sets(s, s->set, why, e);
		}
		if (take_set(s, e))
			return e->status;
		spent_ns += kept ? 0 : (double)s->reference_ns;
		set_aside(s);
	}
	return ASC_OK;
}

/* True where the cache has the references of all sets. */
static bool all_kept(const struct setup *s)
{
	bool kept = true;

	for (size_t set = 0; set < s->problem->n_sets && kept; set++) {
		const struct reference_key key = key_of_set(s, set);

		kept = reference_is_kept(s->request->cache, &key);
	}
	return kept;
}

/* Sums up the inputs that functions of the workload fill, of s->set. */
static enum asc_status sum_functions(struct setup *s, uint64_t *sum, struct asc_err *e)
{
	const struct worker_problem *p = s->problem;

	*sum = 0;
	if (make_inputs(s, e))
		return e->status;
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (s->inputs[i] && tensor_at(p, i)->fill.kind == FILL_FUNCTION) {
			const uint64_t both[2] = {
				*sum,
				hash_bytes(s->inputs[i], (size_t)p->binding.tensors[i].bytes)};

			*sum = hash_bytes(both, sizeof both);
		}
	return ASC_OK;
}

/* Leaves out the further sets where they have the inputs of the first: nothing depends on a seed,
 * or functions alone could, and do not. Those that take long are left out before that. */
static enum asc_status compare_sets(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	bool functions = false, drawn = false, found;
	uint64_t first, second;

	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (worker_sets_has(p, i)) {
			functions |= tensor_at(p, i)->fill.kind == FILL_FUNCTION;
			drawn |= tensor_at(p, i)->fill.kind != FILL_FUNCTION;
		}
	if (worker_sets_in_files(p) || p->n_sets < 2 || drawn)
		return ASC_OK;
	if (!functions) {
		p->n_sets = 1;
		return ASC_OK;
	}
	/* They were compared before their references were made. */
	if (all_kept(s))
		return ASC_OK;
	s->set = 0;
	if (find_reference(s, &found, e)) /* its file may have the inputs */
		return e->status;
	set_aside(s);
	if (sum_functions(s, &first, e) || drop_slow_sets(s, e))
		return e->status;
	if (p->n_sets == 1)
		return ASC_OK;
	s->set = 1;
	if (sum_functions(s, &second, e))
		return e->status;
	return p->n_sets == 1 || first != second
		       ? ASC_OK
		       : use_sets(s, 1, "its fill functions make the same of every seed", e);
}

/* Sets a problem up. The order: what needs no device comes first, so that opening the device, which
 * takes seconds for some, goes on meanwhile: the workload and its binding, the contents of the
 * inputs, the reference. Then the device is waited for, and has its tensors; a reference that it
 * computes itself comes after these. The references of all sets of inputs are made here, since the
 * workload's functions run before kernels do; the first set comes last, and stays. Where a
 * reference is to be made, the first set comes first as well: its time, and that of its inputs, say
 * how many others there can be. */
static enum asc_status set_up(struct setup *s, struct asc_err *e)
{
	struct worker_problem *p = s->problem;
	bool there = false; /* the first set is */

	if (open_workload(s, e) || make_room(s, e) || compare_sets(s, e))
		return e->status;
	s->set = 0;
	if (!worker_sets_in_files(p) && !all_kept(s)) {
		if (take_set(s, e) || drop_slow_sets(s, e))
			return e->status;
		there = p->n_sets == 1;
		if (!there)
			set_aside(s);
	}
	if (!there) {
		if (take_further_sets(s, e))
			return e->status;
		s->set = 0;
		if (take_set(s, e) || drop_slow_sets(s, e))
			return e->status;
	}
	if (worker_sets_follow_reference(p, s->inputs, e))
		return e->status;
	/* inout tensors are restored before each launch: from there, not from the host. */
	return worker_problem_has_inout(p) && !s->info.shares_host ? worker_sets_keep(p, e)
								   : ASC_OK;
}

enum asc_status worker_problem_new(const struct device_ops *ops,
				   const struct worker_problem_request *request,
				   struct worker_problem **out, struct asc_err *e)
{
	struct worker_problem *p = calloc(1, sizeof *p);
	struct setup s = {.problem = p, .request = request, .held = NO_SET};

	*out = NULL;
	if (!p)
		return asc_err_nomem(e);
	p->ops = ops;
	p->inputs = s.inputs;
	enum asc_status status = set_up(&s, e);

	reference_sample_free(s.sample); /* before the inputs, which its thread reads */
	/* Frees the inputs, which are on the device now, but for inout tensors. */
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		if (s.inputs[i] != p->host[i])
			free(s.inputs[i]);
	}
	p->inputs = NULL;
	free(s.path);
	if (status)
		worker_problem_free(p);
	else
		*out = p;
	return status;
}
