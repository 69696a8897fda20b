/* The text around the tables of the exporter `c-header`. */
#ifndef ASCTUNE_TABLES_C_HEADER_H
#define ASCTUNE_TABLES_C_HEADER_H

/* `@` stands for the prefix; a line `$NAME` for a list. */
extern const char c_header_template[];

#define C_HEADER_BEGINS "/* Dispatch table written by asctune:"

enum { C_HEADER_MAX_PREFIX = 60 };

#endif
