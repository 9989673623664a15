//===- KernelArguments.cpp - tensors and attributes as kernels take them ------------------------===//
#include "ge/Run/Call/KernelArguments.h"

#include "ge/IR/Context.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Ops/Schema/Schema.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ge {

namespace {

template <typename T> T *newObject(int32_t tag, size_t extra) {
  size_t size = 0;
  if (__builtin_add_overflow(sizeof(T), extra, &size) ||
      size > size_t(std::numeric_limits<ptrdiff_t>::max()))
    throwError(ErrorKind::Overflow, "a value of this size does not fit the memory");
  auto *object = static_cast<T *>(std::calloc(1, size));
  if (!object)
    throw std::bad_alloc();
  auto *header = reinterpret_cast<GeObject *>(object);
  header->refs = GE_ONE_REFERENCE;
  header->tag = tag;
  header->deleter = geObjectFree;
  return object;
}

GeAny anyOf(int32_t tag) {
  GeAny any{};
  any.tag = tag;
  return any;
}

/// Whether the type, or a member of the union that it is, is one of `atoms`.
bool takes(const SchemaType *type, std::initializer_list<SchemaAtom> atoms) {
  if (!type)
    return false;
  type = type->required();
  if (type->kind() == SchemaTypeKind::Union)
    return std::ranges::any_of(type->elements(),
                               [&](const SchemaType *one) { return takes(one, atoms); });
  return std::ranges::any_of(atoms, [&](SchemaAtom atom) { return type->is(atom); });
}
const SchemaType *itemOf(const SchemaType *type) {
  const SchemaType *list = type ? type->required() : nullptr;
  return list && list->isList() ? list->element() : nullptr;
}
/// The type of an element of a list or tuple; null: not known.
const SchemaType *partOf(const SchemaType *type, size_t index) {
  const SchemaType *whole = type ? type->required() : nullptr;
  if (!whole || whole->kind() != SchemaTypeKind::Tuple)
    return itemOf(type);
  return index < whole->elements().size() ? whole->elements()[index] : nullptr;
}

bool isTuple(const SchemaType *type) { return type->required()->kind() == SchemaTypeKind::Tuple; }

GeAny boolean(bool value) {
  GeAny any = anyOf(GE_ANY_BOOL);
  any.i = value;
  return any;
}
GeAny number(double value) {
  GeAny any = anyOf(GE_ANY_FLOAT);
  any.f = value;
  return any;
}
/// Converts an integer or a bool to the type of the parameter.
GeAny number(int64_t value, bool isBool, const SchemaType *type) {
  using enum SchemaAtom;
  bool isOwn = isBool ? takes(type, {Bool, SymBool}) : takes(type, {Int, SymInt, Scalar});
  if (!isOwn && takes(type, {Int, SymInt}))
    isBool = false;
  else if (!isOwn && takes(type, {Float, SymFloat}))
    return number(double(value));
  else if (!isOwn && takes(type, {Bool, SymBool}))
    isBool = true;
  if (isBool)
    return boolean(value != 0);
  GeAny any = anyOf(GE_ANY_INT);
  any.i = value;
  return any;
}

} // namespace

KernelArguments::~KernelArguments() {
  for (GeObject *object : objects_)
    geObjectRelease(object);
}

GeObject *KernelArguments::addTensors(std::span<const Tensor *const> tensors, const Param &param,
                                      bool isWritten, bool isLent) {
  GeObject *copy = nullptr;
  auto add = [&](const Tensor *one) {
    if (DLTensor *lent = one && !isWritten && !isLent ? borrowed(*one) : nullptr) {
      GeAny any = anyOf(GE_ANY_TENSOR);
      any.t = lent;
      return any;
    }
    GeObject *made = one ? held(*one, isWritten) : nullptr;
    if (isWritten && !copy)
      copy = made;
    return made ? tensor(made) : anyOf(GE_ANY_NONE);
  };
  if (isTuple(param.type)) {
    std::vector<const Tensor *> parts(tensors.begin(), tensors.end());
    parts.resize(slotWidth(param.type)); // absent ones at the end may be missing
    std::span<const Tensor *const> rest = parts;
    list.push_back(tensors.empty() ? anyOf(GE_ANY_NONE) : tuple(param.type, rest, add));
    return copy;
  }
  if (!param.isVariadic()) {
    list.push_back(add(tensors.empty() ? nullptr : tensors[0]));
    return copy;
  }
  if (isAbsentList(param, tensors)) {
    list.push_back(anyOf(GE_ANY_NONE));
    return copy;
  }
  std::vector<GeAny> items;
  const SchemaType *element = itemOf(param.type);
  while (isTuple(element) && tensors.size() >= slotWidth(element))
    items.push_back(tuple(element, tensors, add));
  for (const Tensor *one : tensors)
    items.push_back(add(one));
  list.push_back(array(items));
  return copy;
}

