//===- Reader.h - from protobuf messages to a module ------------------------------------------===//
//
// One pass over each message. Fields that the IR represents are read into it; the others are kept
// as bytes in the owner's `onnx.extra`, and the encoding of the rest in its `onnx.layout`.
//
#ifndef GE_LIB_FORMATS_ONNX_READER_H
#define GE_LIB_FORMATS_ONNX_READER_H

#include "ExternalData.h"
#include "Layout.h"
#include "Names.h"
#include "SlotTable.h"

#include "ge/Formats/Onnx/Onnx.h"
#include "ge/IR/Domain.h"
#include "ge/IR/Mutation.h"
#include "ge/Support/Interrupt.h"

#include <optional>
#include <tsl/robin_map.h>
#include <unordered_set>

namespace ge::onnx {

class ModelReader {
public:
  ModelReader(Context &context, const WireSource &source, const LoadOptions &options);
  ~ModelReader();
  ModelReader(const ModelReader &) = delete;
  ModelReader &operator=(const ModelReader &) = delete;

  Module *read(); ///< one reference, the caller's

private:
  struct Provenance { ///< what is not metadata in the IR
    std::vector<Origin> origins;
    std::vector<std::string> controlInputs;
    std::string_view operandSegments, resultSegments; ///< lengths of a node's lists, as texts
  };
  struct ReadTensor {
    std::string_view name;
    TensorPtr tensor;
    Entry entry;
    Provenance provenance; ///< of an initializer
    std::string opaque;    ///< its fields that the IR cannot represent, which the entry keeps
  };
  struct ReadSparse {
    std::string_view name;
    AttrRef value;
    const Type *type = nullptr; ///< of the dense tensor
    Entry entry;
    Provenance provenance; ///< of an initializer
    std::string opaque;    ///< as of ReadTensor
  };
  struct ReadValue { ///< a ValueInfoProto
    std::string_view name;
    const Type *type = nullptr;
    std::string_view typeBytes;
    bool hasType = false;
    Entry entry;
    Provenance provenance; ///< of an input
  };
  struct PendingUse { ///< of a name that nothing before it defines
    Node *node;
    uint32_t index;
    std::string_view name;
    std::string path;
  };
  struct ControlUse { ///< what a node's metadata says runs before it
    Node *node;
    std::vector<std::string> names;
  };
  struct Scope {
    Scope *outer = nullptr;
    Graph *graph = nullptr;
    SlotTable slots;
    std::vector<PendingUse> pending;
    std::vector<ControlUse> controls;
    Layout layout;
    int32_t infosInOrder = 0; ///< so many entries of value_info came in the order of results
    bool infosOutOfOrder = false;
  };
  using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;
  struct Properties { ///< entries of metadata_props
    Pairs entries;
    std::vector<std::string_view> fields; ///< as they were
    bool isPlain = true;                  ///< they can be a dictionary
  };
  /// Fields that graphs and functions have, in order.
  struct Body {
    std::vector<std::string_view> nodes, initializers, sparse, inputs, outputs, infos;
    Properties metadata;
    bool isFunction = false;
  };
  /// The attributes of a node while they are gathered; used again for each.
  struct Attributes {
    std::vector<NamedAttribute> values;
    std::vector<AttrRef> held;
    std::vector<std::string_view> names;            ///< of those that are not bytes in the layout
    std::unordered_set<std::string_view> manyNames; ///< the same, once they are many
    /// One for each attribute of the message; none while all are plain.
    std::vector<Entry> entries;
    std::vector<std::pair<size_t, std::string_view>> graphs; ///< position, AttributeProto
    size_t count = 0;                                        ///< of the message's attributes
    std::string opaque; ///< those that cannot be an attribute of the IR, which the entries keep
    void clear();
    bool has(std::string_view name);
    void add(const Identifier *name, AttrRef value);
    void note(std::string_view name, Entry entry);
  };

  // ReadModel.cpp
  void addFunction(std::string_view bytes, const FieldPath *path);
  AttrRef opsets(const std::vector<std::string_view> &imports, const FieldPath *path,
                 Layout &layout);
  void metadata(const WireReader &reader, Properties &into) const;
  /// Null when there are none, or when they are not a dictionary: then all go, in their order, with
  /// the extra fields.
  AttrRef metadataAttr(const Properties &properties, std::string &extra);
  AttrRef stringDict(const Pairs &entries);
  /// A tensor when they are many: interned ones live as long as the context.
  AttrRef bytesAttr(std::string_view bytes);
  /// The value of an opaque attribute.
  AttrRef opaqueAttr(std::string_view bytes);
  bool isOfSource(std::string_view bytes) const;
  void set(Graph *graph, std::string_view name, const AttrRef &value);
  void setExtras(Graph *graph, std::string_view extra, const Layout &layout);

