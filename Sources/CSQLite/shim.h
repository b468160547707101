#pragma once
#include <sqlite3.h>

// sqlite3_config() takes any number of arguments, and Swift calls no such functions. Returns whether
// it was taken: only before the library's first use.
static inline int proxyd_sqlite_forget_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}
