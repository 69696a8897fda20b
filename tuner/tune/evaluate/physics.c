#include "tuner/tune/evaluate/physics.h"

#include <math.h>
#include <string.h>

#include "tuner/base/dtype.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/result/roofline.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload.h"

/* ---- least work ---- */

/* True for integers that are places of elements rather than numbers: an input beside one may be
 * read in part. */
static bool is_index(enum dtype t)
{
	return !dtype_is_float(t) && dtype_bytes(t) >= 4;
}

/* True when the launch of each implementation for the device is given the whole tensor. */
static bool is_given_whole(const struct binding *b, size_t tensor)
{
	for (size_t i = 0; i < b->workload->n_implementations; i++) {
		const struct implementation *x = &b->workload->implementations[i];
		bool given = !name_list_has(&x->devices, b->device);

		for (size_t k = 0; k < x->n_calls && !given; k++)
			for (size_t a = 0; a < x->calls[k].n_arguments && !given; a++) {
				const struct argument *arg = &x->calls[k].arguments[a];

				given = arg->tensor == tensor && !arg->is_view &&
					(arg->kind == ARG_TENSOR || arg->kind == ARG_TENSOR_MAP);
			}
		if (!given)
			return false;
	}
	return true;
}

/* True where it is known without "bytes" that a launch reads the whole tensor. Contents that a
 * program has handed over say nothing of what its kernels read of them. */
static bool is_read_whole(const struct binding *b, size_t tensor)
{
	if (b->workload->reference_kind != REFERENCE_FUNCTION ||
	    b->workload->tensors[tensor].role != ROLE_IN || !is_given_whole(b, tensor))
		return false;
	for (size_t i = 0; i < b->workload->n_tensors; i++)
		if (b->tensors[i].present && b->workload->tensors[i].role != ROLE_OUT &&
		    is_index(b->tensors[i].dtype))
			return false;
	return true;
}

/* Bytes of a problem's tensors. Memory that several lie in counts once. */
struct traffic {
	double in;      /* read once: of inputs, and of what is read and written */
	double out;     /* written: of outputs alone, whose every element is verified */
	double written; /* the most that may be written */
};

static struct traffic find_traffic(const struct binding *b)
{
	const bool stated = b->workload->bytes.text != NULL;
	struct traffic all = {0};

	for (size_t o = 0; o < b->workload->n_tensors; o++) {
		const double most = (double)b->tensors[o].memory_bytes;
		struct traffic own = {0};

		for (size_t i = 0; i < b->workload->n_tensors; i++) {
			const struct bound_tensor *t = &b->tensors[i];
			const enum tensor_role role = b->workload->tensors[i].role;

			if (!t->present || t->owner != o)
				continue;
			/* Elements of a view may lie in one place. */
			const double bytes = fmin((double)t->bytes, (double)t->span_bytes);

			own.in += role != ROLE_OUT && (stated || is_read_whole(b, i)) ? bytes : 0;
			own.out += role == ROLE_OUT ? bytes : 0;
			own.written += role != ROLE_IN ? bytes : 0;
		}
		all.in += fmin(own.in, most);
		all.out += fmin(own.out, most);
		all.written += fmin(own.written, most);
	}
	return all;
}

/* The most that the device's caches can keep from one launch to the next. On a CPU each thread may
 * have a last level of its own. Infinite: unknown. */
static double find_cache(const struct device_info *info)
{
	const struct facts *f = &info->facts;
	double last = 0, inner = 0;

	if (f->known[FACT_LLC_BYTES])
		last = (double)f->value[FACT_LLC_BYTES];
	if (f->known[FACT_L2_BYTES])
		inner = (double)f->value[FACT_L2_BYTES];
	if (last + inner <= 0)
		return INFINITY;
	if (!info->shares_host)
		return fmax(last, inner);
	return f->known[FACT_THREADS] ? (last + inner) * (double)f->value[FACT_THREADS] : INFINITY;
}

/* Least bytes between memory and the device. With hot caches a launch may find in them what the
 * one before left, and leave as much. */
