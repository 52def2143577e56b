// Functions of headers that code for different instruction sets shares: inlined always, so that the linker never has to
// choose between their copies.
#pragma once

#define JETGRAM_INLINE [[gnu::always_inline]] inline
