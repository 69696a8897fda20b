-- A new metric.
INSERT INTO metric_name(probe, name, unit) VALUES(:probe, :name, :unit) RETURNING id;