  // ReadGraph.cpp
  void graph(std::string_view bytes, Graph *graph, Scope *outer, const FieldPath *path);
  void body(Body &fields, Scope &scope, const FieldPath *path);
  void declareInfos(const Body &fields, Scope &scope, const FieldPath *path);
  void finishInfos(const Body &fields, Scope &scope, const FieldPath *path);
  void inputs(const Body &fields, Scope &scope, std::vector<ReadTensor> &initializers,
              const FieldPath *path);
  void initializers(const Body &fields, Scope &scope, std::vector<ReadTensor> &initializers,
                    const FieldPath *path);
  void sparseInitializers(const Body &fields, Scope &scope, const FieldPath *path);
  void outputs(const Body &fields, const std::vector<ReadValue> &declared, Scope &scope,
               const FieldPath *path);
  ReadValue valueInfo(std::string_view bytes, const FieldPath *path, bool isInput = false);
  void resolvePending(Scope &scope);
  static Value *lookUp(Scope &scope, std::string_view name);
  [[noreturn]] void failTwice(std::string_view name, const FieldPath *path, const char *field);

  // ReadNode.cpp
  void node(std::string_view bytes, Scope &scope, const FieldPath *path);
  static void keepNames(Node *node, std::string_view name,
                        std::span<const std::string_view> results);
  static void keepNames(Node *node, std::string_view name, std::string_view result);
  void nameResults(Node *node, Scope &scope, const FieldPath *path);
  void takeProvenance(Properties &properties, Provenance &into, bool isNode = false);
  /// Reads the current entry; returns false if it has another key or the key was read before.
  bool takeProvenance(const WireReader &reader, std::string_view key, Provenance &into);
  void setProvenance(Node *node, Provenance &&provenance, Scope &scope);
  void addControlEdges(Scope &scope);

  // ReadAttribute.cpp
  void attribute(std::string_view bytes, const FieldPath *path, Attributes &into);
  AttrRef attributeValue(const AttributeTypeRow &row, std::string_view bytes, const FieldPath *path,
                         Entry &entry, std::string &opaque);
  AttrRef stringAttr(std::string_view bytes);
  AttrRef typeAttr(std::string_view bytes, const FieldPath *path, Entry &entry);
  AttrRef reference(std::string_view name, uint32_t type);
  void subgraphs(Node *node, Scope &scope, const FieldPath *path, Attributes &attributes);
  std::string attributesLayout(Attributes &attributes);

  // ReadTensor.cpp
  /// `isNamed`: the name has a place of its own, else it goes with the extra fields.
  ReadTensor tensor(std::string_view bytes, const FieldPath *path, bool isNamed);
  std::optional<ReadSparse> sparseTensor(std::string_view bytes, const FieldPath *path,
                                         bool isNamed);
  Tensor *viewOf(const Type *type, std::string_view bytes);

  /// Runs `work`; what the IR refuses becomes an error at this field.
  template <typename F>
  auto at(std::string_view place, const FieldPath *path, const char *field, const F &work) {
    try {
      return work();
    } catch (const Error &error) {
      if (error.kind() == ErrorKind::OS || !error.diagnostics().empty())
        throw;
      failAt(source_, place, path, field, error.message());
    }
  }

  Interrupt interrupt_;
  Context &context_;
  const WireSource &source_;
  ExternalFiles external_;
  const bool skipsData_;
  Module *module_ = nullptr;
  std::map<std::string, uint32_t> graphNames_; ///< with the last number that was appended

  // Looked up once.
  const OperatorName *constOp_, *constantOp_;
  const Identifier *value_, *extra_, *layout_, *docString_, *metadataProps_, *sparseValue_,
      *sparseInitializer_, *values_, *indices_, *dims_, *refAttrName_, *refType_, *opaque_;

  // Of the node that is being read.
  std::vector<Value *> operands_;
  Attributes attributes_;
  std::vector<std::string_view> inputNames_, outputNames_;
  std::vector<const Type *> resultTypes_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
  tsl::robin_map<std::string_view, std::pair<const Type *, bool>> types_; ///< by TypeProto's bytes
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_READER_H
