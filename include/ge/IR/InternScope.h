//===- InternScope.h - interned objects that go with their model ------------------------------===//
//
// A reader of models opens a scope: objects that its thread interns for the first time are freed
// when the last root graph or module made inside the scope dies. Objects interned outside of scopes
// live as long as the context.
//
#ifndef GE_IR_INTERNSCOPE_H
#define GE_IR_INTERNSCOPE_H

#include "ge/IR/Context.h"
#include "ge/Support/PointerSet.h"

#include <memory>
#include <utility>
#include <vector>

namespace ge {

/// The scoped objects that one model uses, each counted once. Filled by one thread while its scope
/// is open, and never changed after that, so that the graphs of the model may share it.
class InternedSet {
public:
  explicit InternedSet(Context &context) : context_(&context) {}
  ~InternedSet();
  InternedSet(const InternedSet &) = delete;
  InternedSet &operator=(const InternedSet &) = delete;

  Context &context() const { return *context_; }
  bool contains(const Identifier *object) const { return identifiers_.contains(object); }
  bool contains(const Type *object) const { return types_.contains(object); }
  bool contains(const Location *object) const { return locations_.contains(object); }
  bool contains(const AttrStorage *object) const { return attributes_.contains(object); }

private:
  friend class Context;
  ContextPtr context_;
  PointerSet<Identifier> identifiers_;
  PointerSet<Type> types_;
  PointerSet<Location> locations_;
  PointerSet<AttrStorage> attributes_;
};

/// While it lives, this thread interns types, attributes and locations of `context` into a set of
/// their own; see Context::scopedIdentifier for texts. Roots and modules made meanwhile keep it.
/// Scopes nest. Only for code that keeps nothing it interned but in these roots and modules.
class InternScope {
public:
  explicit InternScope(Context &context);
  ~InternScope();
  InternScope(const InternScope &) = delete;
  InternScope &operator=(const InternScope &) = delete;
  /// The set that this thread interns into; null outside of scopes of that context.
  static InternedSet *currentSet(const Context &context);

private:
  friend class InternedSets;
  std::shared_ptr<InternedSet> set_;
  const InternScope *outer_;
};

/// What a root or module keeps of scopes.
class InternedSets {
public:
  /// Begins with the set of the thread's scope, if there is one.
  explicit InternedSets(const Context &context);
  /// Called when the owner of this starts to use `object`: a scoped object that is in no set of the
  /// owner becomes permanent.
  template <typename T> void use(const T *object) {
    if (!object->lifetime().isPermanent()) [[unlikely]]
      useScoped(object);
  }
  void use(Attribute attribute);
  /// Everything that `other` keeps is kept here, too.
  void share(const InternedSets &other);

  /// While it exists, `sets` assumes that it has all objects that it is given, for a copy from a
  /// root whose sets are shared.
  class Trust {
  public:
    explicit Trust(InternedSets &sets)
        : sets_(sets), before_(std::exchange(sets.isTrusted_, true)) {}
    ~Trust() { sets_.isTrusted_ = before_; }
    Trust(const Trust &) = delete;
    Trust &operator=(const Trust &) = delete;

  private:
    InternedSets &sets_;
    bool before_;
  };

private:
  template <typename T> void useScoped(const T *object);
  std::vector<std::shared_ptr<InternedSet>> sets_;
  bool isTrusted_ = false;
};

inline void InternedSets::use(Attribute attribute) {
  if (attribute.isInline()) {
    if (attribute.kind() == AttrKind::Type)
      use(attribute.typeValue());
  } else if (const AttrStorage *storage = attribute.interned()) {
    use(storage);
  }
}

} // namespace ge

#endif // GE_IR_INTERNSCOPE_H
