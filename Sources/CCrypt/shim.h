#pragma once
// Hashes of passwords: crypt_r and its companions, which are in a library of their own.
#include <crypt.h>
