//===- VerifyEdits.h - verification at the cost of what was edited ----------------------------===//
#ifndef GE_IR_VERIFYEDITS_H
#define GE_IR_VERIFYEDITS_H

#include "ge/IR/Mutation.h"

#include <functional>

namespace ge {

/// How far the journal of a root that is in a transaction goes.
struct EditMark {
  const Root *root;
  size_t length;
};
EditMark markEdits(const Root &root);

/// Whether what was edited since the mark is right, in a graph that was in list order before: that
/// is then so again. False may be a false alarm, which verify() settles. `module` may be null.
/// O(edits), and the users of nodes that were moved.
bool areEditsSound(const EditMark &mark, const Module *module);

/// Of what verify() finds in the graphs, that which has to do with a node or graph that was edited
/// since the marks, or with a node that stands in one. `module` may be null; graphs of a root
/// without a mark are new as a whole. O(nodes + edges).
std::vector<Diagnostic> verifyEdits(std::span<const Graph *const> graphs, const Module *module,
                                    std::span<const EditMark> marks);

/// What may make a declared type wrong. Of `node`, which is in a graph now.
struct TypeEdit {
  enum class Kind : uint8_t {
    Made,      ///< the node, with declared types
    Operand,   ///< `index`, which was `oldValue`, of another type or perhaps other contents
    Type,      ///< of `value`, a result of the node, which was `oldType`
    Attribute, ///< `attribute`, which was `oldAttribute`
  };
  Kind kind;
  Node *node;
  uint32_t index = 0;
  Value *oldValue = nullptr; ///< null: absent; perhaps of a node that is parked
  Value *value = nullptr;
  const Type *oldType = nullptr;
  uint32_t attribute = 0;     ///< its name
  ge::Attribute oldAttribute; ///< invalid: there was none
};
/// Edits since the mark, oldest first. What inference set is none. O(edits).
void forEachTypeEdit(const EditMark &mark, const std::function<void(const TypeEdit &)> &visit);

/// What may make a node differ from the definition of its operator. Of `node`, which is in a graph
/// now, but for one that was erased.
struct NodeEdit {
  enum class Kind : uint8_t { Made, Erased, Type, Attribute };
  Kind kind;
  const Node *node;
  uint32_t attribute = 0; ///< the name of one that was set, added or removed
};
/// Edits since the mark, oldest first. O(edits).
void forEachNodeEdit(const EditMark &mark, const std::function<void(const NodeEdit &)> &visit);

/// Whether each node stands after what it depends on, in the graphs inside, too: there is no cycle
/// then. O(nodes + edges).
bool isInListOrder(const Graph *graph);

/// Whether the graph is in list order and verify() finds nothing in it. False may be a false alarm.
/// One walk. `module` may be null. O(nodes + edges).
bool isSoundInListOrder(const Graph *graph, const Module *module);

} // namespace ge

#endif // GE_IR_VERIFYEDITS_H
