//===- Graph.cpp - reading graphs, iteration --------------------------------------------------===//

#include "ge/IR/Graph.h"

#include "ge/IR/Module.h"
#include "ge/IR/Root.h"
#include "ge/Support/Interrupt.h"

#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace ge {

Context &Graph::context() const { return root_->context(); }
bool Graph::isRoot() const { return root_->graph() == this; }
Graph *Graph::parentGraph() const { return parent_ ? parent_->graph() : nullptr; }
Module *Graph::module() const { return root_->module(); }
std::string Graph::describe() const { return cat("graph '", name_, "'"); }

std::string Graph::outputName(uint32_t i) const {
  if (hasOutputName(i))
    return outputNames_[i];
  if (!remembersReads())
    return outputNames()[i];
  if (shownAt_ != root_->changeCount() || shownNames_.size() != numOutputs()) {
    shownNames_ = outputNames();
    shownAt_ = root_->changeCount();
  }
  return shownNames_[i];
}

std::vector<std::string> Graph::outputNames() const {
  std::vector<std::string> names(numOutputs());
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, uint32_t> tried;
  Interrupt interrupt;
  for (uint32_t i = 0; i < numOutputs(); ++i) {
    interrupt.poll();
    if (hasOutputName(i))
      taken.insert(names[i] = outputNames_[i]);
  }
  for (uint32_t i = 0; i < numOutputs(); ++i) {
    interrupt.poll();
    if (hasOutputName(i))
      continue;
    const Value *value = outputValue(i);
    std::string base = value && value->hasName() ? std::string(value->name()) : cat("output_", i);
    names[i] = base;
    while (!taken.insert(names[i]).second)
      names[i] = cat(base, '_', ++tried[base]);
  }
  return names;
}

bool Graph::remembersReads() const { return context().isSerialized() && root_->access().isFree(); }

Node *Graph::nodeAt(uint32_t index) const {
  Node *node = first_;
  uint32_t at = 0;
  uint32_t fromEnd = numNodes_ - 1 - index;
  if (fromEnd < index) {
    node = last_;
    at = numNodes_ - 1;
  }
  bool remembers = remembersReads();
  if (remembers && lastAt_) {
    uint32_t distance = index > lastIndex_ ? index - lastIndex_ : lastIndex_ - index;
    if (distance < std::min(index, fromEnd)) {
      node = lastAt_;
      at = lastIndex_;
    }
  }
  for (; at < index; ++at)
    node = node->next();
  for (; at > index; --at)
    node = node->prev();
  if (remembers) {
    lastAt_ = node;
    lastIndex_ = index;
  }
  return node;
}

bool Graph::encloses(const Graph *inner) const {
  while (inner && inner->depth_ > depth_)
    inner = inner->parentGraph();
  return inner == this;
}

// --- NodeCursor
// ----------------------------------------------------------------------------------------

namespace {

/// The list of cursors changes under read access, too.
class CursorGuard {
public:
  explicit CursorGuard(std::atomic_flag &flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
  }
  ~CursorGuard() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag &flag_;
};

} // namespace

NodeCursor::NodeCursor(Graph *graph, bool reverse) : graph_(graph), reverse_(reverse) {
  CursorGuard guard(graph->root().cursorLock_);
  nextCursor_ = graph->cursors_;
  link_ = &graph->cursors_;
  if (nextCursor_)
    nextCursor_->link_ = &nextCursor_;
  graph->cursors_ = this;
}

NodeCursor::~NodeCursor() {
  if (!graph_)
    return;
  CursorGuard guard(graph_->root().cursorLock_);
  *link_ = nextCursor_;
  if (nextCursor_)
    nextCursor_->link_ = link_;
}

void NodeCursor::detachAll(Graph *graph) {
  while (NodeCursor *cursor = graph->cursors_) {
    graph->cursors_ = cursor->nextCursor_;
    cursor->graph_ = nullptr;
    cursor->at_ = nullptr;
    cursor->link_ = nullptr;
    cursor->nextCursor_ = nullptr;
  }
}

Node *NodeCursor::next() {
  if (done_ || !graph_)
    return nullptr;
  if (reverse_)
    at_ = at_ ? at_->prev() : graph_->back();
  else
    at_ = at_ ? at_->next() : graph_->front();
  done_ = at_ == nullptr;
  return at_;
}

} // namespace ge
