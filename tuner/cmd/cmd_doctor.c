/* asctune doctor: what this machine offers, and why the rest is missing; what is in a database. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reports/page/plot/plotter.h"
#include "tuner/base/file.h"
#include "tuner/build/worker_python.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/listing.h"
#include "tuner/cmd/machine/doctor_db.h"
#include "tuner/cmd/machine/doctor_device.h"
#include "tuner/cmd/machine/machine_state.h"
#include "tuner/cmd/machine/survey.h"
#include "tuner/code/code_listing.h"
#include "tuner/device/device.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/reference_room.h"

extern const struct command doctor_command, examine_command;

/* Prints what the references of the cache take, or why that is not known. */
static bool describe_references(char *text, size_t size)
{
	char *cache = NULL;
	int64_t bytes, most;
	struct asc_err e;
	size_t n;

	if (places_cache(&cache, &e) || reference_room_read(&most, &e)) {
		(void)snprintf(text, size, "%.*s", (int)size - 1, e.text);
		free(cache);
		return false;
	}
	reference_room_count(cache, &n, &bytes);
	(void)snprintf(text, size,
		       "%zu in %s: %" PRId64 " MB; at most %" PRId64
		       " MB ($" REFERENCE_ROOM_VARIABLE ") stay",
		       n, cache, bytes / 1000000, most / 1000000);
	free(cache);
	return true;
}

/* Prints which Python can be a worker, or why none can. */
static bool describe_python(char *text, size_t size)
{
	const struct worker_python *python;
	struct asc_err e;

	if (worker_python_get(&python, &e)) {
		(void)snprintf(text, size, "%.*s", (int)size - 1, e.text);
		return false;
	}
	(void)snprintf(text, size, "%s, %s: measures functions of Python libraries (--python)",
		       python->interpreter.executable, python->interpreter.python);
	return true;
}

/* Adds a row for all that a run or a report uses, in groups: what keeps kernels in, what they run
 * on, what builds and measures them, what draws, and what makes times noisy. */
static void list_machine(struct listing *l)
{
	struct plotter plotter = {0};
	char text[512] = "";
	struct asc_err e;

	l->group = "sandbox";
	for (enum sandbox_part p = 0; p < SANDBOX_N_PARTS; p++) {
		(void)sandbox_state_reason(p, text, sizeof text);
		listing_add(l, sandbox_part_name(p), !*text, sandbox_part_meaning(p), text);
	}
	/* The kernel does not count the processes of root. */
	listing_add(l, "processes", geteuid() != 0, "has a limit on processes",
		    "root is not limited in processes");
	l->group = "device";
	for (size_t i = 0; device_list[i]; i++) {
		const bool usable = survey_check(device_list[i], text, sizeof text);

		listing_add(l, device_list[i]->name, usable, device_list[i]->summary, text);
	}
	l->group = "builder";
	survey_list_builders(l);
	l->group = "vendor";
	survey_list_vendors(l);
	l->group = "python";
	const bool calls = describe_python(text, sizeof text);

	listing_add(l, "worker", calls, text, text);
	l->group = "probe";
	survey_list_probes(l);
	l->group = "clock";
	survey_list_clocks(l);
	l->group = "code";
	bool lists = code_listing_check(false, text, sizeof text);

	listing_add(l, "cpu", lists, "objdump: counts and lists code of processors", text);
	lists = code_listing_check(true, text, sizeof text);
	listing_add(l, "cuda", lists, "nvdisasm or cuobjdump: lists code of GPUs", text);
	l->group = "cache";
	bool bounded = describe_references(text, sizeof text);

	listing_add(l, "references", bounded, text, text);
	l->group = "report";
	if (plotter_open(&plotter, NULL, &e))
		(void)snprintf(plotter.reason, sizeof plotter.reason, "%.*s",
			       (int)sizeof plotter.reason - 1, e.text);
	listing_add(l, "gnuplot", plotter.program, "draws the pictures of reports", plotter.reason);
	plotter_close(&plotter);
	/* Causes of noisy times: the text is the state, whether that is good or bad. */
	l->group = "quiet";
	const bool idle = machine_is_idle(text, sizeof text);

	listing_add(l, "load", idle, text, text);
	const bool steady = machine_is_steady(text, sizeof text);

	listing_add(l, "clock", steady, text, text);
}

