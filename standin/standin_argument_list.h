/* Argument lists of kernels: blocks that a caller builds one parameter after the other. */
#ifndef ASCTUNE_STANDIN_STANDIN_ARGUMENT_LIST_H
#define ASCTUNE_STANDIN_STANDIN_ARGUMENT_LIST_H

#include "standin/standin_binary.h"
#include "standin/standin_launch.h"

enum { STANDIN_MAX_PARAMETERS = 64 };

struct standin_argument_list {
	struct standin_object object;
	const struct standin_function *function;
	unsigned char block[STANDIN_MAX_BLOCK];
	size_t bytes; /* of the block so far */
	struct standin_parameter {
		size_t at, bytes;
	} parameters[STANDIN_MAX_PARAMETERS];
	size_t n;
	bool is_final; /* nothing is appended any more */
};

int standin_argument_list_make(struct standin_function *f, struct standin_argument_list **out);
int standin_argument_list_check(const struct standin_argument_list *l);

/* Appends a parameter, of 8 bytes and more at a multiple of 8, else of 4; `out` stands for it. */
int standin_argument_list_append(struct standin_argument_list *l, const void *value, size_t bytes,
				 struct standin_parameter **out);

/* Writes another value of the same size in a parameter's place. */
int standin_argument_list_update(struct standin_argument_list *l, const struct standin_parameter *p,
				 const void *value, size_t bytes);

#endif
