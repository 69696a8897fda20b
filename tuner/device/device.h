/* Targets that kernels run on: one table of operations per kind of device, and the opened device.
 *
 * A struct device is opened in the worker process only. Buffers and kernels belong to the device
 * that made them and are freed before it is closed. Failures come as asc_err; device_ops.lost says
 * afterwards whether the device can still be used. */
#ifndef ASCTUNE_DEVICE_DEVICE_H
#define ASCTUNE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/base/value.h"
#include "tuner/device/device_mask.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/limits/facts.h"

struct device;
struct device_buffer;
struct device_environment;
struct device_kernel;
struct library_files;
struct peaks;
struct result;
struct vendor_kernel;
struct work;

enum { DEVICE_PLACE_SIZE = 64 }; /* text after the colon of "cuda:1", with its NUL */

struct device_info {
	char model[96]; /* "AMD EPYC 7763 64-Core Processor" */
	char arch[64];  /* architecture that artifacts are built for: "x86-64 avx2 fma", "sm_90a" */
	char driver[96];        /* versions that may change results: kernel release, driver */
	char clock[24];         /* name of the clock that times launches: "monotonic" */
	char clock_passed[320]; /* why a preferred one does not: "activity: ..."; "" where none is,
				   or one was named */
	char machine[48]; /* stable identity of the machine or GPU, whatever its driver: "GPU-" and
			     its uuid, "host-" and a digest of the system's; "" if unavailable */
	char fingerprint[33]; /* content key of the members above and the facts; of a CPU without
				 driver and memory */
	char bus[32];         /* PCI address as the driver prints it; "" where there is none */
	bool shares_host;     /* kernels and compilers compete for the same cores: never build while
				 measuring */
	bool queues;          /* launches are queued: many are made in a row and waited for once */
	bool simulated;       /* a model gives the times, no clock */
	/* What bounds any kernel's rate, beside the facts; 0: unknown. Outside of the fingerprint,
	 * since devices are known by it in databases from before. */
	int64_t memory_bus_bits; /* width of the device memory's bus */
	int64_t most_mhz;        /* highest clock that the processors can be set to */
	struct facts facts;
};

/* Disturbances of launches, read before and after them. */
struct device_state {
	int64_t mhz;        /* clock of the processor that launches; 0: cannot be read */
	int64_t interrupts; /* number of times that this process had to wait for another one */
	int64_t waited_ns;  /* time that its threads have waited for a processor, all together */
	int64_t throttles;  /* number of times that the clock was lowered to keep cool; 0: perhaps
			       unknown */
	bool power_capped;  /* the limit of power is reached: a low clock is the steady state */
};

/* What this process has done so far, of a device whose kernels run in it. */
struct device_use {
	int64_t busy_ns;  /* time that its threads have been on processors, all together */
	int64_t faults;   /* number of pages that were not present */
	int64_t switches; /* number of times that a thread has left its processor */
};

/* Kernels that run in order as one launch; all borrowed. */
struct device_sequence {
	struct device_kernel *const *kernels;
	size_t n; /* at least 1 */
};

/* Facts of a launch that is timed by all that the device does (vendor_ops.anywhere). */
struct device_work {
	size_t pieces; /* kernels, copies and fills; 0: the clock has no records of them */
	bool held;     /* the stream was held while the function was called, or would have been: */
	bool waits;    /* but the function waits for the device */
};

/* Launches of one sequence that are made in a row and timed. */
struct device_batch {
	int64_t samples;  /* number of times to measure; 1 unless device_info.queues */
	int64_t launches; /* launches of each sample */
	bool cold; /* device_ops.flush precedes every launch, outside its time; only where the
		      device queues */
	int64_t *kernels_ns; /* for each sample: sum of the times of the kernels themselves, 0 where
				the device's clock has none; NULL: not wanted */
	struct device_work *work; /* of the last launch, where it is timed so; NULL: not wanted */
	int64_t *lost; /* counts up launches that were made again, since they had no time; NULL: not
			  wanted */
	/* Puts back what a launch has changed, after each one that is none of the batch's: a clock
	 * may have to learn, or to make one again. Waits. NULL: launches change nothing that they
	 * read; always so where a sample has several. */
	enum asc_status (*restore)(void *user, struct asc_err *e);
	void *user; /* of restore */
};

/* Tolerance of device_ops.compare: |out - reference| <= atol + rtol * |reference|; or exactness:
 * then the reference consists of numbers that the type has, and zeros of two signs differ. */
struct device_tolerance {
	enum dtype type; /* type of the output */
	int64_t count;   /* number of elements */
	double atol, rtol;
	bool exact;              /* never set for integers of 64 bits, which doubles do not hold */
	struct device_mask mask; /* over the reference */
};