template <typename Add>
GeAny KernelArguments::tuple(const SchemaType *type, std::span<const Tensor *const> &rest,
                             const Add &add) {
  if (isAbsentTuple(type, rest)) {
    rest = rest.subspan(slotWidth(type));
    return anyOf(GE_ANY_NONE);
  }
  std::vector<GeAny> items;
  for (const SchemaType *element : type->required()->elements()) {
    if (isTuple(element)) {
      items.push_back(tuple(element, rest, add));
      continue;
    }
    const Tensor *one = rest[0];
    rest = rest.subspan(1);
    if (!one || element->containsTensor()) {
      items.push_back(add(one));
      continue;
    }
    std::optional<Constant> value = scalarConstant(*one);
    if (!value)
      throwError(ErrorKind::Verify, "a constant of type ", one->type()->str(),
                 " is no value of type ", element->str());
    items.push_back(of(*value, element));
  }
  return array(items);
}

void KernelArguments::addTensor(const Tensor *value) {
  list.push_back(value ? tensor(held(*value, false)) : anyOf(GE_ANY_NONE));
}

GeObject *KernelArguments::addBuffer(const Type *type) {
  DLDataType element = needDlpackType(type->dtype());
  std::vector<int64_t> shape;
  for (const Dim &dim : type->shape())
    shape.push_back(dim.size);
  GeObject *made = newTensorObject(element, shape, bytesOf(element, shape));
  list.push_back(tensor(made));
  return made;
}

GeAny KernelArguments::object(int32_t tag, void *object) {
  objects_.push_back(static_cast<GeObject *>(object));
  GeAny any = anyOf(tag);
  any.o = objects_.back();
  return any;
}

GeAny KernelArguments::tensor(GeObject *object) const {
  GeAny any = anyOf(counted_ ? GE_ANY_TENSOR_OBJECT : GE_ANY_TENSOR);
  if (counted_)
    any.o = object;
  else
    any.t = &reinterpret_cast<GeTensorObject *>(object)->tensor;
  return any;
}

GeObject *KernelArguments::held(const Tensor &value, bool copied) {
  copied |= value.isString() || value.isSplat() || value.packing() != Tensor::Packing::Bytes;
  objects_.push_back(copied ? newDenseObject(value) : newTensorObject(value));
  return objects_.back();
}

DLTensor *KernelArguments::borrowed(const Tensor &value) {
  const Type &type = *value.type();
  size_t rank = type.shape().size();
  if (counted_ || numBorrowed_ == kMostBorrowed || rank > Borrowed::kMostDims || value.isString() ||
      value.isSplat() || value.packing() != Tensor::Packing::Bytes)
    return nullptr;
  Borrowed &own = borrowed_[numBorrowed_++];
  own.held = TensorPtr(&value);
  own.tensor = {const_cast<char *>(value.bytes().data()),
                {kCpuDevice, 0},
                int32_t(rank),
                {},
                own.shape,
                own.strides,
                0};
  own.tensor.dtype = needDlpackType(type.dtype());
  uint64_t step = 1; // wraps where a size of 0 hides sizes that do not fit
  for (size_t i = rank; i-- > 0;) {
    own.shape[i] = type.shape()[i].size;
    own.strides[i] = int64_t(step);
    step *= uint64_t(own.shape[i]);
  }
  return &own.tensor;
}

GeAny KernelArguments::bytes(int32_t tag, std::string_view data) {
  auto *made = newObject<GeBytesObject>(tag, data.size() + 1);
  std::memcpy(made + 1, data.data(), data.size());
  made->data = reinterpret_cast<char *>(made + 1);
  made->size = data.size();
  return object(tag, made);
}

