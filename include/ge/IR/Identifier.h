//===- Identifier.h - interned strings and operator names -------------------------------------===//
#ifndef GE_IR_IDENTIFIER_H
#define GE_IR_IDENTIFIER_H

#include "ge/IR/Lifetime.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace ge {

class Context;

/// A string of a context, one object for equal texts: attribute names, symbols, formats, pass
/// names.
class Identifier {
public:
  std::string_view str() const { return {data_, length_}; }
  uint32_t id() const { return id_; }
  uint64_t hash() const { return hash_; } ///< of the text; the same in every process
  Context &context() const { return *context_; }
  Lifetime &lifetime() const { return lifetime_; }
  /// Where a language binding keeps its own string object; see Context::setSlotDestructor.
  std::atomic<void *> &slot() const { return slot_; }

private:
  friend class Context;
  Identifier(Context &context, uint32_t id, const char *data, uint32_t length, uint64_t hash)
      : context_(&context), data_(data), hash_(hash), length_(length), id_(id) {}
  Context *context_;
  const char *data_;
  uint64_t hash_;
  mutable std::atomic<void *> slot_{nullptr};
  uint32_t length_;
  uint32_t id_;
  mutable Lifetime lifetime_;
};

/// Identity of an operator: domain (as canonicalDomain in Domain.h gives it), type, overload.
class OperatorName {
public:
  std::string_view domain() const { return domain_->str(); }
  std::string_view type() const { return type_->str(); }
  std::string_view overload() const { return overload_->str(); }
  /// `domain.Type`, with `.overload` appended when there is one.
  std::string_view str() const { return full_->str(); }
  const Identifier *fullIdentifier() const { return full_; }
  const Identifier *typeIdentifier() const { return type_; }
  const Identifier *domainIdentifier() const { return domain_; }
  const Identifier *overloadIdentifier() const { return overload_; }
  uint32_t id() const { return id_; }
  uint64_t hash() const { return hash_; } ///< of the three texts; the same in every process
  Context &context() const { return full_->context(); }
  Lifetime &lifetime() const { return lifetime_; }

private:
  friend class Context;
  const Identifier *domain_ = nullptr;
  const Identifier *type_ = nullptr;
  const Identifier *overload_ = nullptr;
  const Identifier *full_ = nullptr;
  uint64_t hash_ = 0;
  uint32_t id_ = 0;
  mutable Lifetime lifetime_;
};

} // namespace ge

#endif // GE_IR_IDENTIFIER_H
