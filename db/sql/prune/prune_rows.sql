-- Removes the trials :ids, a JSON array, whose metrics are gone.
DELETE FROM trial WHERE id IN (SELECT value FROM json_each(:ids));