GeAny KernelArguments::string(std::string_view value) {
  if (counted_ || value.find('\0') != std::string_view::npos)
    return bytes(GE_ANY_STR_OBJECT, value);
  GeAny any = anyOf(GE_ANY_STR);
  any.s = strings_.emplace_back(value).c_str();
  return any;
}

GeAny KernelArguments::array(const std::vector<GeAny> &items) {
  return object(GE_ANY_ARRAY_OBJECT, newArrayObject(items));
}

template <typename Value>
GeAny KernelArguments::repeated(const Value &value, const SchemaType *list) {
  uint32_t size = std::max(list->required()->listSize(), 1u);
  return array(std::vector<GeAny>(size, of(value, itemOf(list))));
}

/// Files write text that is not UTF-8 as bytes, and other bytes as text.
GeAny KernelArguments::text(Attribute a, const SchemaType *type) {
  bool asBytes = a.kind() == AttrKind::Bytes
                     ? !takes(type, {SchemaAtom::Str})
                     : takes(type, {SchemaAtom::Bytes}) && !takes(type, {SchemaAtom::Str});
  return asBytes ? bytes(GE_ANY_BYTES_OBJECT, a.stringValue()) : string(a.stringValue());
}

GeAny KernelArguments::of(Attribute a, const SchemaType *type) {
  const SchemaType *element = itemOf(type);
  bool isList = a.kind() == AttrKind::Array || a.kind() == AttrKind::List;
  if (element && !isList && a.kind() != AttrKind::Invalid)
    return repeated(a, type);
  std::vector<GeAny> items;
  switch (a.kind()) {
  case AttrKind::Invalid:
    return anyOf(GE_ANY_NONE);
  case AttrKind::Bool:
    return number(a.boolValue(), true, type);
  case AttrKind::Int:
    return number(a.intValue(), false, type);
  case AttrKind::Float:
    return number(a.floatValue());
  case AttrKind::String:
  case AttrKind::Bytes:
    return text(a, type);
  case AttrKind::DType: {
    GeAny any = anyOf(GE_ANY_DTYPE);
    any.dtype = needDlpackType(a.dtypeValue());
    return any;
  }
  case AttrKind::Tensor:
    return tensor(held(*a.tensorValue(), false));
  case AttrKind::Array:
    for (double value : a.doubles())
      items.push_back(number(value));
    for (float value : a.floats())
      items.push_back(number(double(value)));
    for (int64_t value : a.ints())
      items.push_back(number(value, a.width() == DType::Bool, partOf(type, items.size())));
    return array(items);
  case AttrKind::List:
    for (Attribute item : a.elements())
      items.push_back(of(item, partOf(type, items.size())));
    return array(items);
  default:
    throwError(ErrorKind::Type, "kernels take no types, dictionaries and subgraphs");
  }
}

GeAny KernelArguments::of(const Constant &c, const SchemaType *type) {
  if (itemOf(type) && c.kind != Constant::Kind::List && c.kind != Constant::Kind::None)
    return repeated(c, type);
  if (std::optional<DType> dtype = constantDType(c);
      dtype && takes(type, {SchemaAtom::ScalarType})) {
    GeAny any = anyOf(GE_ANY_DTYPE);
    any.dtype = needDlpackType(*dtype);
    return any;
  }
  std::vector<GeAny> items;
  switch (c.kind) {
  case Constant::Kind::None:
    return anyOf(GE_ANY_NONE);
  case Constant::Kind::Bool:
    return number(c.integer, true, type);
  case Constant::Kind::Int:
  case Constant::Kind::Ident:
    return number(c.integer, false, type);
  case Constant::Kind::Float:
    return number(c.real);
  case Constant::Kind::Str:
    return takes(type, {SchemaAtom::Bytes}) && !takes(type, {SchemaAtom::Str})
               ? bytes(GE_ANY_BYTES_OBJECT, c.text)
               : string(c.text);
  case Constant::Kind::List:
    for (const Constant &item : c.items)
      items.push_back(of(item, partOf(type, items.size())));
    return array(items);
  case Constant::Kind::Complex:
    break;
  }
  throwError(ErrorKind::Type, "kernels take no complex numbers");
}

} // namespace ge
