//===- Writer.h - from a module to protobuf messages ------------------------------------------===//
//
// Messages are written from back to front (see WireWriter), so all loops here run backwards.
// `onnx.extra` precedes the other fields of a message: if it repeats a field that the IR
// represents, the last one counts, which is the IR's.
//
#ifndef GE_LIB_FORMATS_ONNX_WRITER_H
#define GE_LIB_FORMATS_ONNX_WRITER_H

#include "Layout.h"
#include "Output.h"
#include "WritePlan.h"

#include "ge/Formats/Onnx/Onnx.h"
#include "ge/Support/Interrupt.h"

#include <map>

namespace ge::onnx {

class ModelWriter {
public:
  /// `location`: of the new data file, when it has been chosen before.
  ModelWriter(const Module &module, const SaveOptions &options, std::shared_ptr<Output> output,
              std::string location = {});
  SerializedModel write();

private:
  // WriteModel.cpp
  void functionGraph(const Graph *graph, const RootPlan &plan);
  void opsetImports(const AttributeList &attributes, const Layout &layout, uint32_t field,
                    const RootPlan &root);
  void metadata(const AttributeList &attributes, uint32_t field, const Node *node = nullptr);
  void property(uint32_t field, std::string_view key, std::string_view value);
  void text(const AttributeList &attributes, std::string_view name, uint32_t field);
  void number(const AttributeList &attributes, std::string_view name, uint32_t field);
  void extra(const AttributeList &attributes);
  void extra(Attribute value); ///< bytes as they were
  Attribute find(const AttributeList &attributes, std::string_view name) const {
    return onnx::find(context_, attributes, name);
  }

  // WriteGraph.cpp
  void graph(const Graph *graph, const RootPlan &plan);
  void nodes(const GraphPlan &plan, const RootPlan &root, uint32_t field, bool isFunction);
  void node(const Node *node, const RootPlan &root, bool isFunction);
  bool keepsAny(const AttributeList &list) const;
  void splat(const Node *node, const RootPlan &root, uint32_t field);
  void valueAttribute(const TensorPtr &tensor);
  void origins(const Node *node, uint32_t field);
  void provenance(const Node *node, const RootPlan &root, uint32_t field = node::MetadataProps);
  void identity(const OutputPlan &output, const RootPlan &root, uint32_t field);
  void infos(const Graph *graph, const GraphPlan &plan, const RootPlan &root, uint32_t field);
  void valueInfo(std::string_view name, const Type *type, const Entry *entry);
  void initializers(const Graph *graph, const GraphPlan &plan, const RootPlan &root);
  void initializer(const Node *node, const RootPlan &root);
  void sparseInitializers(const GraphPlan &plan, const RootPlan &root);
  void inputs(const Graph *graph, const RootPlan &root);
  void outputs(const GraphPlan &plan);

  // WriteAttribute.cpp
  /// One attribute of a message: a value, graphs, or bytes as they were.
  struct Item {
    std::string_view name;
    Attribute value = {};
    std::vector<const Graph *> graphs = {};
    const Entry *entry = nullptr;
  };
  void attributes(const Node *node, const RootPlan &root, const Layout &layout);
  void items(std::vector<Item> values, const std::vector<Entry> &entries, uint32_t field,
             const RootPlan &root);
  void attributeMessage(const Item &item, uint32_t field, const RootPlan &root);
  void attribute(const Item &item, const RootPlan &root); ///< its fields
  AttributeType typeOf(const Item &item) const;
  void value(AttributeType type, Attribute value, const Entry *entry);
  void listElement(AttributeType type, Attribute value, const Entry *entry);
  bool reference(const Item &item);
  void typeMessage(uint32_t field, const Type *type, const Entry *entry);

  // WriteTensor.cpp
  void tensor(const TensorPtr &tensor, std::string_view name, const Entry *entry);
  /// `node`: an initializer's, whose origins and control edges go along.
  void sparseTensor(Attribute value, std::string_view name, const Entry *entry,
                    const Node *node = nullptr, const RootPlan *root = nullptr);
  bool isSparse(Attribute value) const;
  bool numbers(const Tensor &tensor, uint32_t form);
  bool external(const TensorPtr &tensor, const Entry *entry);
  bool wasExternal(const TensorPtr &tensor, const Entry &entry, std::string &location);
  bool isKept(const TensorPtr &tensor, const Entry &entry);
  void planExternal(const Graph *graph, const GraphPlan &plan);
  void planExternal(Attribute value, const Layout &layout);
  bool place(const TensorPtr &tensor);
  const std::string &newLocation();

  const Module &module_;
  const Context &context_;
  const SaveOptions &options_;
  std::shared_ptr<Output> output_;
  Interrupt interrupt_;
  WireWriter out_;

  // The new data file.
  struct NewPlace {
    uint64_t offset, length;
  };
  tsl::robin_map<const Tensor *, NewPlace> newPlaces_;
  std::map<std::pair<const char *, size_t>, NewPlace> placesOfBytes_; ///< of mapped files
  std::map<const MappedFile *, uint64_t> copiedFrom_;                 ///< bytes
  NewData newData_;
  uint64_t newDataEnd_ = 0;
  /// Of what stays where it is, when the model becomes bytes: one file to a location.
  std::map<std::string, const MappedFile *> filesOfBytes_;
};

/// The bytes of raw_data: elements under 8 bits packed.
Encoded::Piece rawBytes(const TensorPtr &tensor);

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_WRITER_H
