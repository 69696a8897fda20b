-- A command that begins its share, later than the newest row.
INSERT INTO share(number, count, way, dealt, problems, all_problems, seed, version, history, started_ms)
VALUES(:number, :count, :way, :dealt, :problems, :all_problems, :seed, :version, :history,
  max(:now_ms, 1 + (SELECT ms FROM newest)))
RETURNING id;
