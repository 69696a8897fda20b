/* A device to plan for in tests that compile for a GPU without one: what the driver reports of an
 * H200. */
#ifndef ASCTUNE_TESTS_H200_H
#define ASCTUNE_TESTS_H200_H

struct facts;

const struct facts *h200_facts(void); /* static */

#endif
