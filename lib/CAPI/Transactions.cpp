//===- Transactions.cpp - undo of everything done to a root graph -----------------------------===//

#include "Live.h"

using namespace ge;
using namespace ge::capi;

/// Holds the root graph; the graph on which the transaction was begun may be erased.
struct GeTransaction {
  GeTransaction(Root &root, GeGraphRef *held) : core(root), held(held) {}
  Transaction core;
  GeGraphRef *held;
  bool blocks = false; ///< rolled back: the graph is read-only until the transaction ends
};

namespace {

using Closing = Live<Access::Exclusive, Graph>;

GeTransaction &needTransaction(GeTransaction *transaction) {
  if (!transaction)
    throwNull("transaction");
  return *transaction;
}

} // namespace

GeStatus geTransactionBegin(GeGraphRef *graph, GeTransaction **out) {
  return guarded([&] {
    GeTransaction *&made = result(out);
    Writing<Graph> g(graph, "graph");
    GeGraphRef *held = newRef(g.root().graph());
    try {
      made = new GeTransaction(g.root(), held);
    } catch (...) {
      geGraphRelease(held);
      throw;
    }
  });
}

GeStatus geTransactionCommit(GeTransaction *transaction) {
  return guarded([&] {
    GeTransaction &t = needTransaction(transaction);
    Closing root(t.held, "transaction");
    t.core.commit();
  });
}

GeStatus geTransactionRollback(GeTransaction *transaction) {
  return guarded([&] {
    GeTransaction &t = needTransaction(transaction);
    Closing root(t.held, "transaction");
    t.core.rollback();
    root.root().blockEdits();
    t.blocks = true;
  });
}

bool geTransactionIsOpen(GeTransaction *transaction) {
  return transaction && transaction->core.isOpen();
}

GeStatus geTransactionDestroy(GeTransaction *transaction) {
  return guarded([&] {
    if (!transaction)
      return;
    if (transaction->core.isOpen()) {
      Closing root(transaction->held, "transaction");
      transaction->core.rollbackAll();
    } else if (transaction->blocks) {
      record(transaction->held)->root.load(std::memory_order_acquire)->unblockEdits();
    }
    GeGraphRef *held = transaction->held;
    delete transaction;
    geGraphRelease(held);
  });
}
