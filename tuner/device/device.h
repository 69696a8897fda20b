/* A target that kernels run on: one table of operations per kind, and what every caller may ask of
 * it.
 *
 * A struct device is opened in the worker process only. Buffers and kernels belong to the device
 * that made them and are freed before it is closed. Failures come as asc_err; device_ops.lost says
 * afterwards whether the device can still be used. */
#ifndef ASCTUNE_DEVICE_DEVICE_H
#define ASCTUNE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/binding.h"
#include "tuner/model/facts.h"

struct device;
struct device_buffer;
struct device_kernel;
struct peaks;

enum { DEVICE_OPS_VERSION = 2 };

struct device_info {
	char model[96];   /* "AMD EPYC 7763 64-Core Processor" */
	char arch[64];    /* what artifacts are built for: "x86-64 avx2 fma", "sm_90a" */
	char driver[96];  /* versions that may change results: kernel release, driver */
	char clock[24];   /* the clock that times launches: "monotonic" */
	char machine[48]; /* which one of its model it is, whatever driver it runs: "GPU-" and its
			     uuid, "host-" and a digest of the system's; "" where nothing tells */
	char fingerprint[33]; /* content key of everything above and the facts; of a CPU
				 without driver and memory */
	struct facts facts;
};

/* What may disturb a launch, read before and after it. */
struct device_state {
	int64_t mhz;        /* clock of the processor that launches; 0: cannot be read */
	int64_t interrupts; /* how often this process had to wait for another one, so far */
	int64_t waited_ns;  /* how long its threads have waited for a processor, all together */
	int64_t throttles;  /* how often the clock was lowered to keep cool, so far; 0: unknown too
			     */
	bool power_capped;  /* a low clock is the steady state: the limit of power is reached */
};

/* Launches of one kernel that are made in a row and timed. */
struct device_batch {
	int64_t samples;  /* times to tell; 1 unless device_ops.queues */
	int64_t launches; /* of each sample */
	bool cold; /* device_ops.flush before every launch, outside its time; only where the device
		      queues */
};

/* How device_ops.compare compares: |out - reference| <= atol + rtol * |reference|; or exactly: then
 * the reference is of numbers that the type has, and zeros of two signs differ. */
struct device_tolerance {
	enum dtype type; /* of the output */
	int64_t count;   /* elements */
	double atol, rtol;
	bool exact; /* not for integers of 64 bits, which doubles do not hold */
};

struct device_difference {
	double max_abs, sum_abs, max_rel; /* of the finite errors; relative where the reference is
					     not 0 */
	int64_t bad, not_finite;          /* elements; not finite where the reference is */
	int64_t first;                    /* bad element; -1: none */
	double first_out, first_reference;
};

/* What one kernel takes of the device; negative: unknown. */
struct device_use {
	int64_t registers;    /* of a thread */
	int64_t local_bytes;  /* of a thread: spilled registers and local arrays */
	int64_t shared_bytes; /* of a block, that of the launch included */
};

struct device_ops {
	int version;      /* DEVICE_OPS_VERSION */
	const char *name; /* cpu, cuda, npu */
	const char *summary;
	bool shares_host; /* kernels and compilers compete for the same cores: never build while
			     measuring */
	bool queues; /* launches are put in a queue: many are made in a row and waited for once */

	/* Usable here? If not, `reason` says why in words. */
	bool (*check)(char *reason, size_t size);
	int (*count)(void);

	/* Facts without opening: what the coordinator needs for spaces and artifact keys. */
	enum asc_status (*inspect)(int ordinal, struct device_info *out, struct asc_err *e);

	/* NULL in an entry that only explains why it is not usable. */
	enum asc_status (*open)(int ordinal, struct device **out, struct asc_err *e);
	void (*close)(struct device *d);
	bool (*lost)(const struct device *d);

	/* 64-byte aligned. A read-only buffer is protected against kernels between device_ops.write
	 * calls where the device can. */
	enum asc_status (*alloc)(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e);
	void (*release)(struct device *d, struct device_buffer *b);
	enum asc_status (*write)(struct device *d, struct device_buffer *b, const void *data,
				 size_t bytes, struct asc_err *e);
	enum asc_status (*read)(struct device *d, const struct device_buffer *b, void *data,
				size_t bytes, struct asc_err *e);
	enum asc_status (*fill)(struct device *d, struct device_buffer *b, int byte,
				struct asc_err *e);
	enum asc_status (*protect)(struct device *d, struct device_buffer *b, bool read_only,
				   struct asc_err *e);
	/* True when nothing was written outside of the buffer. */
	bool (*intact)(struct device *d, const struct device_buffer *b);

	/* `artifact` is the path of a file, or the name of a vendor library's function:
	 * "openblas:gemm" with entry "gemm" (no path of an artifact is without a slash). */
	enum asc_status (*load)(struct device *d, const char *artifact, const char *entry,
				struct device_kernel **out, struct asc_err *e);
	void (*unload)(struct device *d, struct device_kernel *k);

	/* Prepares launches of `k`: tensors[i] is the buffer of tensor i (NULL when absent);
	 * scratch[i] that of argument i. Copies what it needs. */
	enum asc_status (*bind)(struct device *d, struct device_kernel *k, const struct plan *plan,
				struct device_buffer *const *tensors,
				struct device_buffer *const *scratch, struct asc_err *e);

	/* Puts out of the caches what earlier launches left there, by writing twice the size of
	 * each last level: the next launch is a cold one. Takes far longer than a small kernel. */
	enum asc_status (*flush)(struct device *d, struct asc_err *e);

	void (*observe)(struct device *d, struct device_state *out);

	/* Runs the bound kernel as the batch says and waits. ns[i] is the device's own measure of
	 * all launches of sample i together, on info.clock. */
	enum asc_status (*run)(struct device *d, struct device_kernel *k,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e);

	/* What follows may be NULL. */

	/* True when nothing but device_ops.write and .fill has changed the read-only buffer `b`
	 * since it was protected; of others always. Reads the whole buffer. */
	bool (*unchanged)(struct device *d, const struct device_buffer *b);

	/* Compares the elements of `b` with as many doubles in `reference`, where both lie.
	 * ASC_ABSENT where it cannot: then they are read and compared elsewhere. */
	enum asc_status (*compare)(struct device *d, const struct device_buffer *b,
				   const struct device_buffer *reference,
				   const struct device_tolerance *how,
				   struct device_difference *out, struct asc_err *e);

	/* Of a bound kernel. */
	void (*use)(const struct device_kernel *k, struct device_use *out);

	/* Measures what the device reaches at best, at several moments within a second or two and
	 * with nothing else running on it: the bandwidth, and FLOP/s of `type`, which stay 0 where
	 * there is no way to measure them. NULL: it cannot tell. */
	enum asc_status (*peaks)(struct device *d, enum dtype type, struct peaks *out,
				 struct asc_err *e);
};

extern const struct device_ops
	*const device_list[]; /* NULL-terminated, in the order `auto` prefers */
const struct device_ops *device_find(const char *name); /* NULL when unknown */

/* "cuda:1" -> ops and ordinal; "auto" takes the first usable. `why` gets one line: which and why.
 * ASC_ABSENT when not usable here (with the reason), ASC_USAGE when no such device. */
enum asc_status device_choose(const char *text, const struct device_ops **ops, int *ordinal,
			      char *why, size_t size, struct asc_err *e);

/* Fills fingerprint from the other members. */
enum asc_status device_info_seal(struct device_info *info, const char *device, struct asc_err *e);

#endif
