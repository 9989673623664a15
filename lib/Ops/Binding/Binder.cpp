//===- Binder.cpp - arguments to parameters, overload resolution ------------------------------===//
#include "ge/Ops/Binding/Binder.h"

#include "ArgMatch.h"

#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace ge {

namespace {

using Kind = BindFault::Kind;

/// Synonyms in different ecosystems: for an unknown keyword in a row, the error suggests the
/// parameter of that row.
constexpr std::string_view kSynonyms[][6] = {
    {"axis", "dim", "axes", "dims"},
    {"input", "self", "x", "data", "X", "input_tensor"},
    {"other", "y", "b", "B", "x2"},
    {"keepdim", "keepdims", "keep_dims"},
    {"eps", "epsilon"},
    {"kernel_size", "kernel_shape", "ksize"},
    {"stride", "strides"},
    {"pad", "pads", "padding"},
    {"dilation", "dilations"},
    {"group", "groups"},
    {"shape", "size", "sizes", "output_shape"},
    {"perm", "permutation", "dims", "axes"},
    {"dtype", "to", "type"},
    {"training", "is_training", "training_mode"},
};

std::string_view nearestParam(const OpDef &def, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Param &param : def.params)
    if (!param.hidden)
      names.push_back(param.name);
  if (std::optional<std::string_view> near = nearestWord(word, names.data(), names.size()))
    return *near;
  for (const auto &row : kSynonyms)
    if (std::ranges::find(row, word) != std::end(row))
      for (std::string_view name : names)
        if (std::ranges::find(row, name) != std::end(row))
          return name;
  return {};
}

/// One call against one operator.
class BoundCall {
public:
  BoundCall(const OpDef &def, const ArgView &view, std::span<const Arg> positional,
            std::span<const Keyword> keywords, const BindOptions &options, std::span<BoundArg> out,
            BindFault *fault)
      : def_(def), view_(view), positional_(positional), keywords_(keywords), options_(options),
        out_(out), fault_(fault) {}

  bool run() {
    std::fill_n(out_.begin(), def_.params.size(), BoundArg());
    return takeKeywords() && takePositional() && findMissing() && convert();
  }

private:
  bool fail(Kind kind, std::string_view argument, std::string reason) {
    fault_->kind = kind;
    fault_->argument = argument;
    fault_->message = cat(def_.qualifiedName(), "(): ", reason, "\n  ", schemaText(def_));
    fault_->reason = std::move(reason);
    return false;
  }

  bool takeKeywords() {
    std::string_view twice;
    for (size_t i = 0; i < keywords_.size(); ++i) {
      std::optional<uint32_t> index = def_.findParam(keywords_[i].name);
      if (!index)
        return fault_ ? failUnknown(keywords_[i].name) : false;
      BoundArg &bound = out_[*index];
      bool isTaken =
          bound.source == ArgSource::Keyword ||
          (*index < positional_.size() && (*index < def_.numPositional() || isMeantFor(*index)));
      if (isTaken && twice.empty())
        twice = keywords_[i].name;
      bound.source = ArgSource::Keyword;
      bound.index = uint32_t(i);
    }
    if (twice.empty())
      return true;
    return fault_ ? fail(Kind::Twice, twice, cat("argument '", twice, "' specified twice")) : false;
  }

  /// A positional argument at the place of a keyword-only attribute, which is not a further tensor.
  bool isMeantFor(uint32_t index) const {
    return !def_.vararg && !def_.params[index].isOperand() &&
           view_.kind(positional_[index]) != ArgKind::Value;
  }

  bool failUnknown(std::string_view name) {
    std::string reason = cat("unexpected keyword '", name, "'");
    if (std::string_view near = nearestParam(def_, name); !near.empty())
      reason += cat(" (did you mean '", near, "'?)");
    return fail(Kind::UnknownKeyword, name, std::move(reason));
  }

  bool takePositional() {
    uint32_t most = def_.numPositional();
    size_t count = std::min<size_t>(positional_.size(), most);
    for (size_t i = 0; i < count; ++i) {
      out_[i].source = ArgSource::Positional;
      out_[i].index = uint32_t(i);
    }
    if (positional_.size() <= most || def_.vararg)
      return true;
    if (!fault_)
      return false;
    if (most < def_.params.size()) {
      const std::string &name = def_.params[most].name;
      return fail(Kind::KeywordOnly, name,
                  cat("keyword-only argument '", name, "' passed as positional", hintAtList(most)));
    }
    return fail(Kind::TooMany, {},
                cat("too many positional arguments: expected at most ", most, ", got ",
                    positional_.size(), hintAtList(most)));
  }

