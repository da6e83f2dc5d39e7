-- What a feed reader with a server asks its database all day: one thread fetches feeds, one person reads, and two apps synchronize.
CREATE TABLE folder(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE);
CREATE TABLE feed(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL REFERENCES folder(id), url TEXT NOT NULL UNIQUE, title TEXT NOT NULL, etag TEXT, next_fetch INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0);
CREATE INDEX feed_by_fetch ON feed(next_fetch);
CREATE TABLE entry(id INTEGER PRIMARY KEY, feed INTEGER NOT NULL REFERENCES feed(id) ON DELETE CASCADE, guid TEXT NOT NULL, title TEXT, author TEXT, url TEXT, content TEXT, published INTEGER NOT NULL, is_read INTEGER NOT NULL DEFAULT 0, is_starred INTEGER NOT NULL DEFAULT 0, changed_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE(feed, guid));
CREATE INDEX entry_by_feed ON entry(feed, published DESC);
CREATE INDEX entry_unread ON entry(feed) WHERE is_read = 0;
CREATE INDEX entry_starred ON entry(published) WHERE is_starred = 1;
CREATE TABLE enclosure(entry INTEGER NOT NULL REFERENCES entry(id) ON DELETE CASCADE, url TEXT NOT NULL, bytes INTEGER, PRIMARY KEY(entry, url)) WITHOUT ROWID;
CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
CREATE TABLE entry_tag(entry INTEGER NOT NULL, tag INTEGER NOT NULL, PRIMARY KEY(entry, tag)) WITHOUT ROWID;
CREATE TABLE fetch_log(id INTEGER PRIMARY KEY, feed INTEGER NOT NULL, at TEXT NOT NULL DEFAULT (datetime('now')), status INTEGER);
BEGIN;
-- repeat 8
-- :id = each 1..8
INSERT INTO folder VALUES (:id, 'folder ' || :id);
-- end
-- repeat 40
-- :id = each 1..40
-- :folder = uniform 1..8
-- :title = text 8..40
-- :next = uniform 0..1000
INSERT INTO feed(id, folder, url, title, next_fetch) VALUES (:id, :folder, 'https://example.org/' || :id, :title, :next);
-- end
-- repeat 20
-- :id = each 1..20
INSERT INTO tag VALUES (:id, 'tag ' || :id);
-- end
-- repeat 2000
-- :id = each 1..2000
-- :feed = zipf 1..40
-- :title = text 10..90
-- :content = text 200..2000
-- :published = uniform 1..1000000
-- :read = one of 0, 1, 1, 1
INSERT INTO entry(id, feed, guid, title, author, url, content, published, is_read) VALUES (:id, :feed, 'guid-' || :id, :title, 'somebody', 'https://example.org/e/' || :id, :content, :published, :read);
-- end
-- repeat 500
-- :entry = uniform 1..2000
-- :tag = zipf 1..20
INSERT OR IGNORE INTO entry_tag VALUES (:entry, :tag);
-- end
COMMIT;

-- measure
-- thread: fetcher
-- repeat 20
-- name: feeds that are due
-- :now = uniform 100..1000
SELECT id, url, etag FROM feed WHERE next_fetch <= :now ORDER BY next_fetch LIMIT 20;
-- name: a feed is stored
BEGIN IMMEDIATE;
-- name: entry is known
-- :feed = zipf 1..40
-- :guid = uniform 1..4000
SELECT id FROM entry WHERE feed = :feed AND guid = 'guid-' || :guid;
-- name: new entry
-- :id = each 10001..20000
-- :feed = zipf 1..40
-- :title = text 10..90
-- :content = text 200..2000
-- :published = uniform 1000000..2000000
INSERT OR IGNORE INTO entry(id, feed, guid, title, content, published) VALUES (:id, :feed, 'new-' || :id, :title, :content, :published);
-- name: its enclosure
-- :id = each 10001..20000
-- :bytes = uniform 1000..9000000
INSERT OR IGNORE INTO enclosure VALUES (:id, 'https://example.org/audio/' || :id, :bytes);
-- name: entry was edited
-- :id = uniform 1..2000
-- :title = text 10..90
UPDATE entry SET title = :title, changed_at = CURRENT_TIMESTAMP WHERE id = :id;
-- name: feed was fetched
-- :feed = zipf 1..40
-- :next = uniform 0..1000
UPDATE feed SET next_fetch = :next, etag = hex(:next), failures = 0 WHERE id = :feed;
-- name: log of fetches
-- :feed = zipf 1..40
INSERT INTO fetch_log(feed, status) VALUES (:feed, 200);
COMMIT;
-- name: feed has failed
-- :feed = uniform 1..40
UPDATE feed SET failures = failures + 1 WHERE id = :feed;
-- name: old entries go
-- :feed = uniform 1..40
-- :before = uniform 1..20000
DELETE FROM entry WHERE feed = :feed AND published < :before AND is_read = 1 AND is_starred = 0;
-- end

