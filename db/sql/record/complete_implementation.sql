-- Adds what an earlier version did not record to a row of the same key, which covers it.
UPDATE implementation SET
  toolchain = coalesce(toolchain, :toolchain),
  options = coalesce(options, :options),
  sources = coalesce(sources, :sources),
  source_digest = :source_digest
WHERE id = :id AND source_digest IS NULL;
