-- Where the record of an engine's writes came from that images were made of: writes (the worker's calls), mount; NULL: no images, or not known.
ALTER TABLE tier_evidence ADD COLUMN route VARCHAR;
