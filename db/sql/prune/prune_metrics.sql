-- Removes the metrics of the trials :ids, a JSON array.
DELETE FROM metric WHERE trial_id IN (SELECT value FROM json_each(:ids));
