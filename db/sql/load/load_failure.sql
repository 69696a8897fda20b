-- Status and reason of the trial :trial_id.
SELECT status, reason FROM trial WHERE id = :trial_id;
