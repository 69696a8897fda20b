/* The answers to a thread's last questions, kept beside the table: a program asks the same ones
 * again. */
#ifndef ASCTUNE_TABLES_LOOKUP_LOOKUP_MEMO_H
#define ASCTUNE_TABLES_LOOKUP_LOOKUP_MEMO_H

#include "reports/tables/lookup/lookup.h"

/* Answers as lookup_ask() does. Questions are told apart by 64 bits of a hash of all that they say.
 */
struct lookup_answer lookup_ask_again(const struct lookup *t, const struct asctune_question *q);

#endif
