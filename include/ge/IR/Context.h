//===- Context.h - the interner ---------------------------------------------------------------===//
#ifndef GE_IR_CONTEXT_H
#define GE_IR_CONTEXT_H

#include "ge/IR/Attributes.h"
#include "ge/IR/Identifier.h"
#include "ge/IR/Location.h"
#include "ge/IR/Types.h"
#include "ge/Support/Error.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

namespace ge {

class Arena;
class InternedSet;
class Root;

/// Interns identifiers, operator names, types, attributes and locations. All member functions are
/// thread-safe; what they return lives as long as the context, but inside an InternScope.
/// Reference-counted: Python, C and every root graph and module hold references.
class Context {
public:
  static Context *create(); ///< one reference, the caller's
  void retain() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  // Identifiers and operators.
  const Identifier *identifier(std::string_view text);
  /// A text of a model: the symbol of a dimension, a key, the name in a location. In an InternScope
  /// it is freed with the model.
  const Identifier *scopedIdentifier(std::string_view text);
  /// Null if it was never interned. Finds names of attributes and operators, but not scoped
  /// objects.
  const Identifier *lookupIdentifier(std::string_view text) const;
  /// "onnx.Conv", "com.microsoft.FusedMatMul": split at the last dot; or "onnx::Conv", and with an
  /// overload "aten::add.Tensor". Throws Error(Value) where domain or type is missing.
  const OperatorName *operatorName(std::string_view name);
  const OperatorName *operatorName(std::string_view domain, std::string_view type,
                                   std::string_view overload = {});
  /// Null if it was never interned, or is not an operator's name.
  const OperatorName *lookupOperator(std::string_view name) const;

  // Types. `depth` over Type::kMaxDepth is Error(Value).
  const Type *unknownType() const { return unknownType_; }
  const Type *noneType() const { return noneType_; }
  const Type *tensorType(const TensorTypeSpec &spec); ///< sizes must be >= 0, else Error(Value)
  const Type *sequenceType(const Type *element);
  const Type *optionalType(const Type *element);
  const Type *mapType(DType key, const Type *value);
  const Type *opaqueType(std::string_view payload);

  // Attributes. Each returns a new reference (free unless counted). Error(Value) on depth over 256,
  // invalid UTF-8, repeated keys, empty keys.
  /// Error(Overflow) when it does not fit `width` (I8 to I64, U8 to U64, Bool).
  AttrRef intAttr(int64_t value, DType width = DType::I64);
  /// Rounded to `width` (F16, BF16, F32, F64); Error(Overflow) when a finite value would become
  /// infinite.
  AttrRef floatAttr(double value, DType width = DType::F32);
  AttrRef stringAttr(std::string_view text);
  AttrRef bytesAttr(std::string_view bytes);
  AttrRef graphAttr(std::string_view name);
  AttrRef tensorAttr(TensorPtr tensor);
  AttrRef intArray(std::span<const int64_t> values, DType width = DType::I64); ///< also Bool
  AttrRef floatArray(std::span<const float> values);
  AttrRef doubleArray(std::span<const double> values);
  AttrRef listAttr(std::span<const Attribute> elements);
  AttrRef dictAttr(std::span<const Identifier *const> keys, std::span<const Attribute> values);

  // Locations.
  const Location *unknownLocation() const { return unknownLocation_; }
  const Location *fileLocation(std::string_view file, uint32_t line, uint32_t column);
  const Location *nameLocation(std::string_view name, const Location *child = nullptr);
  /// Flattened, without repeats and unknowns; one part is that part.
  const Location *fusedLocation(std::span<const Location *const> parts);

  // From the small ids that nodes and values store. O(1), no lock.
  const Identifier *identifierAt(uint32_t id) const { return identifiers_.at(id); }
  const OperatorName *operatorAt(uint32_t id) const { return operators_.at(id); }
  const Type *typeAt(uint32_t id) const { return types_.at(id); }
  const Location *locationAt(uint32_t id) const { return locations_.at(id); }

  // Diagnostics. Handlers are called in reverse order of attachment until one returns true.
  using DiagnosticHandler = std::function<bool(const Diagnostic &)>;
  uint64_t attachHandler(DiagnosticHandler handler);
  void detachHandler(uint64_t token);
  /// True when a handler took it.
  bool emit(const Diagnostic &diagnostic);

  // Counters for tests: live handles, live root graphs. O(roots).
  int64_t liveHandleCount() const;
  int64_t liveGraphCount() const;

  /// Calls on handles of this context are serialized by a host's lock (Python's GIL), so a check
  /// only needs to read the access word. Native threads that work on its graphs acquire access
  /// explicitly while holding that lock. Set once, by the binding.
  void setSerialized(bool on) { serialized_.store(on, std::memory_order_relaxed); }
  bool isSerialized() const { return serialized_.load(std::memory_order_relaxed); }
  /// Called for every non-null slot of an identifier or type, and at last for the context's own,
  /// when the context dies.
  void setSlotDestructor(void (*destroy)(void *)) { slotDestructor_ = destroy; }
  /// One pointer for the language binding's context object.
  std::atomic<void *> &slot() { return slot_; }