struct doctor {
	const char *device, *db; /* --device, --db, or NULL */
	bool json;
};

enum { KEY_CANN = 256 };

static error_t parse_doctor(int key, char *arg, struct argp_state *state)
{
	struct doctor *o = state->input;

	switch (key) {
	case 'D': o->device = arg; return 0;
	case 'd': o->db = arg; return 0;
	case 'j': o->json = true; return 0;
	case KEY_CANN: command_parse_cann(state, arg); return 0;
	case ARGP_KEY_END:
		if (o->device && o->db)
			command_refuse(state, "--device or --db, not both");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option doctor_options[] = {
	{"device", 'D', "DEVICE", 0,
	 "tests this one, cuda[:N], npu[:N], npu:sim:SOC or cpu: versions, files and functions "
	 "that "
	 "are missing, limits, a copy, launches and the clock",
	 0},
	{"cann", KEY_CANN, "DIR", 0, COMMAND_CANN_HELP, 0},
	{"db", 'd', "FILE", 0,
	 "looks at this database instead: what takes its room, and whether it is sound", 0},
	{"json", 'j', NULL, 0, "prints one JSON object a line", 0},
	{0}};
static const struct argp doctor_argp = {
	doctor_options,
	parse_doctor,
	NULL,
	"Says which parts of the sandbox, which devices and which of the programs and libraries "
	"that "
	"are used where found this machine has, why it lacks the others, and what makes its times "
	"noisy; with --device, what one device has and whether it works.\vExit status: 0, or 1 "
	"when "
	"the sandbox lacks files, network or signals; with --device 0 when it works, 1 when a test "
	"fails, 2 when there is no such device, 3 when it is not usable; with --db 0 when the file "
	"is sound, 1 when it is not, 2 when it is no database.",
	0,
	0,
	0};

/* The device in the words of the listing, in a process that has its environment. */
static int examine(const char *device, bool json)
{
	static const int statuses[] = {[DOCTOR_WORKS] = EXIT_DONE,
				       [DOCTOR_FAILED] = EXIT_NEGATIVE,
				       [DOCTOR_ABSENT] = EXIT_NOTHING,
				       [DOCTOR_USAGE] = EXIT_USAGE};
	enum doctor_outcome outcome = DOCTOR_ABSENT;
	struct listing l;
	struct asc_err e, ended;

	listing_init(&l, "NAME|HERE|WHAT", json);
	const enum asc_status s = doctor_device(device, &l, &outcome, &e);

	if (listing_end(&l, &ended))
		return command_fail(&ended);
	return s ? command_fail(&e) : statuses[outcome];
}

static int examine_main(int argc, char **argv)
{
	return examine(argc > 1 ? argv[1] : "auto", argc > 2);
}

static int doctor_main(int argc, char **argv)
{
	struct doctor o = {0};
	struct listing l;
	struct asc_err e;
	int status = EXIT_DONE;

	command_parse(&doctor_argp, argc, argv, &o);
	if (o.db) {
		bool sound = false;

		if (doctor_db(o.db, o.json, &sound, &e))
			return command_fail(&e);
		return sound ? EXIT_DONE : EXIT_NEGATIVE;
	}
	if (o.device)
		return doctor_device_apart(o.device, o.json, &status, &e) ? command_fail(&e)
									  : status;
	/* Refusals of the kernel are known once a child was started. */
	if (sandbox_state_try(&e))
		return command_fail(&e);
	listing_init(&l, "NAME|HERE|WHAT", o.json);
	list_machine(&l);
	if (listing_end(&l, &e))
		return command_fail(&e);
	return sandbox_missing() ? EXIT_NEGATIVE : EXIT_DONE;
}

const struct command doctor_command = {"doctor", "says what this machine lacks, and why",
				       &doctor_argp, doctor_main};
const struct command examine_command = {"examine", "tests one device for doctor", NULL,
					examine_main};
