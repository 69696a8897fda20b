-- One count of the space of an implementation of a run.
INSERT INTO run_space(run_id, implementation_id, place, kind, origin, text, configurations)
VALUES(:run_id, :implementation_id, :place, :kind, :origin, :text, :configurations);
