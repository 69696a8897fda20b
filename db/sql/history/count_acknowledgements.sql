-- Number of acknowledgements of :series.
SELECT count(*) FROM acknowledgement WHERE series = :series;