struct device_difference {
	double max_abs, sum_abs, max_rel; /* of finite elements; relative where the reference is
					     not 0 */
	int64_t bad, not_finite; /* numbers of elements; not finite: where the reference is */
	int64_t first;           /* index of the first bad element; -1: none */
	double first_out, first_reference;
};

/* Harm to a buffer that no kernel may do. */
enum device_harm {
	DEVICE_UNHARMED,
	DEVICE_STRAY,  /* something was written outside of the buffer */
	DEVICE_CHANGED /* a read-only buffer was changed since it was protected, by something but
			  device_ops.write and .fill */
};

/* Places of a buffer's data (device_ops.move). They keep what addresses of allocations promise: 512
 * bytes by PyTorch's allocator (c10/core/impl, kMinBlockSize) and by aclrtMalloc, 256 by cuMemAlloc
 * (CUDA C++ Programming Guide, "Device Memory Accesses"). */
enum { DEVICE_MOVE_STEP = 512 };

struct device_ops {
	const char *name; /* cpu, cuda, npu */
	const char *summary;
	const char *caveat; /* of a device that is usable: "unverified on hardware"; NULL: none */

	/* Fills the environment, zeroed before, of processes that open the device at `place`.
	 * ASC_USAGE and ASC_ABSENT as of inspect. NULL: what they inherit is enough. */
	enum asc_status (*environment)(const char *place, struct device_environment *out,
				       struct asc_err *e);

	/* Environment variable that names one of the kind's clocks; NULL: there is one clock. */
	const char *clock_variable;

	/* Files of the vendor that are looked at where something is missing; NULL: none. */
	const struct library_files *files;

	/* Checks that a device of this kind is usable here; `reason` says why not. */
	bool (*check)(char *reason, size_t size);
	int (*count)(void); /* number of devices that `list devices` shows, numbered from 0 */

	/* Finds the facts of a device without opening it: what the coordinator needs for spaces and
	 * artifact keys. `place` is the text after the colon of "cuda:1", "" without one: it names
	 * one of several devices in a form that the kind of device defines. ASC_USAGE when `place`
	 * has another form, ASC_ABSENT when no such device is here. */
	enum asc_status (*inspect)(const char *place, struct device_info *out, struct asc_err *e);

	/* Opens the device at `place`, with the errors of inspect. NULL in an entry that only
	 * explains why it is not usable. */
	enum asc_status (*open)(const char *place, struct device **out, struct asc_err *e);
	/* Facts of an opened device, as inspect gives them; borrowed. */
	const struct device_info *(*info)(const struct device *d);
	void (*close)(struct device *d);
	/* Number that libraries of this process know the device by. NULL: it has none but 0. */
	int (*number)(const struct device *d);
	bool closes; /* it is closed before its process ends; others end with their process */
	bool (*lost)(const struct device *d);

	/* Allocates a buffer, 64-byte aligned. A read-only buffer is protected against kernels
	 * between calls of write where the device can. */
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
	/* Copies the data of `from`, in the device's own memory, to a buffer of that size there;
	 * of a read-only one its digest, too, so that nothing waits. NULL: it cannot. */
	enum asc_status (*copy)(struct device *d, struct device_buffer *b,
				const struct device_buffer *from, struct asc_err *e);
	/* Moves the data of a buffer to `at` bytes before the place where it lay first: a multiple
	 * of DEVICE_MOVE_STEP below move_end. Its contents go along where `keep`, else it holds
	 * anything. Kernels have to be bound to it anew. NULL: it cannot. */
	enum asc_status (*move)(struct device *d, struct device_buffer *b, size_t at, bool keep,
				struct asc_err *e);
	size_t move_end;
	/* Finds harms[i] of buffers[i], none of them NULL, with one wait. Reads the whole of
	 * read-only buffers. */
	enum asc_status (*look)(struct device *d, struct device_buffer *const *buffers, size_t n,
				enum device_harm *harms, struct asc_err *e);
	/* True where the last look found a write to what the device itself keeps in its memory, for
	 * what modules begin with. NULL: it keeps nothing there. */
	bool (*falsified)(const struct device *d);
	/* Finds digests[i] of the data of buffers[i], none of them NULL, with one wait; comparable
	 * on this device in this process. NULL: it cannot. */
	enum asc_status (*digest)(struct device *d, struct device_buffer *const *buffers, size_t n,
				  uint64_t *digests, struct asc_err *e);
	/* Copy bytes from and to an address of the device's own memory, which may be no buffer's,
	 * behind all that is queued; they are there on return. */
	enum asc_status (*fetch)(struct device *d, const void *from, void *to, size_t bytes,
				 struct asc_err *e);
	enum asc_status (*store)(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e);
	/* Copies bytes from one address of the device's own memory to another, which may be no
	 * buffer's and do not overlap, behind all that is queued, and fills those that it has
	 * copied with `byte`; that is done on return. NULL: it cannot. */
	enum asc_status (*take)(struct device *d, void *to, void *from, size_t bytes, int byte,
				struct asc_err *e);
	/* Address of the buffer as kernels are given it; NULL for NULL. */
	void *(*address)(const struct device_buffer *b);

