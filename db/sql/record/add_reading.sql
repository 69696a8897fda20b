-- A figure of a profile, or why there is none: the last of several.
INSERT OR REPLACE INTO reading(profile_id, call, name_id, value, reason) VALUES(:profile_id, :call, :name_id, :value, :reason);
