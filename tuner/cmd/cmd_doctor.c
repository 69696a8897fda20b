/* asctune doctor: what this machine offers, and why the rest is missing. */
#include <stdlib.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/sandbox.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/listing.h"
#include "tuner/cmd/sandbox_state.h"
#include "tuner/device/device.h"

extern const struct command doctor_command;

static void list_sandbox(struct listing *l)
{
	char reason[256];

	for (enum sandbox_part p = 0; p < SANDBOX_N_PARTS; p++) {
		char *name = str_print("sandbox.%s", sandbox_part_name(p));

		(void)sandbox_state_reason(p, reason, sizeof reason);
		if (name)
			listing_add(l, name, !*reason, sandbox_part_meaning(p), reason);
		free(name);
	}
	listing_add(l, "sandbox.processes", geteuid() != 0, "has a limit on processes",
		    "that limit does not bind root");
}

static void list_devices(struct listing *l)
{
	for (size_t i = 0; device_list[i]; i++) {
		char reason[512] = "", *name = str_print("device.%s", device_list[i]->name);
		const bool usable = device_list[i]->check(reason, sizeof reason);

		if (name)
			listing_add(l, name, usable, device_list[i]->summary, reason);
		free(name);
	}
}

static error_t parse_doctor(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*(bool *)state->input = true;
	return 0;
}

static const struct argp_option doctor_options[] = {
	{"json", 'j', NULL, 0, "prints one JSON object a line", 0}, {0}};
static const struct argp doctor_argp = {
	doctor_options,
	parse_doctor,
	NULL,
	"Says which parts of the sandbox and which devices this machine has, and why it lacks the "
	"others.\vExit status: 0, or 1 when the sandbox lacks files, network or signals.",
	0,
	0,
	0};

static int doctor_main(int argc, char **argv)
{
	bool json = false;
	struct listing l;
	struct asc_err e;

	command_parse(&doctor_argp, argc, argv, &json);
	if (sandbox_state_try(&e))
		return command_fail(&e);
	listing_init(&l, "NAME|HERE|WHAT", json);
	list_sandbox(&l);
	list_devices(&l);
	if (listing_end(&l, &e))
		return command_fail(&e);
	return sandbox_missing() ? EXIT_NEGATIVE : EXIT_DONE;
}

const struct command doctor_command = {"doctor", "says what this machine lacks, and why",
				       &doctor_argp, doctor_main};