  /// For code that stores a scoped object outside of a root or module: from now on it lives as long
  /// as the context, with all its parts. The caller guarantees that it is alive.
  template <typename T> void makePermanent(const T *object) noexcept {
    if (!object->lifetime().isPermanent()) [[unlikely]]
      makePermanentSlow(object);
  }
  /// One user more or less of an object, which is scoped or permanent.
  template <typename T> static void retain(const T *object) {
    if (!object->lifetime().isPermanent()) [[unlikely]]
      object->lifetime().retain();
  }
  template <typename T> void release(const T *object) noexcept {
    if (!object->lifetime().releaseShared()) [[unlikely]]
      releaseLast(object);
  }
  /// Scoped objects that are alive, for tests.
  size_t scopedCount() const;

  // Root's bookkeeping.
  void addRoot(Root *root);
  void removeRoot(Root *root);

private:
  /// Id -> pointer without a lock. Chunk k has 64 << k entries and never moves, so that an empty
  /// context is small. Who has an id got it after the entry was written.
  template <typename T> class IdTable {
  public:
    IdTable() = default;
    IdTable(const IdTable &) = delete;
    IdTable &operator=(const IdTable &) = delete;
    ~IdTable() {
      for (std::atomic<const T **> &chunk : chunks_)
        delete[] chunk.load(std::memory_order_relaxed);
    }
    const T *at(uint32_t id) const {
      uint64_t position = uint64_t(id) + kFirst;
      unsigned chunk = unsigned(std::bit_width(position)) - kFirstWidth;
      return chunks_[chunk].load(std::memory_order_acquire)[position - (kFirst << chunk)];
    }
    /// Under the interner's lock: room for the next id, which is returned.
    uint32_t reserve();
    void add(const T *object); ///< under the interner's lock, after reserve(); cannot throw
    void remove(uint32_t id);  ///< under the interner's lock; the id is given out again
    template <typename F> void forEach(const F &visit) const {
      for (uint32_t id = 0; id != size_; ++id)
        if (const T *object = at(id); !isFree(object))
          visit(object);
    }

  private:
    static constexpr uint64_t kFirst = 64;
    static constexpr unsigned kFirstWidth = 7, kChunks = 27;
    /// The entry of a free id holds the next one, and bit 0.
    static bool isFree(const T *entry) { return reinterpret_cast<uintptr_t>(entry) & 1; }
    const T *&entry(uint32_t id) const {
      uint64_t position = uint64_t(id) + kFirst;
      unsigned chunk = unsigned(std::bit_width(position)) - kFirstWidth;
      return chunks_[chunk].load(std::memory_order_relaxed)[position - (kFirst << chunk)];
    }
    std::atomic<const T **> chunks_[kChunks] = {};
    uint32_t size_ = 0;
    uint32_t firstFree_ = UINT32_MAX;
  };
  struct Impl;

  Context();
  ~Context();
  // Each completes a template: context, id, hash, and copies of what it points to.
  const Identifier *internIdentifier(std::string_view text, InternedSet *set);
  const Type *internType(const Type &type);
  const Type *containerType(TypeKind kind, DType key, const Type *element);
  const Location *internLocation(const Location &location);
  template <typename T> void makePermanentSlow(const T *object) noexcept;
  template <typename T> void releaseLast(const T *object) noexcept;
  // Under the lock of the kind.
  void freeMemory(Arena &arena, const Identifier *text);
  void freeMemory(Arena &arena, const Type *type);
  void freeMemory(Arena &arena, const Location *location);
  void freeMemory(Arena &arena, const AttrStorage *storage);
  friend class InternedSet;
  AttrRef leafAttr(AttrKind kind, DType width, std::string_view payload, size_t size);
  AttrRef nestedAttr(AttrKind kind, std::span<const Identifier *const> keys,
                     std::span<const Attribute> elements);
  AttrStorage *newCounted(AttrKind kind, size_t payloadBytes, size_t size, uint32_t depth);
  void checkKeys(std::span<const Identifier *const> keys) const;

  std::atomic<int64_t> refs_{1};
  std::unique_ptr<Impl> impl_;
  IdTable<Identifier> identifiers_;
  IdTable<OperatorName> operators_;
  IdTable<Type> types_;
  IdTable<Location> locations_;
  const Type *unknownType_ = nullptr;
  const Type *noneType_ = nullptr;
  const Location *unknownLocation_ = nullptr;
  std::atomic<bool> serialized_{false};
  void (*slotDestructor_)(void *) = nullptr;
  std::atomic<void *> slot_{nullptr};
};

/// Owning pointer to a context.
class ContextPtr {
public:
  ContextPtr() = default;
  explicit ContextPtr(Context *c) : context_(c) { context_->retain(); }
  ContextPtr(const ContextPtr &o) : ContextPtr(o.context_) {}
  ContextPtr(ContextPtr &&o) noexcept : context_(std::exchange(o.context_, nullptr)) {}
  ContextPtr &operator=(ContextPtr o) noexcept {
    std::swap(context_, o.context_);
    return *this;
  }
  ~ContextPtr() {
    if (context_)
      context_->release();
  }
  Context *get() const { return context_; }
  Context *operator->() const { return context_; }
  Context &operator*() const { return *context_; }

private:
  Context *context_ = nullptr;
};

} // namespace ge

#endif // GE_IR_CONTEXT_H