static double find_bytes(const struct binding *b, const struct device_info *info,
			 enum cache_policy policy)
{
	const double cache = find_cache(info), found = policy == CACHE_HOT ? cache : 0;
	const struct traffic t = find_traffic(b);

	if (b->workload->least.bytes.text)
		return fmax(b->least_bytes - (found > 0 ? 2 * found : 0), 0);
	double bytes = fmax(t.in - found, 0) + fmax(t.out - cache, 0);

	if (b->workload->bytes.text)
		bytes = fmin(bytes, b->bytes - found - fmin(t.written, cache));
	return fmax(bytes, 0);
}

/* ---- limits of devices ---- */

/* Factor by which hardware may exceed what was measured of it: clocks and neighbours differ from
 * one moment to another. */
static const double LIMIT_MARGIN = 1.25;

/* Bytes moved for each that a triad counts, at most, on a processor that reads a line before it
 * writes to it: four for three (J. McCalpin, STREAM). */
static const double ALLOCATED = 4.0 / 3;

/* FLOPs of a multiprocessor in a cycle, without sparsity: twice the multiply-adds of the tensor
 * units, or of the plain ones where these do more. By NVIDIA's whitepapers: "A100 Tensor Core GPU
 * Architecture" (2020), table 1 and 3; "Ampere GA102 GPU Architecture" (2021) with the data sheet
 * of the A40, whose units are not throttled as those of GeForce; "Ada GPU Architecture" (2022) with
 * the data sheet of the L40S; "H100 Tensor Core GPU Architecture" (2022), table 2; "Blackwell
 * Architecture Technical Brief" (2024): peaks, divided by multiprocessors and clock. */
static const struct unit_rate {
	int capability; /* as FACT_COMPUTE_CAPABILITY */
	double f64, f32, f16, f8, i8;
} units[] = {
	{80, 128, 1024, 2048, 2048, 4096},    {86, 4, 512, 1024, 1024, 2048},
	{89, 4, 512, 1024, 2048, 2048},       {90, 256, 2048, 4096, 8192, 8192},
	{100, 256, 4096, 8192, 16384, 16384},
};

static double find_unit_rate(int64_t capability, enum dtype type)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		const struct unit_rate *u = &units[i];

		if (u->capability != capability)
			continue;
		switch (type) {
		case DTYPE_F64: return u->f64;
		case DTYPE_F32: return u->f32; /* by TF32 */
		case DTYPE_F16:
		case DTYPE_BF16: return u->f16;
		case DTYPE_F8E4M3:
		case DTYPE_F8E5M2: return u->f8;
		case DTYPE_I8:
		case DTYPE_U8: return u->i8;
		default: return 0;
		}
	}
	return 0;
}

static double find_hardware_arithmetic(const struct device_info *info, enum dtype type)
{
	const struct facts *f = &info->facts;
	double mhz = (double)info->most_mhz;

	if (!f->known[FACT_COMPUTE_CAPABILITY] || !f->known[FACT_PROCESSORS])
		return 0;
	/* The nominal clock, where NVML does not tell the highest. */
	if (mhz <= 0 && f->known[FACT_CLOCK_MHZ])
		mhz = LIMIT_MARGIN * (double)f->value[FACT_CLOCK_MHZ];
	return find_unit_rate(f->value[FACT_COMPUTE_CAPABILITY], type) *
	       (double)f->value[FACT_PROCESSORS] * mhz * 1e6;
}

/* Memory of two transfers a cycle, as drivers state its clock. */
static double find_hardware_memory(const struct device_info *info)
{
	const struct facts *f = &info->facts;

	if (info->memory_bus_bits <= 0 || !f->known[FACT_MEMORY_CLOCK_MHZ])
		return 0;
	return 2e6 * (double)f->value[FACT_MEMORY_CLOCK_MHZ] * (double)info->memory_bus_bits / 8;
}

/* By how much a peak may be too low beside that, which all its moments share: two programs at a
 * time leave each half of the memory's rate, and four a quarter. */
static const double FEW_MARGIN = 2, BUSY_MARGIN = 4;

/* The measured rate of memory. Threads that wait for each other are far slower on a busy machine
 * than one that has a processor for a moment, and together they move no more than so many times
 * what one does: then the higher of both counts; no rate where that of one is not known. */