-- thread: person
-- repeat 20
-- name: folders with unread
SELECT folder.id, folder.title, count(entry.id) FROM folder LEFT JOIN feed ON feed.folder = folder.id LEFT JOIN entry ON entry.feed = feed.id AND entry.is_read = 0 GROUP BY folder.id ORDER BY folder.title;
-- name: feeds of a folder
-- :folder = uniform 1..8
SELECT feed.id, feed.title, (SELECT count(*) FROM entry WHERE entry.feed = feed.id AND is_read = 0) FROM feed WHERE folder = :folder ORDER BY feed.title;
-- name: newest of a feed
-- :feed = zipf 1..40
SELECT id, title, published, is_read, is_starred FROM entry WHERE feed = :feed ORDER BY published DESC LIMIT 50;
-- name: newest of a folder
-- :folder = uniform 1..8
SELECT entry.id, entry.title, feed.title, published FROM entry JOIN feed ON feed.id = entry.feed WHERE feed.folder = :folder ORDER BY published DESC LIMIT 50;
-- name: one entry
-- :id = uniform 1..2000
SELECT title, author, url, content FROM entry WHERE id = :id;
-- name: tags of an entry
-- :id = uniform 1..2000
SELECT tag.name FROM entry_tag JOIN tag ON tag.id = entry_tag.tag WHERE entry_tag.entry = :id ORDER BY tag.name;
-- name: mark as read
-- :id = uniform 1..2000
UPDATE entry SET is_read = 1, changed_at = CURRENT_TIMESTAMP WHERE id = :id;
-- name: star
-- :id = uniform 1..2000
UPDATE entry SET is_starred = 1 - is_starred WHERE id = :id;
-- name: next unread of the feed
-- :feed = zipf 1..40
-- :published = uniform 1..1000000
SELECT id, title FROM entry WHERE feed = :feed AND is_read = 0 AND published < :published ORDER BY published DESC LIMIT 1;
-- name: search in titles
-- :word = one of '%ab%', '%the%', '%x%', '%qu%'
SELECT id, title FROM entry WHERE title LIKE :word ORDER BY published DESC LIMIT 20;
-- name: starred
SELECT id, title FROM entry WHERE is_starred = 1 ORDER BY published DESC LIMIT 50;
-- name: entries of a tag
-- :tag = zipf 1..20
SELECT entry.id, entry.title FROM entry_tag JOIN entry ON entry.id = entry_tag.entry WHERE entry_tag.tag = :tag ORDER BY entry.published DESC LIMIT 50;
-- name: tag an entry
BEGIN;
-- name: add a tag
-- :entry = uniform 1..2000
-- :tag = uniform 1..20
INSERT OR IGNORE INTO entry_tag VALUES (:entry, :tag);
-- name: count of tags
-- :tag = uniform 1..20
SELECT count(*) FROM entry_tag WHERE tag = :tag;
COMMIT;
-- name: remove a tag
-- :entry = uniform 1..2000
-- :tag = uniform 1..20
DELETE FROM entry_tag WHERE entry = :entry AND tag = :tag;
-- name: rename a feed
-- :feed = uniform 1..40
-- :title = text 8..40
UPDATE feed SET title = :title WHERE id = :feed;
-- name: mark a feed as read
-- :feed = uniform 1..40
-- :until = uniform 1..1000000
UPDATE entry SET is_read = 1 WHERE feed = :feed AND is_read = 0 AND published <= :until;
-- name: last fetches
SELECT feed, at, status FROM fetch_log ORDER BY id DESC LIMIT 20;
-- end

-- thread: app x 2
-- repeat 20
-- name: unread in all
SELECT count(*) FROM entry WHERE is_read = 0;
-- name: ids that are unread
SELECT id FROM entry WHERE is_read = 0 ORDER BY id LIMIT 200;
-- name: entries since an id
-- :id = uniform 1..2000
SELECT id, feed, title, published, is_read, is_starred FROM entry WHERE id > :id ORDER BY id LIMIT 100;
-- name: states of entries
-- :a = uniform 1..2000
-- :b = uniform 1..2000
-- :c = uniform 1..2000
SELECT id, is_read, is_starred FROM entry WHERE id IN (:a, :b, :c);
-- end
