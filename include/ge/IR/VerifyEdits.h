//===- VerifyEdits.h - verification at the cost of what was edited ----------------------------===//
#ifndef GE_IR_VERIFYEDITS_H
#define GE_IR_VERIFYEDITS_H

#include "ge/IR/Mutation.h"

#include <functional>

namespace ge {

/// A position in the journal of a root with an open transaction.
struct EditMark {
  const Root *root;
  size_t length;
};
EditMark markEdits(const Root &root);

/// Returns whether the edits since the mark are correct in a graph that was in list order before;
/// the graph is then in list order again. False may be a false alarm, which verify() decides.
/// `module` may be null. O(edits), plus the users of moved nodes.
bool areEditsSound(const EditMark &mark, const Module *module);

/// The errors of verify() that concern a node or graph that was edited since the marks, or a node
/// in one. `module` may be null; all of a root without a mark counts as new. O(nodes + edges).
std::vector<Diagnostic> verifyEdits(std::span<const Graph *const> graphs, const Module *module,
                                    std::span<const EditMark> marks);

/// An edit that may invalidate a declared type, of `node`, which is in a graph now.
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
  uint32_t attribute = 0;          ///< its name
  ge::Attribute oldAttribute = {}; ///< invalid: there was none
};
/// The edits since the mark, oldest first, without types that inference set. O(edits).
void forEachTypeEdit(const EditMark &mark, const std::function<void(const TypeEdit &)> &visit);

/// An edit after which a node may not fit its operator's definition. `node` is in a graph now,
/// unless it was erased.
struct NodeEdit {
  enum class Kind : uint8_t { Made, Erased, Type, Attribute };
  Kind kind;
  const Node *node;
  uint32_t attribute = 0; ///< the name of one that was set, added or removed
};
/// Edits since the mark, oldest first; edits of kind Erased only if `erased`. O(edits).
void forEachNodeEdit(const EditMark &mark, const std::function<void(const NodeEdit &)> &visit,
                     bool erased = false);

/// Returns whether each node follows its dependences, in nested graphs too; there is no cycle then.
/// O(nodes + edges).
bool isInListOrder(const Graph *graph);

/// Whether the graph is in list order and verify() finds nothing in it. False may be a false alarm.
/// One walk. `module` may be null. O(nodes + edges).
bool isSoundInListOrder(const Graph *graph, const Module *module);

} // namespace ge

#endif // GE_IR_VERIFYEDITS_H
