//===- Transaction.cpp - Graph.transaction() ---------------------------------------------------===//
#include "Transaction.h"

#include "Errors.h"
#include "Objects.h"
#include "PopulateIR.h"

namespace ge::python {

namespace {

struct TransactionObject {
  PyObject *graph;
  GeTransaction *transaction; ///< null before and after its `with` block
  bool entered;
  TransactionObject() = default;
  TransactionObject(const TransactionObject &) = delete;
  ~TransactionObject();
};
PyTypeObject *transactionClass;

TransactionObject::~TransactionObject() {
  // The transaction is destroyed inside its block, for example by a generator that is not
  // exhausted.
  if (transaction)
    if (GeStatus s = geTransactionDestroy(transaction)) {
      // Another thread uses the graph, and there is no later occasion to roll back.
      nb::error_scope pending;
      raise(s);
      PyErr_WriteUnraisable(graph);
    }
  Py_XDECREF(graph);
}

/// Ends the block, whatever happens.
void destroy(TransactionObject &t) {
  if (t.transaction)
    check(geTransactionDestroy(t.transaction));
  t.transaction = nullptr;
}

} // namespace

PyObject *newTransaction(PyObject *graph) {
  PyObject *object = allocate(transactionClass);
  if (!object)
    return nullptr;
  auto &t = payload<TransactionObject>(object);
  t.graph = Py_NewRef(graph);
  t.transaction = nullptr;
  t.entered = false;
  return object;
}

void populateTransaction(nb::module_ &m) {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                                {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                                {0, nullptr}};
  nb::class_<TransactionObject> transaction(
      m, "Transaction", nb::is_final(), nb::type_slots(slots),
      "``with graph.transaction() as t:`` everything inside is undone if the block raises or "
      "calls\n"
      "``t.rollback()``: structure, names, types, attributes, order. Handles to what was erased "
      "inside then live\n"
      "again; handles to what was made inside are stale as \"rolled back\".\n\n"
      "Transactions of one root graph nest. Cost: proportional to the edits.");
  transactionClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(transaction.ptr()));
  transaction
      .def(
          "__enter__",
          [](nb::handle_t<TransactionObject> self) {
            auto &t = payload<TransactionObject>(self.ptr());
            if (t.entered)
              throw nb::value_error("a transaction is entered once; ask the graph for another");
            check(geTransactionBegin(payload<GraphObject>(t.graph).ref, &t.transaction));
            t.entered = true;
            return nb::borrow(self);
          },
          nb::sig("def __enter__(self) -> Transaction"))
      .def(
          "__exit__",
          [](nb::handle_t<TransactionObject> self, nb::handle type, nb::args) {
            auto &t = payload<TransactionObject>(self.ptr());
            if (!t.transaction)
              throw nb::value_error("the transaction is not open");
            if (type.is_none() && geTransactionIsOpen(t.transaction))
              if (GeStatus s = geTransactionCommit(t.transaction)) {
                // Committing fails, for example because an inner transaction is open: roll back as
                // after any failure.
                raise(s);
                nb::python_error error;
                destroy(t);
                throw error;
              }
            destroy(t);
            return false;
          },
          nb::arg("exc_type").none(), nb::arg("args"),
          nb::sig("def __exit__(self, exc_type: object, *args: object) -> typing.Literal[False]"))
      .def(
          "rollback",
          [](nb::handle_t<TransactionObject> self) {
            auto &t = payload<TransactionObject>(self.ptr());
            if (!t.transaction)
              throw nb::value_error("the transaction is not open");
            check(geTransactionRollback(t.transaction));
          },
          nb::sig("def rollback(self) -> None"),
          "Undo everything since the start. Later edits in the block raise ValueError.\n\n"
          "Raises\n------\nValueError\n    If it is not open, or an inner one is.\n\nCost: "
          "O(edits).")
      .def_prop_ro(
          "is_open",
          [](nb::handle_t<TransactionObject> self) {
            auto &t = payload<TransactionObject>(self.ptr());
            return t.transaction && geTransactionIsOpen(t.transaction);
          },
          nb::for_getter(nb::sig("def is_open(self, /) -> bool")),
          "Whether edits are being recorded.");
}

} // namespace ge::python
