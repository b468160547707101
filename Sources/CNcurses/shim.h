#pragma once
// Wide characters need the X/Open extensions; the functions instead of macros, which Swift cannot
// call.
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#define NCURSES_OPAQUE 1
#include <ncursesw/curses.h>
#include <locale.h>
