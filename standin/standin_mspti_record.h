/* Records of MSPTI in the vendor's layouts: packed, each as long as its kind says. */
#ifndef ASCTUNE_STANDIN_STANDIN_MSPTI_RECORD_H
#define ASCTUNE_STANDIN_STANDIN_MSPTI_RECORD_H

#include "standin/standin_listener.h"
#include "tuner/device/libs/mspti_abi.h"

enum { MSPTI_N_KINDS = 13 };

/* A record whose texts are pointers at two offsets. */
struct mspti_record {
	unsigned char bytes[64];
	size_t size;
	char texts[2][96];
	size_t offsets[2];
	size_t n_texts;
};

struct mspti_record mspti_record_kernel(const struct standin_record *k);
struct mspti_record mspti_record_transfer(const struct standin_transfer *t);
struct mspti_record mspti_record_call(uint32_t kind, const struct standin_call *c);
struct mspti_record mspti_record_mark(const struct standin_mark *m);
struct mspti_record mspti_record_external(uint32_t kind, uint64_t id, uint64_t correlation);

/* Size of a record of a kind; 0: there is no such kind. */
size_t mspti_record_size(uint32_t kind);

#endif
