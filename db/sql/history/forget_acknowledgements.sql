-- Removes the acknowledgements of :series.
DELETE FROM acknowledgement WHERE series = :series;
