//===- Module.cpp - named graphs and model metadata -------------------------------------------===//

#include "ge/IR/Module.h"

#include "MutationImpl.h"

#include "ge/IR/Analysis.h"
#include "ge/Support/Reserve.h"

#include <algorithm>

namespace ge {

Module *Module::create(Context &context, std::string_view name) {
  if (!isValidUtf8(name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  auto *module = new Module(context);
  module->name_ = std::string(name);
  module->access_.setSubject(cat("module '", name, "'"));
  return module;
}

Module::~Module() {
  // No handle exists: each would keep the module alive.
  for (Root *root : roots_) {
    root->module_ = nullptr;
    delete root;
  }
  Mutation::Impl::freeAttributes(arena_, attrs_);
}

void Module::release() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

void Module::setName(std::string_view name) {
  if (!isValidUtf8(name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  name_ = std::string(name);
  access_.setSubject(cat("module '", name, "'"));
}

Graph *Module::find(std::string_view name) const {
  // Takes access, because another thread may be renaming the graph.
  std::string subject = cat("graph '", name, "'");
  const Root *found = nullptr;
  {
    std::lock_guard<std::mutex> guard(subjectsLock_);
    auto [at, end] = subjects_.equal_range(subject);
    bool isOne = true;
    for (; at != end && isOne; ++at)
      if (at->second->access().subjectIs(subject)) {
        isOne = !found || found == at->second;
        found = at->second;
      }
    if (isOne)
      return found ? found->graph() : nullptr;
  }
  // The file has the name twice.
  for (const Root *root : roots_)
    if (root->access().subjectIs(subject))
      return root->graph();
  return nullptr;
}

bool Module::isTaken(std::string_view name, const Root *except) const {
  std::string subject = cat("graph '", name, "'");
  std::lock_guard<std::mutex> guard(subjectsLock_);
  auto [at, end] = subjects_.equal_range(subject);
  return std::any_of(at, end, [&](const auto &entry) {
    return entry.second != except && entry.second->access().subjectIsOrMayBe(subject);
  });
}

void Module::enter(Root &root, const std::string &subject) {
  std::lock_guard<std::mutex> guard(subjectsLock_);
  subjects_.emplace(subject, &root);
}

void Module::leave(Root &root, const std::string &subject) {
  std::lock_guard<std::mutex> guard(subjectsLock_);
  auto [at, end] = subjects_.equal_range(subject);
  auto it = std::find_if(at, end, [&](const auto &entry) { return entry.second == &root; });
  if (it != end)
    subjects_.erase(it);
}

Graph *Module::addGraph(std::string_view name) {
  if (isTaken(name))
    throwError(ErrorKind::Value, "the module has a graph '", name, "' already");
  return appendGraph(name);
}

Graph *Module::appendGraph(std::string_view name) {
  reserveMore(roots_, 1);
  Root *root = Root::create(*context_, name);
  root->holds_.store(0); // the module's ownership is not a hold, which would never end
  root->module_ = this;
  roots_.push_back(root); // deleted with the module from here on
  enter(*root, root->graph()->describe());
  return root->graph();
}

void Module::adopt(Root &root) {
  Graph *graph = root.graph();
  if (!graph)
    throwError(ErrorKind::Value, "the graph was erased, or moved into another graph");
  if (&root.context() != context_.get())
    throwError(ErrorKind::Value, graph->describe(), " belongs to another context than the module");
  if (root.module_)
    throwError(ErrorKind::Value, graph->describe(), " is in ",
               root.module_ == this ? "this" : "another", " module already");
  if (root.inTransaction())
    throwError(ErrorKind::Value, graph->describe(),
               " is in a transaction and cannot be moved; close it first");
  if (isTaken(graph->name()))
    throwError(ErrorKind::Value, "the module has a graph '", graph->name(), "' already");
  reserveMore(roots_, 1);
  enter(root, graph->describe());
  roots_.push_back(&root);
  root.module_ = this;
  retain(); // for the holds of the root; the caller has another reference
}

Root *Module::detach(Graph *graph) {
  Root &root = graph->root();
  auto it = std::find(roots_.begin(), roots_.end(), &root);
  if (it == roots_.end() || !graph->isRoot())
    throwError(ErrorKind::Value, graph->describe(), " is not a graph of this module");
  root.hold();
  roots_.erase(it);
  for (const std::string &subject : root.access().subjects())
    leave(root, subject);
  root.module_ = nullptr;
  release(); // the reference for the root's holds
  return &root;
}

void Module::erase(Graph *graph) {
  if (graph->root().inTransaction())
    throwError(ErrorKind::Value, graph->describe(),
               " is in a transaction and cannot be erased; close it first");
  Root *root = detach(graph);
  root->table_.killAll(*root, DeathCause::Erased);
  root->dropContents();
  root->drop();
}

void Module::setAttribute(const Identifier *name, Attribute value) {
  if (name->str().empty())
    throwError(ErrorKind::Value, "an attribute needs a name");
  Mutation::Impl::checkContext(*context_, &name->context(), "an attribute name");
  Mutation::Impl::checkContext(*context_, value.context(), "an attribute");
  context_->makePermanent(name); // so that it is found by its text
  interned_.use(value);
  int32_t at = attrs_.indexOf(name->id());
  value.retain();
  if (at < 0 && value) {
    Mutation::Impl::insertAttribute(arena_, attrs_, attrs_.size(), name->id(), value);
  } else if (at >= 0) {
    attrs_.at(uint32_t(at)).release();
    if (value)
      attrs_.values()[at] = value;
    else
      Mutation::Impl::eraseAttribute(attrs_, uint32_t(at));
  }
}

Module *Module::clone() const {
  Module *copy = create(*context_, name_);
  copy->interned_.share(interned_);
  for (uint32_t i = 0; i < attrs_.size(); ++i)
    copy->setAttribute(context_->identifierAt(attrs_.nameIdAt(i)), attrs_.at(i));
  for (const Root *root : roots_) {
    Root *graph = ge::clone(root->graph());
    copy->adopt(*graph);
    graph->drop();
  }
  return copy;
}

} // namespace ge
