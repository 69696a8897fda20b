-- A new implementation. Its key covers toolchain, options and sources.
INSERT INTO implementation(name, key, idx, toolchain, options, sources)
VALUES(:name, :key, :index, :toolchain, :options, :sources)
RETURNING id;
