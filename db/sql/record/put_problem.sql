-- Finds or makes a problem, as put_device does.
INSERT INTO problem(workload_id, key, name, dims_json, flops, bytes, element, kinds_json)
VALUES(:workload_id, :key, :name, :dims_json, :flops, :bytes, :element, :kinds_json)
ON CONFLICT(workload_id, name, key) DO UPDATE SET
  dims_json = iif(:simulated, dims_json, excluded.dims_json),
  flops = iif(:simulated, flops, excluded.flops),
  bytes = iif(:simulated, bytes, excluded.bytes),
  element = iif(:simulated, element, excluded.element),
  kinds_json = iif(:simulated, kinds_json, excluded.kinds_json)
RETURNING id;
