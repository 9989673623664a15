//===- parsed.h - a graph from text, and parts of messages --------------------------------------===//

#ifndef GE_TEST_UNIT_PARSED_H
#define GE_TEST_UNIT_PARSED_H

#include "context.h"

#include "ge/Ops/Infer/Infer.h"
#include "ge/Text/Text.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace ge {

/// The first graph of a text, which is dropped at the end.
struct Parsed {
  ContextPtr context = makeContext();
  Root *root;
  explicit Parsed(std::string_view text) : root(parseGraph(*context, text)) {}
  ~Parsed() { root->drop(); }
  Graph *graph() { return root->graph(); }
  std::string type(std::string_view value) {
    Value *found = root->findValue(value);
    return found ? shortType(found->type()) : "no such value";
  }
};

/// Prints what it looked in when it finds nothing.
inline bool contains(const std::string &text, std::string_view part) {
  bool found = text.find(part) != std::string::npos;
  if (!found)
    std::fprintf(stderr, "'%s' lacks '%s'\n", text.c_str(), std::string(part).c_str());
  return found;
}

} // namespace ge

#endif // GE_TEST_UNIT_PARSED_H
