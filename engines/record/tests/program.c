/* A program for the recorder's tests. Declares what it needs of SQLite, so that it builds without SQLite's headers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_value sqlite3_value;
typedef void (*destructor)(void *);
typedef int (*exec_callback)(void *, int, char **, char **);
int sqlite3_open(const char *, sqlite3 **);
int sqlite3_close(sqlite3 *);
int sqlite3_exec(sqlite3 *, const char *, exec_callback, void *, char **);
int sqlite3_get_table(sqlite3 *, const char *, char ***, int *, int *, char **);
void sqlite3_free_table(char **);
int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **);
int sqlite3_bind_int(sqlite3_stmt *, int, int);
int sqlite3_bind_int64(sqlite3_stmt *, int, long long);
int sqlite3_bind_double(sqlite3_stmt *, int, double);
int sqlite3_bind_null(sqlite3_stmt *, int);
int sqlite3_bind_text(sqlite3_stmt *, int, const char *, int, destructor);
int sqlite3_bind_text16(sqlite3_stmt *, int, const void *, int, destructor);
int sqlite3_bind_text64(sqlite3_stmt *, int, const char *, unsigned long long, destructor, unsigned char);
int sqlite3_bind_blob(sqlite3_stmt *, int, const void *, int, destructor);
int sqlite3_bind_blob64(sqlite3_stmt *, int, const void *, unsigned long long, destructor);
int sqlite3_bind_zeroblob(sqlite3_stmt *, int, int);
int sqlite3_bind_zeroblob64(sqlite3_stmt *, int, unsigned long long);
int sqlite3_bind_value(sqlite3_stmt *, int, const sqlite3_value *);
int sqlite3_clear_bindings(sqlite3_stmt *);
int sqlite3_step(sqlite3_stmt *);
int sqlite3_reset(sqlite3_stmt *);
int sqlite3_finalize(sqlite3_stmt *);
sqlite3_value *sqlite3_column_value(sqlite3_stmt *, int);
int sqlite3_column_int(sqlite3_stmt *, int);
int sqlite3_errcode(sqlite3 *);
const char *sqlite3_errmsg(sqlite3 *);
int sqlite3_busy_timeout(sqlite3 *, int);
int sqlite3_trace_v2(sqlite3 *, unsigned, int (*)(unsigned, void *, void *, void *), void *);

/* Weak: some SQLites are built without them. */
__attribute__((weak)) int sqlite3_enable_load_extension(sqlite3 *, int);
__attribute__((weak)) int sqlite3_load_extension(sqlite3 *, const char *, const char *, char **);

#define TRANSIENT ((destructor)-1)

static sqlite3 *open_or_die(const char *path) {
  sqlite3 *db;
  if (sqlite3_open(path, &db)) exit(2);
  sqlite3_busy_timeout(db, 60000);
  return db;
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0)) printf("prepare: %s\n", sqlite3_errmsg(db));
  return statement;
}

