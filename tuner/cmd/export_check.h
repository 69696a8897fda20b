/* `asctune export --check`: which rows of exported tables are stale. */
#ifndef ASCTUNE_CMD_EXPORT_CHECK_H
#define ASCTUNE_CMD_EXPORT_CHECK_H

struct export_check {
	const char *path;    /* a table, its evidence, or a folder with some */
	const char *db;      /* NULL: the default */
	const char *device;  /* whose tables these are; NULL: not compared */
	const char *package; /* of the library that reads them; NULL: what is installed */
	const char *python;  /* NULL: not given; what it lacks is passed over then */
};

/* Runs the command; returns its exit status. */
int export_check_main(const struct export_check *o);

#endif
