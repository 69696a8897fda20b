-- Value of a metric in a trial: the last of several.
INSERT OR REPLACE INTO metric(trial_id, name_id, value) VALUES(:trial_id, :name_id, :value);