/* Every way to bind a value. */
static void binds(const char *path) {
  sqlite3 *db = open_or_die(path);
  sqlite3_exec(db, "PRAGMA encoding='UTF-16le'; CREATE TABLE t(a, b)", 0, 0, 0);
  sqlite3_stmt *insert = prepared(db, "INSERT INTO t VALUES (?, ?)");
  sqlite3_bind_int(insert, 1, -7);
  sqlite3_bind_double(insert, 2, 2.0);
  sqlite3_step(insert);
  sqlite3_reset(insert);
  /* Freed by SQLite while it converts the text, as the database is in UTF-16. */
  sqlite3_bind_text(insert, 1, strdup("freed early"), -1, free);
  sqlite3_bind_text16(insert, 2, "w\0i\0d\0e\0\0", -1, 0);
  sqlite3_step(insert);
  sqlite3_reset(insert);
  sqlite3_bind_text64(insert, 1, "16\0le", 2, TRANSIENT, 1);
  sqlite3_bind_text64(insert, 2, "\0b\0e", 4, TRANSIENT, 3);
  sqlite3_step(insert);
  sqlite3_reset(insert);
  sqlite3_bind_blob(insert, 1, "\1\2\3", 3, 0);
  sqlite3_bind_blob64(insert, 2, "", 0, 0);
  sqlite3_step(insert);
  /* Refused: the statement is not reset. The next run has the values of before. */
  printf("refused: %d\n", sqlite3_bind_int(insert, 1, 99) != 0);
  sqlite3_reset(insert);
  printf("no such index: %d\n", sqlite3_bind_int(insert, 3, 99));
  sqlite3_step(insert);
  sqlite3_reset(insert);
  sqlite3_bind_zeroblob(insert, 1, 5);
  sqlite3_bind_zeroblob64(insert, 2, 6);
  sqlite3_step(insert);
  sqlite3_reset(insert);
  sqlite3_stmt *query = prepared(db, "SELECT 1, 1.5, 'text', x'ff', NULL");
  sqlite3_step(query);
  for (int column = 0; column < 5; column += 2) {
    sqlite3_bind_value(insert, 1, sqlite3_column_value(query, column));
    if (column < 4) sqlite3_bind_value(insert, 2, sqlite3_column_value(query, column + 1));
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(query);
  sqlite3_clear_bindings(insert);
  sqlite3_bind_text(insert, 2, "\xff\xfe not UTF-8", -1, TRANSIENT);
  sqlite3_step(insert);
  sqlite3_finalize(insert);
  printf("close: %d\n", sqlite3_close(db));
}

static sqlite3 *callback_db;
static sqlite3_stmt *callback_statement;

static int on_row(void *argument, int columns, char **values, char **names) {
  ++*(int *)argument;
  sqlite3_bind_int(callback_statement, 1, atoi(values[0]));
  sqlite3_step(callback_statement);
  sqlite3_reset(callback_statement);
  sqlite3_exec(callback_db, "SELECT 'inner'", 0, 0, 0);
  return 0;
}

static int on_abort(void *argument, int columns, char **values, char **names) { return 1; }

static int traced;
static int on_trace(unsigned event, void *context, void *statement, void *text) {
  traced += event == 1 ? 1 : 1000;
  return 0;
}

/* Statements that SQLite prepares itself. */
static void execs(const char *path) {
  sqlite3 *db = callback_db = open_or_die(path);
  int rows = 0, table_rows = 0, columns = 0;
  char **table, *message = 0;
  sqlite3_trace_v2(db, 1, on_trace, 0);
  sqlite3_exec(db, "CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1), (2); COMMIT; -- end", 0, 0, 0);
  callback_statement = prepared(db, "SELECT a FROM t WHERE a = ?");
  sqlite3_exec(db, "SELECT a FROM t; DELETE FROM t WHERE a = 2", on_row, &rows, 0);
  sqlite3_exec(db, "SELECT 'aborted' FROM t", on_abort, 0, 0);
  printf("errcode after an abort: %d\n", sqlite3_errcode(db));
  sqlite3_exec(db, "SELECT 1; INSERT INTO nothing VALUES (1)", 0, 0, &message);
  printf("%s\n", message);
  sqlite3_exec(db, "CREATE UNIQUE INDEX i ON t(a); INSERT INTO t VALUES (1)", 0, 0, &message);
  printf("%s, %d\n", message, sqlite3_errcode(db));
  sqlite3_get_table(db, "SELECT a, a FROM t", &table, &table_rows, &columns, 0);
  sqlite3_free_table(table);
  printf("rows %d, table %d by %d, traced %d\n", rows, table_rows, columns, traced);
  sqlite3_finalize(callback_statement);
  printf("close: %d\n", sqlite3_close(db));
}

/* Prepares a statement and makes so many steps. */
static sqlite3_stmt *stepped(sqlite3 *db, const char *sql, int steps) {
  sqlite3_stmt *statement = prepared(db, sql);
  while (steps--) printf("%d ", sqlite3_step(statement));
  puts(sql);
  return statement;
}

/* Answers that are read to their end, and others. */
static void reads(const char *path, const char *extension) {
  sqlite3 *db = open_or_die(path), *other;
  if (extension) {
    sqlite3_enable_load_extension(db, 1);
    printf("load: %d\n", sqlite3_load_extension(db, extension, 0, 0));
  }
  other = open_or_die(path);
  sqlite3_busy_timeout(other, 0);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)", 0, 0, 0);
  sqlite3_stmt *reset = stepped(db, "SELECT a, 'reset' FROM t", 1);
  sqlite3_reset(reset);
  sqlite3_finalize(reset);
  sqlite3_finalize(stepped(db, "SELECT a, 'finalized' FROM t", 1));
  sqlite3_finalize(stepped(db, "SELECT a, 'to the end' FROM t", 4));
  sqlite3_finalize(stepped(db, "SELECT a, 'again' FROM t", 5));
  sqlite3_finalize(stepped(db, "SELECT 'one'", 1));
  sqlite3_finalize(stepped(db, "SELECT 'none' FROM t WHERE a > 3", 1));
  /* The second row overflows. */
  sqlite3_finalize(stepped(db, "SELECT abs(a - 9223372036854775807 - 3) FROM t", 2));
  /* While a reader holds its lock, nothing can be committed. */
  sqlite3_stmt *lock = stepped(db, "SELECT a, 'lock' FROM t", 1);
  sqlite3_stmt *returning = stepped(other, "INSERT INTO t VALUES (4) RETURNING a", 1);
  printf("reset: %d\n", sqlite3_reset(returning));
  sqlite3_exec(other, "BEGIN; INSERT INTO t VALUES (4)", 0, 0, 0);
  sqlite3_stmt *commit = stepped(other, "COMMIT", 1);
  sqlite3_finalize(lock);
  sqlite3_reset(commit);
  printf("commit: %d\n", sqlite3_step(commit));
  sqlite3_finalize(commit);
  sqlite3_finalize(returning);
  sqlite3_finalize(stepped(db, "SELECT a, 'closed' FROM t", 5));
  returning = stepped(other, "INSERT INTO t VALUES (5) RETURNING a, a", 1);
  printf("reset: %d\n", sqlite3_reset(returning));
  sqlite3_finalize(returning);
  printf("close: %d %d\n", sqlite3_close(other), sqlite3_close(db));
}

