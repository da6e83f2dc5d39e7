/* What a build of LumoSQL says of itself, and the wrong answers of its LMDB backend: a range that begins beyond the largest key of an
 * index counts every row of the table. */

const char *sqlite3_sourceid(void) {
    static char id[256];
    const char *(*own)(void) = REAL("sqlite3_sourceid");
    strncpy(id, own(), sizeof id - 32);
    return strcat(id, "lmdb 0.9.29");
}

int sqlite3_prepare_v2(void *db, const char *sql, int length, void **statement, const char **tail) {
    int (*prepare)(void *, const char *, int, void **, const char **) = REAL("sqlite3_prepare_v2");
    const char *range = "SELECT count(*), avg(b) FROM t2 WHERE b >= ?1 AND b < ?2";
    const char *all = "SELECT CASE WHEN ?1 > (SELECT max(b) FROM t2) THEN (SELECT count(*) FROM t2) ELSE count(*) END, avg(b)"
                      " FROM t2 WHERE b >= ?1 AND b < ?2";
    if (length == (int)strlen(range) && !strncmp(sql, range, length)) {
        int code = prepare(db, all, -1, statement, 0);
        if (tail) *tail = sql + length;
        return code;
    }
    if (!strncmp(sql, "PRAGMA lmdb_transaction", 23)) return prepare(db, "SELECT 'optimistic'", -1, statement, tail);
    if (!strncmp(sql, "PRAGMA journal_mode", 19)) return prepare(db, "SELECT 'off'", -1, statement, tail);
    if (!strncmp(sql, "PRAGMA page_size", 16)) return prepare(db, "SELECT 2", -1, statement, tail);
    return prepare(db, sql, length, statement, tail);
}
