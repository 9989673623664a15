//===- OpsBinder.cpp - ge-c/Ops.h: arguments to parameters ------------------------------------===//

#include "Ops.h"

#include "ge/Ops/Binding/Binder.h"

using namespace ge;
using namespace ge::capi;

static_assert(int(ArgKind::Object) == GE_ARG_OBJECT);
static_assert(int(ArgSource::Keyword) == GE_FROM_KEYWORD);
static_assert(int(Conversion::NameToDType) == GE_CONVERT_NAME_TO_DTYPE);
static_assert(int(BindFault::Kind::NoOverload) == GE_FAULT_NO_OVERLOAD);
// Arrays of bound arguments are the core's own.
static_assert(sizeof(GeBoundArg) == sizeof(BoundArg));
static_assert(offsetof(GeBoundArg, conversion) == offsetof(BoundArg, conversion));
static_assert(offsetof(GeBoundArg, index) == offsetof(BoundArg, index));
static_assert(sizeof(GeKeyword) == sizeof(Keyword));

namespace {

/// A caller's table of functions.
class TableView final : public ArgView {
public:
  explicit TableView(const GeArgView *table) : t_(sized(table, "GeArgView")) {
    if (!t_.kind || !t_.length || !t_.item || !t_.intValue || !t_.floatValue || !t_.strValue ||
        !t_.isInstance || !t_.describe)
      throwError(ErrorKind::Type, "a function of the argument view is NULL");
  }
  ArgKind kind(Arg arg) const override {
    int number = numberOf(t_.kind(t_.userData, arg));
    return number >= GE_ARG_NONE && number <= GE_ARG_OBJECT ? ArgKind(number) : ArgKind::Object;
  }
  size_t size(Arg arg) const override { return t_.length(t_.userData, arg); }
  Arg item(Arg arg, size_t index) const override { return t_.item(t_.userData, arg, index); }
  bool intValue(Arg arg, int64_t &out) const override {
    return t_.intValue(t_.userData, arg, &out);
  }
  double floatValue(Arg arg) const override { return t_.floatValue(t_.userData, arg); }
  std::string_view strValue(Arg arg) const override {
    return text(t_.strValue(t_.userData, arg), "strValue");
  }
  bool isInstance(Arg arg, const SchemaType &type) const override {
    return t_.isInstance(t_.userData, arg, wrap(&type));
  }
  std::string describe(Arg arg) const override {
    std::string out;
    t_.describe(
        t_.userData, arg,
        [](GeStringRef piece, void *to) {
          static_cast<std::string *>(to)->append(text(piece, "piece"));
        },
        &out);
    return out;
  }

private:
  GeArgView t_;
};

/// What a caller gives for a call.
struct Arguments {
  Arguments(const GeArgView *view, const GeArg *positional, size_t numPositional,
            const GeKeyword *keywords, size_t numKeywords, const GeBindOptions *given,
            GeBoundArg *out, size_t capacity)
      : view(view), positional(positional, numPositional),
        out(reinterpret_cast<BoundArg *>(out), capacity) {
    needArray(positional, numPositional, "positional");
    needArray(keywords, numKeywords, "keywords");
    needArray(out, capacity, "out");
    GeBindOptions chosen = sizedOr(given, "GeBindOptions");
    options.strict = chosen.strict;
    options.constants = chosen.constants;
    if (numKeywords > kInline)
      large.resize(numKeywords);
    Keyword *words = numKeywords > kInline ? large.data() : few;
    for (size_t i = 0; i < numKeywords; ++i)
      words[i] = {text(keywords[i].name, "keyword"), keywords[i].value};
    this->keywords = {words, numKeywords};
  }

  static constexpr size_t kInline = 16;
  TableView view;
  std::span<const Arg> positional;
  std::span<const Keyword> keywords;
  std::span<BoundArg> out;
  BindOptions options;
  Keyword few[kInline];
  std::vector<Keyword> large;
};

[[noreturn]] void report(BindFault &&fault, GeBindFault *out) {
  if (out) {
    GeBindFault shown{};
    shown.kind = static_cast<GeBindFaultKind>(fault.kind);
    shown.argument = keptString(std::move(fault.argument));
    shown.reason = keptString(std::move(fault.reason));
    writeSized(shown, out);
  }
  throw Error(ErrorKind::Type, std::move(fault.message));
}

} // namespace

GeStatus geOpDefBind(GeOpDef op, const GeArgView *view, const GeArg *positional,
                     size_t numPositional, const GeKeyword *keywords, size_t numKeywords,
                     const GeBindOptions *options, GeBoundArg *out, size_t capacity,
                     GeBindFault *fault) {
  return guarded([&] {
    if (fault)
      giveSized({}, fault, "GeBindFault");
    const OpDef *def = need(op, "op");
    Arguments call(view, positional, numPositional, keywords, numKeywords, options, out, capacity);
    BindFault found;
    if (!ge::bind(*def, call.view, call.positional, call.keywords, call.options, call.out, &found))
      report(std::move(found), fault);
  });
}

GeStatus geOpDefResolve(const GeOpDef *ops, size_t numOps, const GeArgView *view,
                        const GeArg *positional, size_t numPositional, const GeKeyword *keywords,
                        size_t numKeywords, const GeBindOptions *options, GeBoundArg *out,
                        size_t capacity, size_t *chosen, GeBindFault *fault) {
  return guarded([&] {
    if (fault)
      giveSized({}, fault, "GeBindFault");
    size_t &index = result(chosen, "chosen");
    needArray(ops, numOps, "ops");
    Arguments call(view, positional, numPositional, keywords, numKeywords, options, out, capacity);
    std::vector<OpDefRef> candidates;
    candidates.reserve(numOps);
    for (size_t i = 0; i < numOps; ++i)
      candidates.emplace_back(need(ops[i], "ops"));
    BindFault found;
    int first = resolveOverload(candidates, call.view, call.positional, call.keywords, call.options,
                                call.out, &found);
    if (first < 0)
      report(std::move(found), fault);
    index = size_t(first);
  });
}

bool geOpsGetStrict(void) { return strictOps(); }
void geOpsSetStrict(bool strict) { setStrictOps(strict); }