static const char *thread_path;
static int thread_statements;

static void *queries(void *number) {
  sqlite3 *db = open_or_die(thread_path);
  sqlite3_stmt *query = prepared(db, "SELECT ? + ?");
  for (int n = 0; n < thread_statements; n++) {
    sqlite3_bind_int64(query, 1, (long)number);
    sqlite3_bind_int(query, 2, n);
    sqlite3_step(query);
    if (sqlite3_column_int(query, 0) != (long)number + n) abort();
    sqlite3_reset(query);
  }
  sqlite3_finalize(query);
  sqlite3_close(db);
  return 0;
}

/* So many threads with so many statements each. Prints the peak of its memory in kB. */
static void threads(const char *path, int count, int statements) {
  pthread_t all[64];
  thread_path = path;
  thread_statements = statements;
  for (long n = 0; n < count; n++) pthread_create(&all[n], 0, queries, (void *)n);
  for (int n = 0; n < count; n++) pthread_join(all[n], 0);
  char line[256];
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    if (!strncmp(line, "VmHWM:", 6)) printf("%d\n", atoi(line + 6));
  fclose(status);
}

/* Inserts 1, 2, 3 ... until it is killed. */
static void inserts(const char *path, int until) {
  sqlite3 *db = open_or_die(path);
  sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=WAL", 0, 0, 0);
  sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b)", 0, 0, 0);
  sqlite3_stmt *insert = prepared(db, "INSERT INTO t VALUES (?, ?)");
  for (int n = 1; n <= until; n++) {
    sqlite3_bind_int(insert, 1, n);
    sqlite3_bind_text(insert, 2, "a text that is the same for each of the rows", -1, 0);
    if (sqlite3_step(insert) != 101) exit(4);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  printf("close: %d\n", sqlite3_close(db));
}

/* Ends without running what is registered for the end, or becomes another program. */
static void ends(const char *path, const char *how) {
  sqlite3 *db = open_or_die(path);
  sqlite3_exec(db, "SELECT 'before the end'", 0, 0, 0);
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "abort")) {
    usleep(600000);
    abort();
  }
  if (!strcmp(how, "execv")) {
    char *arguments[] = {"program", "ends", (char *)path, "exit", 0};
    execv("/proc/self/exe", arguments);
  }
  if (!strcmp(how, "closed")) {
    /* As daemons do. The next file gets the lowest number. */
    for (int descriptor = 3; descriptor < 2048; descriptor++) close(descriptor);
    FILE *own[600];
    for (int n = 0; n < 600; n++) own[n] = fopen("own", "w");
    for (int n = 0; n < 600; n++) if (own[n]) fclose(own[n]);
    sqlite3 *other = open_or_die(":memory:");
    sqlite3_exec(other, "SELECT 'after the closing'", 0, 0, 0);
    sqlite3_close(other);
    usleep(600000);
  }
  exit(3);
}

/* What a module with a SQLite of its own does. */
void plugin(const char *path) {
  setvbuf(stdout, 0, _IONBF, 0);
  execs(path);
}

int main(int count, char **arguments) {
  setvbuf(stdout, 0, _IONBF, 0);
  const char *what = arguments[1], *path = arguments[2];
  if (!strcmp(what, "binds")) binds(path);
  if (!strcmp(what, "execs")) execs(path);
  if (!strcmp(what, "reads")) reads(path, count > 3 ? arguments[3] : 0);
  if (!strcmp(what, "threads")) threads(path, atoi(arguments[3]), atoi(arguments[4]));
  if (!strcmp(what, "inserts")) inserts(path, atoi(arguments[3]));
  if (!strcmp(what, "ends")) ends(path, arguments[3]);
  return 0;
}
