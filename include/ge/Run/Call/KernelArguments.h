//===- KernelArguments.h - tensors and attributes as kernels take them --------------------------===//
//
// Converts tensors and attributes to the values of ge-c/Kernels.h, and results of kernels to
// tensors.
//
#ifndef GE_RUN_CALL_KERNELARGUMENTS_H
#define GE_RUN_CALL_KERNELARGUMENTS_H

#include "ge/IR/Attributes.h"
#include "ge/Ops/Schema/OpDef.h"
#include "ge/Run/Value/RunValue.h"

#include <list>
#include <span>
#include <string>
#include <vector>

namespace ge {

/// The arguments of one call, and what they borrow.
class KernelArguments {
public:
  /// `counted`: for functions of tvm-ffi, which may keep what they get.
  explicit KernelArguments(bool counted) : counted_(counted) {}
  KernelArguments(const KernelArguments &) = delete;
  KernelArguments &operator=(const KernelArguments &) = delete;
  ~KernelArguments();
  std::vector<GeAny> list;

  /// Copies an operand that the kernel writes, because tensors are immutable. Returns the copy of
  /// the first tensor, which the arguments own; null if nothing is written.
  /// `isLent`: a result may share its memory, and retains it.
  GeObject *addTensors(std::span<const Tensor *const> tensors, const Param &param, bool isWritten,
                       bool isLent);
  /// Adds an operand without a parameter (`...`); null if it is absent.
  void addTensor(const Tensor *value);
  void add(Attribute attribute, const SchemaType *type) { list.push_back(of(attribute, type)); }
  void add(const Constant &constant, const SchemaType *type) { list.push_back(of(constant, type)); }
  /// Memory for a result, which follows the parameters. New reference.
  GeObject *addBuffer(const Type *type);

private:
  GeAny object(int32_t tag, void *object);
  GeAny tensor(GeObject *object) const;
  /// `copied`: the tensor gets memory of its own.
  GeObject *held(const Tensor &value, bool copied);
  /// Returns a tensor over the memory of `value`, valid during the call; null if a counted one is
  /// needed.
  DLTensor *borrowed(const Tensor &value);
  GeAny bytes(int32_t tag, std::string_view data);
  GeAny string(std::string_view value);
  GeAny array(const std::vector<GeAny> &items);
  GeAny text(Attribute attribute, const SchemaType *type);
  GeAny of(Attribute attribute, const SchemaType *type);
  GeAny of(const Constant &constant, const SchemaType *type);
  /// Repeats one value for a list, as often as `T[N]` requires.
  /// Takes the operands of a tuple from `rest`; `add` makes the value of a tensor.
  template <typename Add>
  GeAny tuple(const SchemaType *type, std::span<const Tensor *const> &rest, const Add &add);
  template <typename Value> GeAny repeated(const Value &value, const SchemaType *list);

  /// A tensor that is not counted. Most calls have few, of few dimensions.
  struct Borrowed {
    static constexpr size_t kMostDims = 6;
    TensorPtr held;
    DLTensor tensor;
    int64_t shape[kMostDims], strides[kMostDims];
  };
  static constexpr size_t kMostBorrowed = 4;
  const bool counted_;
  size_t numBorrowed_ = 0;
  Borrowed borrowed_[kMostBorrowed];
  std::list<std::string> strings_; ///< addresses stay; most calls have none
  std::vector<GeObject *> objects_;
};

} // namespace ge

#endif // GE_RUN_CALL_KERNELARGUMENTS_H
