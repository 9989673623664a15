//===- SchemaType.cpp - the table of atoms and the interner -----------------------------------===//
#include "ge/Ops/Schema/SchemaType.h"

#include "ge/Support/Arena.h"
#include "ge/Support/Error.h"
#include "ge/Support/InternTable.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace ge {

namespace {

/// In the order of SchemaAtom.
constexpr std::array<std::string_view, size_t(SchemaAtom::Count_)> kAtomNames = {
    "Tensor",       "int",          "float",     "bool",     "complex",       "str",
    "Scalar",       "SymInt",       "SymFloat",  "SymBool",  "ScalarType",    "Layout",
    "Device",       "MemoryFormat", "Generator", "Storage",  "Stream",        "QScheme",
    "Dimname",      "Capsule",      "PyObject",  "NoneType", "Any",           "AnyEnumType",
    "AnyClassType", "list",         "tuple",     "Graph",    "TensorLiteral", "SparseLiteral",
    "ValueType",    "Bytes"};

struct Synonym {
  std::string_view word;
  SchemaAtom atom;
};
/// Other words that PyTorch reads as one of these.
constexpr Synonym kSynonyms[] = {
    {"None", SchemaAtom::None},
    {"number", SchemaAtom::Scalar},
    {"DeviceIndex", SchemaAtom::Int},
    {"DeviceObjType", SchemaAtom::Device},
    {"AnyListType", SchemaAtom::AnyList},
    {"AnyTupleType", SchemaAtom::AnyTuple},
    {"ConstQuantizerPtr", SchemaAtom::Int},
};

} // namespace

std::string_view schemaAtomName(SchemaAtom atom) {
  return size_t(atom) < kAtomNames.size() ? kAtomNames[size_t(atom)] : std::string_view();
}

std::optional<SchemaAtom> schemaAtomFromName(std::string_view word) {
  // The words of nearly every schema first.
  switch (word.size()) {
  case 3:
    if (word == "int")
      return SchemaAtom::Int;
    if (word == "str")
      return SchemaAtom::Str;
    break;
  case 4:
    if (word == "bool")
      return SchemaAtom::Bool;
    break;
  case 6:
    if (word == "Tensor")
      return SchemaAtom::Tensor;
    if (word == "SymInt")
      return SchemaAtom::SymInt;
    break;
  default:
    break;
  }
  for (size_t i = 0; i < kAtomNames.size(); ++i)
    if (kAtomNames[i] == word)
      return SchemaAtom(i);
  for (const Synonym &synonym : kSynonyms)
    if (synonym.word == word)
      return synonym.atom;
  return std::nullopt;
}

//===-----------------------------------------------------------------------------------------===//
// The table
//===-----------------------------------------------------------------------------------------===//

/// The parts of a type that is not interned yet.
struct TypeParts {
  SchemaTypeKind kind;
  SchemaAtom atom;
  uint32_t size;
  std::span<const SchemaType *const> elements;
  std::string_view name;
};

class SchemaTypeTable {
public:
  static SchemaTypeTable &get() {
    // Never destroyed: records with static lifetime point into it.
    static SchemaTypeTable &table = *new SchemaTypeTable;
    return table;
  }

  const SchemaType *atom(SchemaAtom atom) const { return atoms_[size_t(atom)]; }

  const SchemaType *intern(const TypeParts &parts) {
    uint64_t hash = hashOf(parts);
    auto same = [&](const SchemaType &type) { return isSame(type, parts); };
    if (const SchemaType *found = types_.find(hash, same))
      return found;
    std::lock_guard guard(lock_);
    if (const SchemaType *found = types_.find(hash, same))
      return found;
    return insert(parts, hash);
  }

  static const SchemaType *cachedOptional(const SchemaType *element) {
    return element->optional_.load(std::memory_order_acquire);
  }
  static const SchemaType *cachedList(const SchemaType *element) {
    return element->list_.load(std::memory_order_acquire);
  }
  static void cacheOptional(const SchemaType *element, const SchemaType *type) {
    element->optional_.store(type, std::memory_order_release);
  }
  static void cacheList(const SchemaType *element, const SchemaType *type) {
    element->list_.store(type, std::memory_order_release);
  }

private:
  SchemaTypeTable() {
    for (size_t i = 0; i < atoms_.size(); ++i) {
      TypeParts parts{SchemaTypeKind::Atom, SchemaAtom(i), 0, {}, {}};
      atoms_[i] = insert(parts, hashOf(parts));
    }
  }

  static uint64_t hashOf(const TypeParts &parts) {
    uint64_t hash = hashBytes(parts.name, uint64_t(parts.kind) * 64 + uint64_t(parts.atom));
    hash = hashCombine(hash, parts.size);
    for (const SchemaType *element : parts.elements)
      hash = hashCombine(hash, element->hash());
    return hash;
  }
  static bool isSame(const SchemaType &type, const TypeParts &parts) {
    return type.kind_ == parts.kind && type.atom_ == parts.atom && type.size_ == parts.size &&
           std::ranges::equal(type.elements(), parts.elements) && type.name_ == parts.name;
  }

  std::string_view copy(std::string_view text) {
    if (text.empty())
      return {};
    char *bytes = static_cast<char *>(arena_.allocate(text.size()));
    std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }

