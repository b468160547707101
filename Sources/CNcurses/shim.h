#pragma once
// Wide characters need the X/Open extensions; the functions instead of macros, which Swift cannot
// call.
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#define NCURSES_OPAQUE 1
#include <ncursesw/curses.h>
#include <ncursesw/term.h>
#include <locale.h>

// Attributes are macros that cast, which Swift does not see.
static const attr_t proxyd_bold = A_BOLD;
static const attr_t proxyd_dim = A_DIM;
static const attr_t proxyd_underline = A_UNDERLINE;
static const attr_t proxyd_reverse = A_REVERSE;
static const attr_t proxyd_italic = A_ITALIC;

// <wchar.h> hides it from Swift's view of the C library.
extern int wcwidth(wchar_t);
