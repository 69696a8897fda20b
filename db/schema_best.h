/* What is best of all that was recorded, as the schema says it: one definition for every reader. */
#ifndef ASCTUNE_DB_SCHEMA_BEST_H
#define ASCTUNE_DB_SCHEMA_BEST_H

/* Statements, ended by NULL, that bring a database of version 9 to version 10. */
extern const char *const schema_best[];

#endif
