//===- Terminal.cpp - ge-c/Terminal.h: texts for a terminal ---------------------------------------===//

#include "Guard.h"

#include "ge-c/Terminal.h"
#include "ge/Support/Visible.h"

using namespace ge::capi;

GeStatus geTextMakeVisible(GeStringRef given, GeStringCallback callback, void *userData) {
  return guarded([&] { give(ge::visible(text(given, "text"), true), callback, userData); });
}
