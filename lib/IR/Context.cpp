//===- Context.cpp - life, roots and diagnostics of a context ---------------------------------===//
#include "ge/IR/Context.h"

#include "ContextImpl.h"
#include "ge/IR/Root.h"

#include <algorithm>

namespace ge {

Context *Context::create() { return new Context(); }

void Context::release() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

Context::Context() : impl_(std::make_unique<Impl>()) {
  identifier({}); // id 0 is the empty text
  Type leaf;
  leaf.kind_ = TypeKind::Unknown;
  unknownType_ = internType(leaf);
  leaf.kind_ = TypeKind::None;
  noneType_ = internType(leaf);
  unknownLocation_ = internLocation(Location());
}

Context::~Context() {
  if (!slotDestructor_)
    return;
  auto destroy = [this](std::atomic<void *> &slot) {
    if (void *object = slot.exchange(nullptr, std::memory_order_acq_rel))
      slotDestructor_(object);
  };
  types_.forEach([&](const Type *type) { destroy(type->slot()); });
  identifiers_.forEach([&](const Identifier *identifier) { destroy(identifier->slot()); });
  destroy(slot_); // last: the binding may own objects that the others need
}

void Context::addRoot(Root *root) {
  std::lock_guard guard(impl_->rootLock);
  impl_->roots.insert(root);
}

void Context::removeRoot(Root *root) {
  std::lock_guard guard(impl_->rootLock);
  impl_->roots.erase(root);
}

int64_t Context::liveHandleCount() const {
  std::lock_guard guard(impl_->rootLock);
  int64_t count = 0;
  for (const Root *root : impl_->roots)
    count += root->handles();
  return count;
}

int64_t Context::liveGraphCount() const {
  std::lock_guard guard(impl_->rootLock);
  return int64_t(impl_->roots.size());
}

uint64_t Context::attachHandler(DiagnosticHandler handler) {
  auto shared = std::make_shared<DiagnosticHandler>(std::move(handler));
  std::lock_guard guard(impl_->handlerLock);
  impl_->handlers.emplace_back(impl_->nextHandler, std::move(shared));
  return impl_->nextHandler++;
}

void Context::detachHandler(uint64_t token) {
  // Destroyed after the lock is released: it may run foreign code.
  std::shared_ptr<DiagnosticHandler> dying;
  std::lock_guard guard(impl_->handlerLock);
  auto &handlers = impl_->handlers;
  auto it = std::find_if(handlers.begin(), handlers.end(),
                         [token](const auto &entry) { return entry.first == token; });
  if (it == handlers.end())
    return;
  dying = std::move(it->second);
  handlers.erase(it);
}

bool Context::emit(const Diagnostic &diagnostic) {
  // Called without the lock, so that a handler may attach, detach and emit.
  std::vector<std::shared_ptr<DiagnosticHandler>> handlers;
  {
    std::lock_guard guard(impl_->handlerLock);
    for (const auto &entry : impl_->handlers)
      handlers.push_back(entry.second);
  }
  for (auto it = handlers.rbegin(); it != handlers.rend(); ++it)
    if (**it && (**it)(diagnostic))
      return true;
  return false;
}

} // namespace ge
