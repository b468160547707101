#pragma once
// PostgreSQL's client library; Debian keeps its headers in a folder of their own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
