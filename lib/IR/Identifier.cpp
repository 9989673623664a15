//===- Identifier.cpp - interning of texts and operator names ---------------------------------===//
#include "ge/IR/Identifier.h"

#include "ContextImpl.h"

#include "ge/IR/Domain.h"

#include <cstring>
#include <optional>

namespace ge {

// Operators and their spellings are never scoped.
template <> void Context::makePermanentSlow(const OperatorName *) noexcept {}
template <> void Context::makePermanentSlow(const Impl::Spelling *) noexcept {}

/// Characters in an arena, with a 0 after them for C.
static const char *copyText(Arena &arena, std::string_view text) {
  char *copy = static_cast<char *>(arena.allocate(text.size() + 1));
  if (!text.empty())
    std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

const Identifier *Context::internIdentifier(std::string_view text, InternedSet *set) {
  uint64_t hash = hashBytes(text);
  auto same = [text](const Identifier &other) { return other.str() == text; };
  auto children = [](const auto &) {};
  PointerSet<Identifier> *own = set ? &set->identifiers_ : nullptr;
  return impl_->identifiers.intern(*this, own, hash, same, children, [&](Arena &arena) {
    if (text.size() >= UINT32_MAX)
      throwError(ErrorKind::Value, "a name of ", text.size(), " bytes is too long");
    uint32_t id = identifiers_.reserve();
    const char *copy = copyText(arena, text);
    auto *made = new (arena.allocate(sizeof(Identifier)))
        Identifier(*this, id, copy, uint32_t(text.size()), hash);
    identifiers_.add(made);
    return made;
  });
}

const Identifier *Context::identifier(std::string_view text) {
  return internIdentifier(text, nullptr);
}

const Identifier *Context::scopedIdentifier(std::string_view text) {
  return internIdentifier(text, InternScope::currentSet(*this));
}

const Identifier *Context::lookupIdentifier(std::string_view text) const {
  return impl_->identifiers.find(hashBytes(text),
                                 [text](const Identifier &other) { return other.str() == text; });
}

//===-----------------------------------------------------------------------------------------===//
// Operators
//===-----------------------------------------------------------------------------------------===//

std::string_view canonicalDomain(std::string_view domain) {
  if (domain.empty() || domain == "ai.onnx")
    return "onnx";
  return domain.starts_with("ai.onnx.") ? domain.substr(3) : domain;
}

namespace {
/// The three texts of an operator.
struct Parts {
  Parts(std::string_view domainText, std::string_view type, std::string_view overload)
      : domain(canonicalDomain(domainText)), type(type), overload(overload) {}

  std::string_view domain, type, overload;

  uint64_t hash() const {
    return hashCombine(hashCombine(hashBytes(domain), hashBytes(type)), hashBytes(overload));
  }
  bool operator()(const OperatorName &other) const {
    return other.type() == type && other.domain() == domain && other.overload() == overload;
  }
};
} // namespace

/// nullopt when a part is missing.
static std::optional<Parts> splitOperator(std::string_view name) {
  size_t at = name.rfind("::");
  size_t after = at + 2;
  if (at == std::string_view::npos) {
    at = name.rfind('.');
    after = at + 1;
  }
  if (at == std::string_view::npos || at == 0 || after == name.size())
    return std::nullopt;
  // After "::" a dot begins an overload, as in a schema.
  std::string_view type = name.substr(after), overload;
  size_t dot = after == at + 2 ? type.find('.') : std::string_view::npos;
  if (dot != std::string_view::npos) {
    overload = type.substr(dot + 1);
    type = type.substr(0, dot);
    if (type.empty() || overload.empty())
      return std::nullopt;
  }
  return Parts(name.substr(0, at), type, overload);
}

const OperatorName *Context::operatorName(std::string_view domain, std::string_view type,
                                          std::string_view overload) {
  Parts parts(domain, type, overload);
  uint64_t hash = parts.hash();
  if (OperatorName *found = impl_->operators.find(hash, parts))
    return found;
  if (type.empty())
    throwError(ErrorKind::Value, "an operator of domain '", domain, "' needs a type, not ''");
  if (!isValidUtf8(domain) || !isValidUtf8(type) || !isValidUtf8(overload))
    throwError(ErrorKind::Value, "an operator's name must be UTF-8");
  std::string full = cat(parts.domain, ".", type);
  if (!overload.empty())
    full += cat(".", overload);
  const Identifier *domainId = identifier(parts.domain);
  const Identifier *typeId = identifier(type);
  const Identifier *overloadId = identifier(overload);
  const Identifier *fullId = identifier(full);
  auto children = [](const auto &) {}; // permanent already
  return impl_->operators.intern(*this, nullptr, hash, parts, children, [&](Arena &arena) {
    uint32_t id = operators_.reserve();
    auto *made = new (arena.allocate(sizeof(OperatorName))) OperatorName();
    made->domain_ = domainId;
    made->type_ = typeId;
    made->overload_ = overloadId;
    made->full_ = fullId;
    made->hash_ = hash;
    made->id_ = id;
    operators_.add(made);
    return made;
  });
}

const OperatorName *Context::operatorName(std::string_view name) {
  uint64_t hash = hashBytes(name);
  auto same = [name](const Impl::Spelling &other) { return other.str() == name; };
  if (Impl::Spelling *found = impl_->spellings.find(hash, same))
    return found->op;
  std::optional<Parts> parts = splitOperator(name);
  if (!parts)
    throwError(ErrorKind::Value, "'", name,
               "' is not an operator name: write domain.Type, such as ",
               "'onnx.Conv' or 'com.microsoft.FusedMatMul'");
  const OperatorName *op = operatorName(parts->domain, parts->type, parts->overload);
  auto children = [](const auto &) {};
  impl_->spellings.intern(*this, nullptr, hash, same, children, [&](Arena &arena) {
    const char *copy = copyText(arena, name);
    return new (arena.allocate(sizeof(Impl::Spelling)))
        Impl::Spelling{hash, op, copy, name.size(), Lifetime()};
  });
  return op;
}

const OperatorName *Context::lookupOperator(std::string_view name) const {
  auto same = [name](const Impl::Spelling &other) { return other.str() == name; };
  if (Impl::Spelling *found = impl_->spellings.find(hashBytes(name), same))
    return found->op;
  std::optional<Parts> parts = splitOperator(name);
  return parts ? impl_->operators.find(parts->hash(), *parts) : nullptr;
}

} // namespace ge