	/* Loads a kernel from a file; see device_load(). */
	enum asc_status (*load)(struct device *d, const char *artifact, const char *entry,
				struct device_kernel **out, struct asc_err *e);
	/* Makes a kernel of a vendor library's function, whose launches are vendor_kernel_launch();
	 * owns `v` on success. */
	enum asc_status (*adopt)(struct device *d, struct vendor_kernel *v,
				 struct device_kernel **out, struct asc_err *e);
	void (*unload)(struct device *d, struct device_kernel *k);

	/* Prepares launches of `k`: tensors[i] is the buffer of tensor i (NULL when absent),
	 * scratch[i] the buffer of argument i. Copies what it needs. */
	enum asc_status (*bind)(struct device *d, struct device_kernel *k, const struct plan *plan,
				struct device_buffer *const *tensors,
				struct device_buffer *const *scratch, struct asc_err *e);

	/* Removes from the caches what earlier launches left there, so that the next launch, of `s`
	 * (NULL: of any kernel), is a cold one. */
	enum asc_status (*flush)(struct device *d, const struct device_sequence *s,
				 struct asc_err *e);

	void (*observe)(struct device *d, struct device_state *out);

	/* Queues `n` launches of bound kernels, untimed; they have ended when wait returns, or when
	 * launch does on a device that does not queue, or of what may work on any stream. */
	enum asc_status (*launch)(struct device *d, const struct device_sequence *s, int64_t n,
				  struct asc_err *e);
	enum asc_status (*wait)(struct device *d, struct asc_err *e);

	/* Runs bound kernels as the batch says and waits. ns[i] is the device's own measure of all
	 * launches of sample i together, on info.clock: each from the start of the first kernel to
	 * the end of the last. */
	enum asc_status (*run)(struct device *d, const struct device_sequence *s,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e);

	/* The members below may be NULL. */

	/* Watches all that the device does from here on, whoever asks for it, after a wait for all
	 * that it does now. `watched` follows in any case: it waits, ends that and hands out the
	 * work, borrowed until the next call; records that come late are waited for until there
	 * are `expected`, where 0 is unknown. ASC_ABSENT where the device's clock has no records of
	 * it. NULL: kernels run elsewhere. */
	enum asc_status (*watch)(struct device *d, struct asc_err *e);
	enum asc_status (*watched)(struct device *d, size_t expected, const struct work **list,
				   size_t *n, struct asc_err *e);

	/* Begins, or ends, launches whose time on the host is to be a program's: no profiler is in
	 * the process, as far as it leaves. Waits. NULL: there is none. */
	void (*undisturbed)(struct device *d, bool begins);

	/* Empties the caches: what earlier launches left there is written to memory and dropped, so
	 * that the next launch neither finds it nor pays for it; waits. NULL: flush does as much.
	 */
	enum asc_status (*empty)(struct device *d, struct asc_err *e);

	/* Tells what this process has done so far, which takes a microsecond for three threads.
	 * NULL: kernels run elsewhere. */
	void (*use)(struct device *d, struct device_use *out);

	/* Hands the device to the calling thread, from the thread that opened it. NULL: the device
	 * stays with the thread that opened it. */
	enum asc_status (*attach)(struct device *d, struct asc_err *e);

	/* Allocates a buffer like alloc, but in the host's memory, pinned; its address is the
	 * host's. NULL: the device's memory is the host's. */
	enum asc_status (*alloc_host)(struct device *d, size_t bytes, struct device_buffer **out,
				      struct asc_err *e);
	bool reaches_host; /* kernels reach such a buffer at its address */

	/* Labels a buffer, `label` being "y (f32[8, 4096])", for what is said of a kernel that dies
	 * beside it; copied, cut where it is long. NULL: the device has nothing to say then. */
	void (*label)(struct device_buffer *b, const char *label);

	/* Finds the first byte that was written past the end of the buffer: 1 is the one behind the
	 * buffer; where there is none, the first one before its start: -1 is the one before it; 0:
	 * none. NULL: the device sums its zones up where they lie and does not know. */
	int64_t (*find_stray)(const struct device_buffer *b);

	/* Compares the parameters that a loaded kernel takes with those that the plan passes: fails
	 * (ASC_INPUT) where number or sizes differ. ASC_OK where the driver does not know them. */
	enum asc_status (*match)(struct device *d, const struct device_kernel *k,
				 const struct plan *plan, struct asc_err *e);

