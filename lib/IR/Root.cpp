//===- Root.cpp - life and death of root graphs -----------------------------------------------===//

#include "ge/IR/Root.h"

#include "MutationImpl.h"
#include "OpIndex.h"

#include "ge/IR/Module.h"

#include <algorithm>
#include <iterator>

namespace ge {

static std::atomic<uint64_t> lastRootId{0};

Root::Root(Context &context)
    : context_(&context), interned_(context),
      id_(lastRootId.fetch_add(1, std::memory_order_relaxed) + 1) {
  context.addRoot(this);
}

Root *Root::create(Context &context, std::string_view name) {
  if (!isValidUtf8(name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
  std::unique_ptr<Root> root(new Root(context));
  root->limbo_ = new Graph;
  root->limbo_->root_ = root.get();
  root->graph_ = Mutation::Impl::makeGraph(*root, name, nullptr, {});
  root->access_.setSubject(root->graph_->describe());
  return root.release();
}

void Root::nameChanged(bool mayReturn) {
  std::string subject = graph_->describe();
  if (module_)
    module_->enter(*this, subject);
  std::string old = access_.setSubject(std::move(subject), mayReturn);
  if (module_ && !mayReturn)
    module_->leave(*this, old);
}

void Root::forgetFormerNames() {
  for (const std::string &former : access_.forgetFormer())
    if (module_)
      module_->leave(*this, former);
}

Root::~Root() {
  if (!movedInto_)
    context_->removeRoot(this);
  deleteAbandoned();
  dropContents();
  delete limbo_;
}

std::shared_ptr<void> Root::attachment() const {
  std::lock_guard<std::mutex> guard(attachmentLock_);
  return attachment_;
}

void Root::setAttachment(std::shared_ptr<void> attachment) {
  // The previous one is destroyed with the argument, without the lock.
  std::lock_guard<std::mutex> guard(attachmentLock_);
  attachment_.swap(attachment);
}

void Root::dropContents() {
  setAttachment(nullptr);
  if (std::unique_ptr<Journal> journal = std::move(journal_))
    journal->finish(*this);
  if (graph_)
    destroyGraph(std::exchange(graph_, nullptr));
  if (limbo_) {
    for (Node *node = limbo_->first_, *next; node; node = next) {
      next = node->next_;
      for (Graph *inner : node->subgraphs())
        destroyGraph(inner);
      freeNode(node);
    }
    limbo_->first_ = limbo_->last_ = nullptr;
    limbo_->numNodes_ = 0;
  }
}

void Root::destroyGraph(Graph *graph) {
  auto destroy = [&](Node *node) {
    for (Graph *inner : node->subgraphs())
      destroyGraph(inner);
    freeNode(node);
  };
  for (Node *node = graph->first_, *next; node; node = next) {
    next = node->next_;
    destroy(node);
  }
  for (Node *input : graph->inputs_)
    freeNode(input);
  freeNode(graph->output_);
  NodeCursor::detachAll(graph);
  table_.forget(graph->link_);
  Mutation::Impl::freeAttributes(arena_, graph->attrs_);
  delete graph;
}

// A handle counts for the root in which it was created. When that root becomes an empty shell, its
// holds become one hold on the root that took over its graph.

void Root::hold() {
  if (holds_.fetch_add(1, std::memory_order_acq_rel) != 0)
    return;
  if (movedInto_)
    movedInto_->hold();
  else if (module_)
    module_->retain();
}

void Root::drop() {
  if (holds_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (movedInto_)
    movedInto_->drop();
  else if (module_)
    module_->release();
  else
    delete this;
}

void Root::drainReleased() {
  if (!hasReleased())
    return;
  if (!access_.heldByThisThread() && !isQuiet())
    return;
  table_.drain(*this);
  deleteAbandoned();
}

void Root::abandon(NodeCursor *cursor) {
  NodeCursor *head = abandoned_.load(std::memory_order_relaxed);
  do
    cursor->nextAbandoned_ = head;
  while (!abandoned_.compare_exchange_weak(head, cursor, std::memory_order_acq_rel));
}

void Root::deleteAbandoned() {
  NodeCursor *cursor = abandoned_.exchange(nullptr, std::memory_order_acq_rel);
  while (cursor)
    delete std::exchange(cursor, cursor->nextAbandoned_);
}

void Root::killHandles(DeathCause cause) {
  if (inTransaction())
    throwError(ErrorKind::Value, graph_->describe(),
               " is in a transaction, whose rollback would bring references back; close it first");
  table_.killAll(*this, cause);
}

std::vector<Node *> Root::findAll(const Graph *graph, const OperatorName *op) {
  {
    std::lock_guard<std::mutex> guard(opIndexLock_);
    if (!opIndex_) {
      auto index = std::make_unique<OpIndex>(graph_, limbo_);
      addListener(index.get());
      opIndex_ = std::move(index);
    }
  }
  std::vector<Node *> found = static_cast<OpIndex *>(opIndex_.get())->find(graph, op);
  if (op->domain() != "ge")
    return found;
  // Inputs and the output are in no list, so in no index; they are few.
  std::vector<Node *> all;
  std::copy_if(graph->inputs_.begin(), graph->inputs_.end(), std::back_inserter(all),
               [&](const Node *input) { return input->opId() == op->id(); });
  all.insert(all.end(), found.begin(), found.end());
  if (graph->output_->opId() == op->id())
    all.push_back(graph->output_);
  return all;
}

void Root::dropOpIndex() {
  removeListener(opIndex_.get());
  opIndex_.reset();
}

int64_t Root::handles() const {
  int64_t count = handles_.load(std::memory_order_relaxed);
  std::lock_guard<std::mutex> guard(absorbedLock_);
  for (const auto &shell : absorbed_)
    count += shell->handles();
  return count;
}

void Root::addListener(MutationListener *listener) { listeners_.push_back(listener); }
void Root::removeListener(MutationListener *listener) { std::erase(listeners_, listener); }

} // namespace ge
