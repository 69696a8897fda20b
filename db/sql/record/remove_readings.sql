-- Readings of a profile that is made anew.
DELETE FROM reading WHERE profile_id = :profile_id;