  const SchemaType *insert(const TypeParts &parts, uint64_t hash) {
    types_.reserveOne();
    auto *type = new (arena_.allocate(sizeof(SchemaType))) SchemaType;
    type->kind_ = parts.kind;
    type->atom_ = parts.atom;
    type->size_ = parts.size;
    type->hash_ = hash;
    type->name_ = copy(parts.name);
    type->containsTensor_ = type->is(SchemaAtom::Tensor);
    type->containsGraph_ = type->is(SchemaAtom::Graph);
    type->containsVariable_ = parts.kind == SchemaTypeKind::Variable;
    if (size_t count = parts.elements.size()) {
      auto **elements = static_cast<const SchemaType **>(arena_.allocate(count * sizeof(void *)));
      std::ranges::copy(parts.elements, elements);
      type->elements_ = elements;
      type->numElements_ = uint32_t(count);
      for (const SchemaType *element : parts.elements) {
        type->depth_ = std::max(type->depth_, element->depth() + 1);
        type->containsTensor_ |= element->containsTensor();
        type->containsGraph_ |= element->containsGraph();
        type->containsVariable_ |= element->containsVariable();
      }
    }
    type->text_ = copy(textOf(*type));
    types_.insert(type);
    return type;
  }

  static std::string textOf(const SchemaType &type) {
    auto joined = [&](std::string_view open) {
      std::string out(open);
      for (const SchemaType *element : type.elements()) {
        if (out.size() > open.size())
          out += ", ";
        out += element->str();
      }
      return out + ')';
    };
    switch (type.kind()) {
    case SchemaTypeKind::Atom:
      return std::string(schemaAtomName(type.atom()));
    case SchemaTypeKind::Optional:
      return cat(type.element()->str(), '?');
    case SchemaTypeKind::List:
      return type.listSize() ? cat(type.element()->str(), '[', type.listSize(), ']')
                             : cat(type.element()->str(), "[]");
    case SchemaTypeKind::Tuple:
      return joined("(");
    case SchemaTypeKind::Dict:
      return joined("Dict(");
    case SchemaTypeKind::Future:
      return joined("Future(");
    case SchemaTypeKind::Await:
      return joined("Await(");
    case SchemaTypeKind::RRef:
      return joined("RRef(");
    case SchemaTypeKind::Union:
      return joined("Union(");
    case SchemaTypeKind::Class:
    case SchemaTypeKind::Variable:
      break;
    }
    return std::string(type.name());
  }

  std::mutex lock_; ///< guards the members below, except look-ups in types_
  Arena arena_;
  InternTable<SchemaType> types_;
  std::array<const SchemaType *, size_t(SchemaAtom::Count_)> atoms_;
};

//===-----------------------------------------------------------------------------------------===//
// SchemaType
//===-----------------------------------------------------------------------------------------===//

namespace {

const SchemaType *nested(const TypeParts &parts) {
  for (const SchemaType *element : parts.elements)
    if (element->depth() >= SchemaType::kMaxDepth)
      throwError(ErrorKind::OpSchema, "a type of a schema may be nested ", SchemaType::kMaxDepth,
                 " deep at most");
  return SchemaTypeTable::get().intern(parts);
}

} // namespace

const SchemaType *SchemaType::get(SchemaAtom atom) { return SchemaTypeTable::get().atom(atom); }

const SchemaType *SchemaType::optional(const SchemaType *element) {
  if (element->isOptional())
    return element;
  if (const SchemaType *known = SchemaTypeTable::cachedOptional(element))
    return known;
  const SchemaType *type =
      nested({SchemaTypeKind::Optional, SchemaAtom::Any, 0, std::span(&element, 1), {}});
  SchemaTypeTable::cacheOptional(element, type);
  return type;
}

const SchemaType *SchemaType::list(const SchemaType *element, uint32_t size) {
  if (!size)
    if (const SchemaType *known = SchemaTypeTable::cachedList(element))
      return known;
  const SchemaType *type =
      nested({SchemaTypeKind::List, SchemaAtom::Any, size, std::span(&element, 1), {}});
  if (!size)
    SchemaTypeTable::cacheList(element, type);
  return type;
}

const SchemaType *SchemaType::tuple(std::span<const SchemaType *const> elements) {
  return nested({SchemaTypeKind::Tuple, SchemaAtom::Any, 0, elements, {}});
}

const SchemaType *SchemaType::dict(const SchemaType *key, const SchemaType *value) {
  const SchemaType *elements[] = {key, value};
  return nested({SchemaTypeKind::Dict, SchemaAtom::Any, 0, elements, {}});
}

const SchemaType *SchemaType::wrapper(SchemaTypeKind kind, const SchemaType *element) {
  return nested({kind, SchemaAtom::Any, 0, std::span(&element, 1), {}});
}

const SchemaType *SchemaType::unionOf(std::span<const SchemaType *const> elements) {
  std::vector<const SchemaType *> flat;
  auto add = [&](const SchemaType *type) {
    if (std::ranges::find(flat, type) == flat.end())
      flat.push_back(type);
  };
  for (const SchemaType *element : elements) {
    if (element->kind() == SchemaTypeKind::Union)
      std::ranges::for_each(element->elements(), add);
    else
      add(element);
  }
  if (flat.size() < 2)
    throwError(ErrorKind::OpSchema, "Union needs two different types at least");
  if (flat.size() == 2)
    for (int i = 0; i < 2; ++i)
      if (flat[i]->is(SchemaAtom::None))
        return optional(flat[1 - i]);
  return nested({SchemaTypeKind::Union, SchemaAtom::Any, 0, flat, {}});
}

const SchemaType *SchemaType::classNamed(std::string_view fullName) {
  return nested({SchemaTypeKind::Class, SchemaAtom::Any, 0, {}, fullName});
}

const SchemaType *SchemaType::variable(std::string_view name) {
  return nested({SchemaTypeKind::Variable, SchemaAtom::Any, 0, {}, name});
}

} // namespace ge
