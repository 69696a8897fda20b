-- Finds or makes a device. Rows that runs share say what the newest run on this machine said: a simulated one changes
-- nothing of them, but something has to be set for the id to be returned.
INSERT INTO device(fingerprint, kind, model, arch, driver, clock, machine)
VALUES(:fingerprint, :kind, :model, :arch, :driver, :clock, :machine)
ON CONFLICT(fingerprint) DO UPDATE SET
  kind = iif(:simulated, kind, excluded.kind),
  model = iif(:simulated, model, excluded.model),
  arch = iif(:simulated, arch, excluded.arch),
  driver = iif(:simulated, driver, excluded.driver),
  clock = iif(:simulated, clock, excluded.clock),
  machine = iif(:simulated, machine, excluded.machine)
RETURNING id;