static struct peak find_memory(const struct device_info *info, const struct peaks *peaks)
{
	const struct facts *f = &info->facts;
	struct peak found = *peaks_find(peaks, PEAK_MEMORY, "");
	const double one = peaks_find(peaks, PEAK_MEMORY, PEAK_THREAD)->rate;

	if (found.moments > 0)
		return found;
	found.rate = one > 0 && f->known[FACT_THREADS]
			     ? fmax(found.rate, one * (double)f->value[FACT_THREADS])
			     : 0;
	return found;
}

/* The measured rate of arithmetic; none of busy moments alone. */
static struct peak find_arithmetic(const struct peaks *peaks, const char *type)
{
	struct peak found = *peaks_find(peaks, PEAK_ARITHMETIC, type);

	found.rate = found.moments > 0 ? found.rate : 0;
	return found;
}

/* The limit of a rate: the hardware's, unless more was measured, which shows that the driver tells
 * something else; else by the measured peak. */
static double find_limit(double hardware, const struct peak *measured, double margin)
{
	if (hardware > 0 && !(measured->rate > hardware))
		return hardware;
	if (measured->moments < PEAKS_ENOUGH_MOMENTS)
		margin *= measured->moments > 0 ? FEW_MARGIN : BUSY_MARGIN;
	return margin * measured->rate;
}

/* ---- both together ---- */

/* Least bytes for which a peak is worth its time: what a memory of 100 GB/s moves in a microsecond.
 * Of less, the work beside memory takes as long as that. */
static const double WORTH_BYTES = 1e5;

void physics_find(const struct binding *b, const struct device_info *info, enum cache_policy cache,
		  const struct peaks *peaks, struct physics *out)
{
	enum dtype type = DTYPE_F32;
	double ns = 0;

	*out = (struct physics){0};
	if (info->simulated)
		return;
	const char *name = binding_element(b, &type) ? dtype_name(type) : "";

	out->bytes = find_bytes(b, info, cache);
	out->flops = b->least_flops;
	const struct peak memory = find_memory(info, peaks);
	const struct peak arithmetic = find_arithmetic(peaks, name);

	out->memory = find_limit(find_hardware_memory(info), &memory,
				 LIMIT_MARGIN * (info->shares_host ? ALLOCATED : 1));
	out->arithmetic =
		find_limit(find_hardware_arithmetic(info, type), &arithmetic, LIMIT_MARGIN);
	if (out->memory > 0)
		ns = 1e9 * out->bytes / out->memory;
	if (out->arithmetic > 0)
		ns = fmax(ns, 1e9 * out->flops / out->arithmetic);
	/* Rounded down: medians of a clock that counts nanoseconds are compared with it. */
	out->least_ns = ns < (double)UNITS_DURATION_MOST_NS ? (int64_t)ns : UNITS_DURATION_MOST_NS;
}

bool physics_wants_peaks(const struct physics *p)
{
	return (p->bytes >= WORTH_BYTES && !(p->memory > 0)) ||
	       (p->flops > 0 && !(p->arithmetic > 0));
}

bool physics_judge(const struct physics *p, struct result *r)
{
	char took[UNITS_TEXT_SIZE], work[UNITS_TEXT_SIZE], rate[UNITS_TEXT_SIZE],
		least[UNITS_TEXT_SIZE];

	if (!result_status_timed(r->status) || r->n_samples == 0 ||
	    !(r->time.median < (double)p->least_ns))
		return false;
	const bool by_memory = p->memory > 0 && p->bytes / p->memory * 1e9 >= (double)p->least_ns;

	result_set(
		r, RESULT_IMPOSSIBLE, PHASE_MEASURE, "%s, where %s at %s take %s",
		units_print_duration(r->time.median, took),
		units_print_rate(by_memory ? p->bytes : p->flops, by_memory ? "B" : "FLOP", work),
		units_print_rate(by_memory ? p->memory : p->arithmetic,
				 by_memory ? "B/s" : "FLOP/s", rate),
		units_print_duration((double)p->least_ns, least));
	return true;
}
