/* Any bytes as the names that writers are given: of workloads, devices, parameters, configurations
 * and series, as reasons and logs of failures. What each writes is read by a checker of its format
 * that shares nothing with the writer: names are text in it, and nothing else.
 *
 * The input's names are separated by NULs and used again when there are too few.
 * covers: c_header_export.c csv_export.c trace_export.c plot_script.c plot_svg.c track_write.c
 * track_lines.c history_marks.c page.c sink.c */
#include "tests/fuzz/target.h"
#include "tests/fuzz/writers/foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static foreign_writer_fn *const writers[] = {foreign_write_verdicts, foreign_write_pictures,
						     foreign_write_database};
	struct foreign f;

	foreign_init(&f, data, size);
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
		writers[i](&f);
	foreign_fini(&f);
	return 0;
}
