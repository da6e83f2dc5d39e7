/* A stand-in for SNKV: its functions over an array in memory, for what a library does that the real one does not do when it is
 * asked: it is busy, finds damage, prints, crashes, or lacks a function. Nothing of it is in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int key_length, value_length; char *key, *value; } Row;
typedef struct { Row *rows; int count, room; } Store;
typedef struct { Store *store; int at; } Iterator;

void sqlite3_free(void *at) { free(at); }

static char *copied(const void *from, int length) {
    char *to = malloc(length + 1);
    memcpy(to, from, length);
    return to;
}

/* The place of a key, or where it belongs. */
static int place(Store *store, const void *key, int length, int *found) {
    int low = 0, high = store->count;
    while (low < high) {
        int middle = (low + high) / 2;
        Row *row = &store->rows[middle];
        int order = memcmp(row->key, key, length < row->key_length ? length : row->key_length);
        if (order == 0) order = row->key_length - length;
        if (order == 0) { *found = 1; return middle; }
        if (order < 0) low = middle + 1; else high = middle;
    }
    *found = 0;
    return low;
}

int kvstore_open_v2(const char *path, Store **store, const int *config) {
#ifdef CRASHES
    *(volatile int *)path = *(volatile int *)0;
#endif
#ifdef PRINTS
    printf("{\"event\":\"done\"}\nopening %s with journal %d\n", path, config[0]);
    fflush(stdout);
#endif
    *store = calloc(1, sizeof(Store));
    return 0;
}

int kvstore_close(Store *store) { free(store); return 0; }
const char *kvstore_errmsg(Store *store) { return "no error"; }

int kvstore_put(Store *store, const void *key, int key_length, const void *value, int value_length) {
    int found, at = place(store, key, key_length, &found);
#ifdef BUSY
    if (store->count == BUSY) return 5;
#endif
    if (!found) {
        if (store->count == store->room) {
            store->room = store->room ? 2 * store->room : 64;
            store->rows = realloc(store->rows, store->room * sizeof(Row));
        }
        memmove(store->rows + at + 1, store->rows + at, (store->count++ - at) * sizeof(Row));
        store->rows[at] = (Row){ key_length, 0, copied(key, key_length), NULL };
    }
    free(store->rows[at].value);
    store->rows[at].value = copied(value, value_length);
    store->rows[at].value_length = value_length;
    return 0;
}

int kvstore_get(Store *store, const void *key, int key_length, void **value, int *value_length) {
    int found, at = place(store, key, key_length, &found);
#ifdef CORRUPT
    return 11;
#endif
    if (!found) return 12;
    *value = copied(store->rows[at].value, *value_length = store->rows[at].value_length);
#ifdef WRONG
    ((char *)*value)[0] ^= 1;
#endif
    return 0;
}

int kvstore_exists(Store *store, const void *key, int key_length, int *exists) {
    place(store, key, key_length, exists);
    return 0;
}

int kvstore_delete(Store *store, const void *key, int key_length) {
    int found, at = place(store, key, key_length, &found);
    if (!found) return 12;
    free(store->rows[at].key);
    free(store->rows[at].value);
    memmove(store->rows + at, store->rows + at + 1, (--store->count - at) * sizeof(Row));
    return 0;
}

int kvstore_begin(Store *store, int writes) { return 0; }
#ifndef LACKS_COMMIT
int kvstore_commit(Store *store) { return 0; }
#endif
int kvstore_rollback(Store *store) { return 0; }
int kvstore_integrity_check(Store *store, char **wrong) { return 0; }

int kvstore_iterator_create(Store *store, Iterator **iterator) {
    *iterator = malloc(sizeof(Iterator));
    (*iterator)->store = store;
    (*iterator)->at = store->count;
    return 0;
}

int kvstore_iterator_first(Iterator *iterator) { iterator->at = 0; return 0; }
int kvstore_iterator_next(Iterator *iterator) { iterator->at++; return 0; }
int kvstore_iterator_eof(Iterator *iterator) { return iterator->at >= iterator->store->count; }
void kvstore_iterator_close(Iterator *iterator) { free(iterator); }

int kvstore_iterator_key(Iterator *iterator, void **key, int *length) {
    *key = iterator->store->rows[iterator->at].key;
    *length = iterator->store->rows[iterator->at].key_length;
    return 0;
}

int kvstore_iterator_value(Iterator *iterator, void **value, int *length) {
    *value = iterator->store->rows[iterator->at].value;
    *length = iterator->store->rows[iterator->at].value_length;
    return 0;
}

#ifdef SEEKS
int kvstore_iterator_seek(Iterator *iterator, const void *key, int length) {
    int found;
    iterator->at = place(iterator->store, key, length, &found);
    return 0;
}
#endif
