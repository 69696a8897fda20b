-- Highest number of a trial; 0: there is none.
SELECT coalesce(max(id), 0) FROM trial;
