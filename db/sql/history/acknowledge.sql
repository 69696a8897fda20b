-- Acknowledges a change of :series.
INSERT INTO acknowledgement(series, since_ms, reason, who, made_ms, until_ms)
VALUES(:series, :since_ms, :reason, :who, :made_ms, :until_ms);
