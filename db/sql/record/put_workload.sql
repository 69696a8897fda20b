-- Finds or makes a workload, as put_device does.
INSERT INTO workload(name, operator, export_json)
VALUES(:name, :operator, :export_json)
ON CONFLICT(name) DO UPDATE SET
  operator = iif(:simulated, operator, excluded.operator),
  export_json = iif(:simulated, export_json, excluded.export_json)
RETURNING id;
