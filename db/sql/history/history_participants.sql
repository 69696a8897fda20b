-- Names of the implementations that took part in run :run_id, those of resumed results, too.
SELECT DISTINCT i.name
FROM run_implementation x
JOIN implementation i ON i.id = x.implementation_id
WHERE x.run_id = :run_id
ORDER BY i.name;