	/* Compares the elements of `b` with as many doubles in `reference`, which lie masked in the
	 * device's memory and are unmasked in registers alone. ASC_ABSENT where the device cannot:
	 * then the host reads and compares them. */
	enum asc_status (*compare)(struct device *d, const struct device_buffer *b,
				   const struct device_buffer *reference,
				   const struct device_tolerance *how,
				   struct device_difference *out, struct asc_err *e);

	/* Adds what bound kernels take of the device, the most of any, as metrics of RESULT_KERNEL
	 * with names and units of their own; result/tie says which of them decide between equally
	 * fast kernels. */
	enum asc_status (*facts)(const struct device_sequence *s, struct result *out,
				 struct asc_err *e);

	/* Has launches of bound kernels run with about half as many threads at a time as they could
	 * (blocks on a multiprocessor; the threads of a CPU's launch), or, not `half`, as they were
	 * bound. ASC_ABSENT, with the reason, where no less can run. NULL: the device cannot. */
	enum asc_status (*halve)(struct device *d, const struct device_sequence *s, bool half,
				 struct asc_err *e);

	/* Records a launch of bound kernels into a graph of launches, which `replay` then launches;
	 * the launch itself does nothing. Work that it does at once, beside the graph, is done
	 * once. A try that fails may leave stream and process of no use: nothing but these two is
	 * asked of the device afterwards. NULL: it has no graphs. */
	enum asc_status (*capture)(struct device *d, const struct device_sequence *s,
				   struct asc_err *e);
	enum asc_status (*replay)(struct device *d, struct asc_err *e); /* queues; `wait` waits */

	/* Measures the device's peaks at several moments within a second or two, with nothing else
	 * running on it: PEAK_ARITHMETIC of `type`, PEAK_MEMORY and PEAK_LAUNCHES. Rates stay 0, or
	 * rows missing, where there is no way to measure them. */
	enum asc_status (*peaks)(struct device *d, enum dtype type, struct peaks *out,
				 struct asc_err *e);
};

/* Entries of device_list, each defined in a file of its own. */
extern const struct device_ops device_cuda, device_npu, device_cpu;
extern const struct device_ops
	*const device_list[]; /* NULL-terminated, in the order `auto` prefers */
const struct device_ops *device_find(const char *name); /* NULL when unknown */

/* Finds ops and place of a device by its name: "cuda:1" gives "1"; *ops is NULL for "auto".
 * ASC_USAGE when there is no such kind of device. */
enum asc_status device_parse(const char *text, const struct device_ops **ops,
			     char place[DEVICE_PLACE_SIZE], struct asc_err *e);

/* Finds ops and place of a device, of "auto" the first usable one; this process has the device's
 * environment. `why` gets one line: which device and why. ASC_ABSENT, with the reason, when the
 * device is not usable here, ASC_USAGE when there is no such device. */
enum asc_status device_choose(const char *text, const struct device_ops **ops,
			      char place[DEVICE_PLACE_SIZE], char *why, size_t size,
			      struct asc_err *e);

/* Parses the place of a numbered device: *number is what `place` says, 0 for "", of `count` devices
 * that are here. Errors as of device_ops.inspect. */
enum asc_status device_parse_number(const char *device, const char *place, int count, int *number,
				    struct asc_err *e);

/* Loads an artifact: a file by its path, or a vendor library's function, "openblas:gemm" with the
 * entry "gemm". *v is borrowed from the kernel, NULL for a file. */
enum asc_status device_load(const struct device_ops *ops, struct device *d, const char *artifact,
			    const char *entry, struct vendor_kernel **v, struct device_kernel **out,
			    struct asc_err *e);

/* Finds the harm of one buffer; see device_ops.look. */
enum asc_status device_look(const struct device_ops *ops, struct device *d, struct device_buffer *b,
			    enum device_harm *harm, struct asc_err *e);

/* Fills the fingerprint from the other members. */
enum asc_status device_info_seal(struct device_info *info, const char *device, struct asc_err *e);

/* True for the fingerprint of a device that differs from this one at most by its identity and by
 * the clock that times launches: its clocks, memory and other facts are the same. */
bool device_info_is_alike(const struct device_info *info, const char *device, const char *machine,
			  const char *clock, const char *fingerprint);

/* ---- what the entries share ---- */

enum {
	DEVICE_PATTERN =
		0xA5, /* every byte around the data of a buffer, which no kernel writes to */
	DEVICE_UUID_BYTES = 16,
	SCALAR_MAX_BYTES = 8
};

/* Prints "GPU-f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f" for the prefix "GPU". */
void device_print_uuid(const char *prefix, const unsigned char *uuid, char *text, size_t size);

/* Writes a scalar argument as the dtype_bytes(t) bytes that a kernel reads. binding_plan() has
 * checked that the type holds the value; u64 takes the bits of any 64-bit integer. */
void scalar_store(enum dtype t, struct value v, void *out);

#endif
