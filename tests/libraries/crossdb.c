/* A stand-in for CrossDB: its functions over an array in memory, for just the statements that the engine has. As the real one's 0.14,
 * its REPLACE does nothing to a row that is there. Macros make it print, crash, run out of room, lack a function, or keep its logs short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { int key_length, value_length; char *key, *value; } Row;
typedef struct { int code, affected, next, last, all; Row *row; const char *said; } Answer;
typedef struct { int active; long logs[2]; char path[512]; Answer answer; } Connection;
typedef struct { Connection *connection; char kind[16]; int length[3]; char bytes[3][1024]; Answer answer; } Statement;

static Row *rows;
static int count, room;

static char *copied(const void *from, int length) {
    char *to = malloc(length + 1);
    memcpy(to, from, length);
    return to;
}

static Row *found(const char *key, int length) {
    for (int at = 0; at < count; at++)
        if (rows[at].key_length == length && !memcmp(rows[at].key, key, length)) return &rows[at];
    return NULL;
}

static void set(Row *row, const char *value, int length) {
    free(row->value);
    row->value = copied(value, row->value_length = length);
}

const char *xdb_version(void) { return "0.0.1"; }

Connection *xdb_open(const char *path) {
#ifdef CRASHES
    *(volatile int *)path = 1;
#endif
#ifdef PRINTS
    printf("{\"event\":\"done\"}\n  --- Begin Redo WAL Log\n");
    fflush(stdout);
#endif
    return calloc(1, sizeof(Connection));
}

void xdb_close(Connection *connection) {
    count = 0;
    free(connection);
}

static void grow(Connection *connection) {
#ifndef SHORT
    char file[600];
    snprintf(file, sizeof file, "%s/xdb%d.wal", connection->path, connection->active);
    FILE *log = fopen(file, "a");
    fclose(log);
    truncate(file, connection->logs[connection->active] += 100000);
#endif
}

Answer *xdb_exec(Connection *connection, const char *sql) {
    Answer *answer = &connection->answer;
    memset(answer, 0, sizeof *answer);
    answer->said = "OK";
    if (!strncmp(sql, "CREATE DATABASE", 15)) {
        sscanf(sql, "CREATE DATABASE IF NOT EXISTS '%511[^']'", connection->path);
    } else if (!strncmp(sql, "FLUSH", 5)) {
        connection->active ^= 1;
    } else if (strncmp(sql, "CREATE TABLE", 12) && strncmp(sql, "DROP TABLE", 10)) {
        answer->code = 3;
        answer->said = "Unknown SQL command";
    }
    return answer;
}

int xdb_errcode(Answer *answer) { return answer->code; }
const char *xdb_errmsg(Answer *answer) { return answer->said; }
void xdb_free_result(Answer *answer) {}

Statement *xdb_stmt_prepare(Connection *connection, const char *sql) {
    Statement *statement = calloc(1, sizeof(Statement));
    statement->connection = connection;
    if (strstr(sql, "filler")) strcpy(statement->kind, "filler");
    else if (!strncmp(sql, "SELECT k,v", 10)) strcpy(statement->kind, "rows");
    else sscanf(sql, "%15[A-Z]", statement->kind);
    return statement;
}

void xdb_stmt_close(Statement *statement) { free(statement); }

int xdb_bind_blob(Statement *statement, unsigned short place, const void *bytes, int length) {
    if (place > 2 || length > 1000) return -2;
    memcpy(statement->bytes[place], bytes, length);
    statement->length[place] = length;
    return 0;
}

Answer *xdb_stmt_exec(Statement *statement) {
    Answer *answer = &statement->answer;
    int update = !strcmp(statement->kind, "UPDATE"), key = update ? 2 : 1, value = update ? 1 : 2;
    Row *row = found(statement->bytes[key], statement->length[key]);
    memset(answer, 0, sizeof *answer);
    answer->said = "OK";
    if (!strcmp(statement->kind, "filler")) {
        grow(statement->connection);
    } else if (!strcmp(statement->kind, "rows")) {
        answer->all = 1;
        answer->last = count;
        answer->row = rows;
    } else if (!strcmp(statement->kind, "SELECT")) {
        answer->last = row != NULL;
        answer->row = row;
    } else if (!strcmp(statement->kind, "DELETE")) {
        if (row) {
            *row = rows[--count];
            answer->affected = 1;
        }
    } else if (row && update) {
        set(row, statement->bytes[value], statement->length[value]);
        answer->affected = 1;
    } else if (!row && !update) {
#ifdef FULL
        if (count == FULL) {
            answer->code = 7;
            answer->said = "No space";
            return answer;
        }
#endif
        if (count == room) rows = realloc(rows, (room = room ? 2 * room : 64) * sizeof(Row));
        rows[count] = (Row){ statement->length[key], 0, copied(statement->bytes[key], statement->length[key]), NULL };
        set(&rows[count++], statement->bytes[value], statement->length[value]);
        answer->affected = 1;
    }
    return answer;
}

/* What follows is not looked at: the answer is that of no key. */
Answer *xdb_stmt_bexec(Statement *statement, ...) { return xdb_stmt_exec(statement); }

Row *xdb_fetch_row(Answer *answer) { return answer->next < answer->last ? &answer->row[answer->next++] : NULL; }

const void *xdb_column_blob(Answer *answer, Row *row, unsigned short column, int *length) {
    /* A SELECT by key has the value as its first column; nobody looks at the key of the other. */
    int is_key = answer->all && column == 0;
    *length = is_key ? row->key_length : row->value_length;
    return is_key ? row->key : row->value;
}

int xdb_affected_rows(Answer *answer) { return answer->affected; }
int xdb_begin(Connection *connection) { return 0; }
#ifndef LACKS_COMMIT
int xdb_commit(Connection *connection) { return 0; }
#endif
int xdb_rollback(Connection *connection) { return 0; }
