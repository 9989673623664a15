/*===- ge-c/Terminal.h - texts for a terminal -----------------------------------------------===*\
|*
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_TERMINAL_H
#define GE_C_TERMINAL_H

#include "ge-c/Support.h"

GE_C_BEGIN

/** Gives a text as a program may print it, whatever names of a file it contains: as geErrorMessage
 * has them, with escapes for characters that control a terminal, direct text or are invisible, and
 * for bytes that are no UTF-8. Newlines and tabs stay. `callback` is called once. O(bytes). */
GE_C_API GeStatus geTextMakeVisible(GeStringRef text, GeStringCallback callback, void *userData);

GE_C_END

#endif /* GE_C_TERMINAL_H */
