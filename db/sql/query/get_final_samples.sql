-- Samples of a finalist of the run :run_id.
SELECT f.samples
FROM final f
JOIN implementation i ON i.id = f.implementation_id
WHERE f.run_id = :run_id AND i.name = :implementation AND f.config_key = :config_key AND f.samples IS NOT NULL;
