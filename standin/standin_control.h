/* The stand-in's control: what the environment variable STANDIN sets.
 *
 *     soc=Ascend910B3;seed=1;fault=aicore=3;fault=spike=0.05
 *
 * Keys that are not listed in standin_control.c, and values that they do not have, are refused. */
#ifndef ASCTUNE_STANDIN_STANDIN_CONTROL_H
#define ASCTUNE_STANDIN_STANDIN_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/limits/limits.h"

/* id, name, argument (the text behind a fault's name), meaning. A kernel K is a number, which
 * counts the functions that the process has found in binaries, from 1; or grid:N, all launches of N
 * blocks, which is the same in every process. */
#define STANDIN_FAULTS(X)                                                                          \
	X(ERR, "err", CALL, "CODE@N: call number N returns CODE and does nothing")                 \
	X(AICORE, "aicore", KERNEL, "K: kernel K ends in an exception")                            \
	X(HANG, "hang", KERNEL, "K: kernel K does not end")                                        \
	X(WRONG, "wrong", WHERE,                                                                   \
	  "K, tail or grid: a wrong element of kernel K's output; of an "                          \
	  "output whose last block is not full; of a grid with more "                              \
	  "blocks than cores")                                                                     \
	X(NAN, "nan", KERNEL, "K: a NaN in the output of kernel K")                                \
	X(ZERO, "zero", NONE, "records of kernels without times")                                  \
	X(ROWS, "rows", NUMBER, "0 or 2: so many records of each kernel")                          \
	X(DROP, "drop", SHARE, "P: this share of the records is lost")                             \
	X(REORDER, "reorder", NONE, "records are not in the order of their kernels")               \
	X(RAMP, "ramp", NONE, "the clock starts at 60 % and rises for two seconds")                \
	X(DRIFT, "drift", NONE, "the records' clock is 50 ppm off and steps back once")            \
	X(SPIKE, "spike", SHARE, "P: this share of the launches takes 20 times as long")           \
	X(OOM, "oom", NUMBER, "N: allocation N of device memory fails, and those after it")        \
	X(PRELOAD, "preload", NONE, "every kind of record needs libmspti.so in LD_PRELOAD")

enum standin_fault {
#define X(id, name, argument, meaning) STANDIN_##id,
	STANDIN_FAULTS(X)
#undef X
		STANDIN_N_FAULTS
};

enum standin_where { STANDIN_OF_KERNEL, STANDIN_OF_TAIL, STANDIN_OF_GRID };

struct standin_fault_set {
	bool on;
	int64_t number; /* CALL: of the call; KERNEL, WHERE: of the kernel, 0: by `blocks`;
			   NUMBER */
	int64_t blocks; /* KERNEL, WHERE: of the launches that are meant; 0: by `number` */
	int code;       /* CALL */
	double share;   /* SHARE: 0 to 1 */
	enum standin_where where;
};

/* Rates of a SoC that the time model takes from the platform files. No time that comes of them is a
 * statement on an NPU's speed. */
struct standin_rates {
	int mhz;                 /* of cube and vector cores */
	double memory_per_cycle; /* bytes between device memory and one core */
	double tick_ns;          /* of a time stamp of an event */
	bool has_ffts; /* an argument block begins with the address of hardware synchronisation */
	bool malloc_extra; /* device memory takes 32 bytes more than was asked for */
};

struct standin_control {
	struct limits limits;
	struct standin_rates rates;
	char version[16];
	uint64_t seed;
	int devices;
	int64_t memory_bytes; /* of a device */
	int64_t compute_ms;   /* that a wait lets the stand-in compute */
	bool log_calls;       /* else the log has the balance alone */
	char once[256];  /* file that the first fault of a kernel makes, after which there is none;
			    "": every process has its faults */
	char alone[256]; /* file that the one process which subscribes to MSPTI has locked; "": any
			    number of processes may */
	struct standin_fault_set faults[STANDIN_N_FAULTS];
};

/* Parses a control text, NULL for none. ASC_INPUT names the entry that is not understood. */
enum asc_status standin_control_parse(const char *text, struct standin_control *out,
				      struct asc_err *e);

#endif
