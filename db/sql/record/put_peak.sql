-- Keeps the better of the peak that is there and of the new one, as peaks_merge() does. A lowest rate of 0: measured
-- by an earlier version, of unknown accuracy.
INSERT INTO peak(device_id, unit, type, rate, low, moments, measured_ms)
VALUES(:device_id, :unit, :type, :rate, :low, :moments, :now_ms)
ON CONFLICT DO UPDATE SET
  rate = iif(low > 0, max(rate, excluded.rate), excluded.rate),
  low = iif(low > 0, min(low, excluded.low), excluded.low),
  moments = max(moments, excluded.moments),
  measured_ms = excluded.measured_ms
WHERE excluded.low > 0
  AND (low = 0 OR excluded.rate > rate OR excluded.low < low OR excluded.moments > moments);
