-- Counts of the spaces of a run, in order.
SELECT i.name, s.kind, s.origin, s.text, s.configurations
FROM run_space s JOIN implementation i ON i.id = s.implementation_id
WHERE s.run_id = :run_id
ORDER BY i.idx, i.name, i.id, s.place;
