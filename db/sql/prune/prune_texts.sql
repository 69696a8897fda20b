-- Drops the samples of the trials :ids, a JSON array, their notes and their logs; number and summary of the samples stay.
UPDATE trial SET samples = NULL, notes = NULL, log = NULL WHERE id IN (SELECT value FROM json_each(:ids));
