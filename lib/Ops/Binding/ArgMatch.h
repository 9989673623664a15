//===- ArgMatch.h - one argument against one type ---------------------------------------------===//
#ifndef GE_LIB_OPS_BINDING_ARGMATCH_H
#define GE_LIB_OPS_BINDING_ARGMATCH_H

#include "ge/Ops/Binding/Binder.h"

#include <optional>
#include <string>

namespace ge {

/// How an argument is converted to the parameter's type; nullopt: it cannot be.
class ArgMatcher {
public:
  ArgMatcher(const ArgView &view, const BindOptions &options) : view_(view), options_(options) {}

  std::optional<Conversion> match(const Param &param, Arg arg) const;
  /// "expects int, got str 'x'", after match() gave nullopt.
  std::string why(const Param &param, Arg arg) const;

private:
  using Match = std::optional<Conversion>;
  Match matchType(const SchemaType *type, Arg arg) const;
  Match matchAtom(SchemaAtom atom, const SchemaType *type, Arg arg) const;
  Match matchList(const SchemaType *type, Arg arg, ArgKind kind) const;
  Match matchTuple(const SchemaType *type, Arg arg, ArgKind kind) const;
  Match matchDict(const SchemaType *type, Arg arg, ArgKind kind) const;
  Match matchUnion(const SchemaType *type, Arg arg) const;
  Match matchNumber(SchemaAtom atom, Arg arg, ArgKind kind) const;
  bool isConstant(Arg arg, uint32_t depth) const;
  bool isWord(SchemaAtom atom, Arg arg, ArgKind kind) const;
  bool isWrongLength(const SchemaType *type, size_t size) const;
  bool isTooShort(const Param &param, Arg arg) const;
  bool isChosen(const Param &param, Arg arg) const;
  bool isInRange(const Param &param, Arg arg) const;
  bool isInside(const Range &range, Arg arg, uint32_t depth) const;
  bool equals(const Constant &constant, Arg arg) const;
  std::string whyType(const SchemaType *type, Arg arg) const;

  const ArgView &view_;
  const BindOptions &options_;
};

} // namespace ge

#endif // GE_LIB_OPS_BINDING_ARGMATCH_H
