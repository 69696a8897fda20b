-- Drops the samples of trial :trial_id, their notes and its log; number and summary of the samples stay.
UPDATE trial SET samples = NULL, notes = NULL, log = NULL WHERE id = :trial_id;
