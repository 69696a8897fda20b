-- The metric with a probe, name and unit.
SELECT id FROM metric_name WHERE probe = :probe AND name = :name AND unit = :unit;