  /// An operator with a list of tensors was called with the elements one by one: f(x, y), not f([x,
  /// y]).
  std::string hintAtList(uint32_t most) const {
    for (uint32_t i = 0; i < most; ++i) {
      ArgKind kind = view_.kind(positional_[i]);
      if (def_.params[i].isVariadic() && (kind == ArgKind::Value || kind == ArgKind::Array))
        return cat(" (the tensors of '", def_.params[i].name, "' are one list)");
    }
    return {};
  }

  bool findMissing() {
    for (size_t i = 0; i < def_.params.size(); ++i)
      if (out_[i].source == ArgSource::Default && def_.params[i].isRequired())
        return fault_ ? fail(Kind::Missing, def_.params[i].name,
                             cat("missing required argument '", def_.params[i].name, "'"))
                      : false;
    return true;
  }

  bool convert() {
    ArgMatcher matcher(view_, options_);
    for (size_t i = 0; i < def_.params.size(); ++i) {
      BoundArg &bound = out_[i];
      if (bound.source == ArgSource::Default)
        continue;
      bool isPositional = bound.source == ArgSource::Positional;
      Arg arg = isPositional ? positional_[bound.index] : keywords_[bound.index].value;
      const Param &param = def_.params[i];
      std::optional<Conversion> conversion = matcher.match(param, arg);
      bool isHeld = !options_.constants || !param.isOperand() || conversion == Conversion::Absent ||
                    nodeFormFault(param).empty();
      if (conversion && isHeld) {
        bound.conversion = *conversion;
        continue;
      }
      if (!fault_)
        return false;
      if (!isHeld)
        return fail(Kind::Type, param.name, nodeFormFault(param));
      std::string place = isPositional ? cat(" (position ", i + 1, ")") : std::string();
      return fail(Kind::Type, param.name,
                  cat("argument '", param.name, "'", place, ' ', matcher.why(param, arg)));
    }
    return true;
  }

  const OpDef &def_;
  const ArgView &view_;
  std::span<const Arg> positional_;
  std::span<const Keyword> keywords_;
  const BindOptions &options_;
  std::span<BoundArg> out_;
  BindFault *fault_;
};

std::atomic<bool> &strictFlag() {
  static std::atomic<bool> flag{[] {
    const char *set = std::getenv("GE_OPS_STRICT");
    return set && std::string_view(set) == "1";
  }()};
  return flag;
}

} // namespace

bool bind(const OpDef &def, const ArgView &view, std::span<const Arg> positional,
          std::span<const Keyword> keywords, const BindOptions &options, std::span<BoundArg> out,
          BindFault *fault) {
  if (out.size() < def.params.size())
    throwError(ErrorKind::Value, "room for ", out.size(), " arguments, ", def.params.size(),
               " are needed");
  return BoundCall(def, view, positional, keywords, options, out, fault).run();
}

int resolveOverload(std::span<const OpDefRef> candidates, const ArgView &view,
                    std::span<const Arg> positional, std::span<const Keyword> keywords,
                    const BindOptions &options, std::span<BoundArg> out, BindFault *fault) {
  BindOptions tried = options;
  for (bool exact : {true, false}) {
    if (exact && candidates.size() < 2)
      continue;
    tried.exact = exact || options.exact;
    for (size_t i = 0; i < candidates.size(); ++i)
      if (ge::bind(*candidates[i], view, positional, keywords, tried, out, nullptr))
        return int(i);
  }
  if (!fault)
    return -1;
  if (candidates.size() == 1) { // its own error is the most precise
    ge::bind(*candidates[0], view, positional, keywords, options, out, fault);
    return -1;
  }
  fault->kind = Kind::NoOverload;
  fault->argument.clear();
  fault->reason = cat("none of ", candidates.size(), " overloads takes these arguments");
  std::string reasons;
  for (const OpDefRef &candidate : candidates) {
    BindFault one;
    ge::bind(*candidate, view, positional, keywords, options, out, &one);
    reasons += cat("\n  ", schemaText(*candidate), "\n    ", one.reason);
  }
  std::string name =
      candidates.empty() ? std::string() : cat(candidates[0]->ns, "::", candidates[0]->name);
  fault->message = cat(name, "(): ", fault->reason, reasons);
  return -1;
}

bool strictOps() { return strictFlag().load(std::memory_order_relaxed); }
void setStrictOps(bool on) { strictFlag().store(on, std::memory_order_relaxed); }

} // namespace ge
