//===- ReadModel.cpp - models and their functions ---------------------------------------------===//
#include "OtherFormats.h"
#include "Reader.h"

#include "ge/Support/SystemError.h"

#include <algorithm>
#include <ranges>

namespace ge::onnx {

ModelReader::ModelReader(Context &context, const WireSource &source, const LoadOptions &options)
    : context_(context), source_(source),
      external_(options.directory, options.dataRoots, options.opened),
      skipsData_(options.skipsData), constOp_(context.operatorName("ge", "Const")),
      constantOp_(context.operatorName("onnx", "Constant")) {
  const std::pair<const Identifier **, std::string_view> names[] = {
      {&value_, "value"},
      {&extra_, kExtra},
      {&layout_, kLayout},
      {&docString_, kDocString},
      {&metadataProps_, kMetadataProps},
      {&sparseValue_, "sparse_value"},
      {&sparseInitializer_, kSparseInitializer},
      {&values_, kValues},
      {&indices_, kIndices},
      {&dims_, kDims},
      {&refAttrName_, kRefAttrName},
      {&refType_, kRefType},
      {&opaque_, kOpaque},
  };
  for (const auto &[identifier, text] : names)
    *identifier = context.identifier(text);
}

ModelReader::~ModelReader() {
  if (module_)
    module_->release();
}

//===-----------------------------------------------------------------------------------------===//
// Parts of several messages
//===-----------------------------------------------------------------------------------------===//

/// False for what was made of several pieces of the source.
bool ModelReader::isOfSource(std::string_view bytes) const {
  std::less_equal<> notBehind;
  return notBehind(source_.bytes.data(), bytes.data()) &&
         notBehind(bytes.data() + bytes.size(), source_.bytes.data() + source_.bytes.size());
}

AttrRef ModelReader::bytesAttr(std::string_view bytes) {
  constexpr size_t kInterned = 4096;
  if (bytes.size() <= kInterned)
    return context_.bytesAttr(isOfSource(bytes) ? source_.need(bytes) : bytes);
  Dim size{int64_t(bytes.size()), nullptr};
  TensorTypeSpec spec;
  spec.dtype = DType::U8;
  spec.shape = {&size, 1};
  const Type *type = context_.tensorType(spec);
  return context_.tensorAttr(TensorPtr::adopt(
      isOfSource(bytes) ? viewOf(type, bytes) : Tensor::copy(type, bytes.data(), bytes.size())));
}

AttrRef ModelReader::opaqueAttr(std::string_view bytes) {
  AttrRef kept = bytesAttr(bytes);
  Attribute word = kept.get();
  return context_.dictAttr({&opaque_, 1}, {&word, 1});
}

void ModelReader::set(Graph *graph, std::string_view name, const AttrRef &value) {
  Mutation::setAttribute(graph, context_.identifier(name), value.get());
}

void ModelReader::setExtras(Graph *graph, std::string_view extra, const Layout &layout) {
  if (!extra.empty())
    set(graph, kExtra, bytesAttr(extra));
  if (!layout.empty())
    set(graph, kLayout, bytesAttr(layout.encode()));
}

void ModelReader::metadata(const WireReader &reader, Properties &into) const {
  std::string_view key, value;
  unsigned keys = 0, values = 0, others = 0;
  WireReader item(source_, reader.bytes("metadata_props"), reader.path());
  while (item.next())
    if (item.field() == entry::Key && item.type() == WireType::Bytes) {
      key = item.bytes("key");
      ++keys;
    } else if (item.field() == entry::Value && item.type() == WireType::Bytes) {
      value = item.bytes("value");
      ++values;
    } else {
      ++others;
    }
  into.isPlain &=
      keys == 1 && values == 1 && !others && !key.empty() && isValidUtf8(key) && isValidUtf8(value);
  into.entries.emplace_back(key, value);
  into.fields.push_back(reader.raw());
}

AttrRef ModelReader::metadataAttr(const Properties &properties, std::string &extra) {
  if (properties.entries.empty())
    return {};
  std::vector<std::string_view> keys;
  for (const auto &item : properties.entries)
    keys.push_back(item.first);
  std::ranges::sort(keys);
  if (properties.isPlain && std::ranges::adjacent_find(keys) == keys.end())
    return stringDict(properties.entries);
  for (std::string_view field : properties.fields)
    extra += field;
  return {};
}

AttrRef ModelReader::stringDict(const Pairs &entries) {
  std::vector<const Identifier *> keys;
  std::vector<Attribute> values; // strings are interned: nothing to hold
  for (const auto &[key, value] : entries) {
    keys.push_back(context_.scopedIdentifier(key));
    values.push_back(context_.stringAttr(value).get());
  }
  return context_.dictAttr(keys, values);
}

/// A dictionary from domains, the IR's, to versions. Of two imports of a domain the last one
/// counts, as in onnxruntime.
AttrRef ModelReader::opsets(const std::vector<std::string_view> &imports, const FieldPath *path,
                            Layout &layout) {
  std::vector<const Identifier *> keys;
  std::vector<Attribute> versions;
  std::vector<Entry> entries;
  std::map<const Identifier *, size_t> seen; ///< with the number of the entry
  bool isPlain = true;
  for (size_t i = 0; i < imports.size(); ++i) {
    FieldPath inner{path, "opset_import", int64_t(i)};
    WireReader reader(source_, imports[i], &inner);
    std::string_view domain;
    AttrRef version;
    Entry entry;
    std::string spelling;
    while (reader.next())
      if (reader.field() == opset::Domain) {
        domain = reader.text("domain");
        spelling = reader.raw();
      } else if (reader.field() == opset::Version) {
        version = context_.intAttr(reader.int64("version"));
      } else {
        entry.extra += reader.raw();
      }
    std::string_view canonical = canonicalDomain(domain);
    const Identifier *key = context_.scopedIdentifier(canonical);
    // The writer says it as models do, the default domain as an empty text.
    bool isPlainDomain = canonical == "onnx" ? spelling == std::string_view("\x0a\x00", 2)
                                             : modelDomain(canonical) == domain;
    if (!isPlainDomain) {
      entry.extra = spelling + entry.extra;
      entry.form = kNameless;
    }
    auto keepWhole = [&](Entry &kept, std::string_view bytes) {
      kept = Entry();
      kept.literal = bytes;
      kept.form = kWhole;
      kept.name = key->str();
    };
    // "onnx" is the IR's name; in a file it is no spelling of ONNX's own domain.
    bool isOther = domain == "onnx" || domain.starts_with("onnx.");
    if (!version || (isOther && seen.contains(key))) {
      keepWhole(entry, imports[i]);
    } else if (auto [it, isNew] = seen.try_emplace(key, i); isNew) {
      keys.push_back(key);
      versions.push_back(version.get());
    } else {
      keepWhole(entries[it->second], imports[it->second]);
      isPlain = false;
      it->second = i;
      versions[size_t(std::ranges::find(keys, key) - keys.begin())] = version.get();
    }
    entry.name = key->str();
    isPlain &= entry.isPlain();
    entries.push_back(std::move(entry));
  }
  if (!isPlain)
    layout[Section::Opsets] = std::move(entries);
  return context_.dictAttr(keys, versions);
}

//===-----------------------------------------------------------------------------------------===//
// Functions
//===-----------------------------------------------------------------------------------------===//

void ModelReader::addFunction(std::string_view bytes, const FieldPath *path) {
  Body fields;
  fields.isFunction = true;
  std::string extra;
  Pairs identity;
  std::vector<std::string_view> imports;
  std::vector<AttrRef> parameters;
  Attributes defaults;
  AttrRef doc;
  Scope scope;
  WireReader reader(source_, bytes, path);
  while (reader.next()) {
    switch (reader.field()) {
    case function::Name:
      identity.emplace_back("name", reader.text("name"));
      continue;
    case function::Domain:
      identity.emplace_back("domain", reader.text("domain"));
      continue;
    case function::Overload:
      identity.emplace_back("overload", reader.text("overload"));
      continue;
    case function::Input:
      fields.inputs.push_back(reader.text("input"));
      continue;
    case function::Output:
      fields.outputs.push_back(reader.text("output"));
      continue;
    case function::Attribute:
      parameters.push_back(context_.stringAttr(reader.text("attribute")));
      continue;
    case function::AttributeProto: {
      FieldPath inner{path, "attribute_proto", int64_t(defaults.count)};
      attribute(reader.message("attribute_proto"), &inner, defaults);
      if (!defaults.graphs.empty()) // a dictionary holds no graphs
        reader.fail("attribute_proto",
                    "an attribute of a function cannot have a graph as its default");
      continue;
    }
    case function::Node:
      fields.nodes.push_back(reader.message("node"));
      continue;
    case function::DocString:
      if (std::string_view text = reader.bytes("doc_string"); isValidUtf8(text)) {
        doc = context_.stringAttr(text);
        continue;
      }
      break;
    case function::OpsetImport:
      imports.push_back(reader.bytes("opset_import"));
      continue;
    case function::ValueInfo:
      fields.infos.push_back(reader.bytes("value_info"));
      continue;
    case function::MetadataProps:
      metadata(reader, fields.metadata);
      continue;
    default:
      break;
    }
    extra += reader.raw();
  }
  auto part = [&](std::string_view key) {
    auto it = std::ranges::find(identity, key, [](const auto &item) { return item.first; });
    return it == identity.end() ? std::string_view() : it->second;
  };
  std::string name =
      cat(part("domain"), ".", part("name"), part("overload").empty() ? "" : ":", part("overload"));
  std::string unique = name;
  if (auto [it, isNew] = graphNames_.try_emplace(name, 0); !isNew)
    do
      unique = cat(name, "_", ++it->second);
    while (!graphNames_.try_emplace(unique, 0).second);
  at(bytes, path, nullptr, [&] {
    scope.graph = module_->appendGraph(unique);
    set(scope.graph, kFunction, stringDict(identity));
    if (!parameters.empty()) {
      std::vector<Attribute> words;
      for (const AttrRef &parameter : parameters)
        words.push_back(parameter.get());
      set(scope.graph, kFunctionAttributes, context_.listAttr(words));
    }
    if (!defaults.values.empty()) {
      std::vector<const Identifier *> keys;
      std::vector<Attribute> values;
      for (const NamedAttribute &item : defaults.values) {
        keys.push_back(item.name);
        values.push_back(item.value);
      }
      set(scope.graph, kFunctionDefaults, context_.dictAttr(keys, values));
    }
    if (!imports.empty())
      set(scope.graph, kOpsetImports, opsets(imports, path, scope.layout));
    if (doc)
      set(scope.graph, kDocString, doc);
    if (!defaults.opaque.empty())
      set(scope.graph, kOpaque, opaqueAttr(defaults.opaque));
  });
  scope.layout[Section::Attributes] = std::move(defaults.entries);
  body(fields, scope, path);
  if (AttrRef props = metadataAttr(fields.metadata, extra))
    set(scope.graph, kMetadataProps, props);
  setExtras(scope.graph, extra, scope.layout);
}

//===-----------------------------------------------------------------------------------------===//
// The model
//===-----------------------------------------------------------------------------------------===//

Module *ModelReader::read() {
  module_ = Module::create(context_, {});
  auto set = [&](std::string_view name, const AttrRef &value) {
    module_->setAttribute(context_.identifier(name), value.get());
  };
  std::optional<std::string_view> graphBytes;
  std::vector<std::string_view> imports, functions, extra;
  Properties properties;
  WireReader reader(source_, source_.bytes, nullptr);
  while (reader.next()) {
    auto text = [&](std::string_view name, const char *field) {
      std::string_view value = reader.bytes(field);
      if (!isValidUtf8(value))
        return false;
      set(name, context_.stringAttr(value));
      return true;
    };
    bool taken = true;
    switch (reader.field()) {
    case model::IrVersion:
      set(kIrVersion, context_.intAttr(reader.int64("ir_version")));
      break;
    case model::ModelVersion:
      set(kModelVersion, context_.intAttr(reader.int64("model_version")));
      break;
    case model::ProducerName:
      taken = text(kProducerName, "producer_name");
      break;
    case model::ProducerVersion:
      taken = text(kProducerVersion, "producer_version");
      break;
    case model::Domain:
      taken = text(kDomain, "domain");
      break;
    case model::DocString:
      taken = text(kDocString, "doc_string");
      break;
    case model::Graph:
      if (graphBytes)
        reader.fail("graph", "the model has two graphs");
      graphBytes = reader.message("graph");
      break;
    case model::OpsetImport:
      imports.push_back(reader.bytes("opset_import"));
      break;
    case model::MetadataProps:
      metadata(reader, properties);
      break;
    case model::Functions:
      functions.push_back(reader.message("functions"));
      break;
    default:
      taken = false;
    }
    if (!taken)
      extra.push_back(reader.span());
  }
  if (!graphBytes)
    failAt(source_, source_.bytes, nullptr, "graph",
           source_.bytes.empty() ? "the file is empty" : "the model has no graph");

  Layout layout;
  at(source_.bytes, nullptr, "opset_import",
     [&] { set(kOpsetImports, opsets(imports, nullptr, layout)); });
  std::string repeated;
  if (AttrRef props = metadataAttr(properties, repeated))
    set(kMetadataProps, props);
  // Training information may contain weights: bytes in one piece stay a view.
  if (extra.size() == 1 && repeated.empty()) {
    set(kExtra, bytesAttr(extra.front()));
  } else if (!extra.empty() || !repeated.empty()) {
    for (std::string_view piece : extra)
      repeated += source_.need(piece);
    set(kExtra, bytesAttr(repeated));
  }
  if (!layout.empty())
    set(kLayout, bytesAttr(layout.encode()));

  FieldPath graphPath{nullptr, "graph"};
  std::string_view name;
  WireReader names(source_, *graphBytes, &graphPath);
  while (names.next())
    if (names.field() == graph::Name)
      name = names.text("name");
  graphNames_.try_emplace(std::string(name), 0);
  Graph *main = module_->appendGraph(name);
  graph(*graphBytes, main, nullptr, &graphPath);
  for (size_t i = 0; i < functions.size(); ++i) {
    FieldPath path{nullptr, "functions", int64_t(i)};
    addFunction(functions[i], &path);
  }
  return std::exchange(module_, nullptr);
}

Module *readModel(Context &context, const WireSource &source, const LoadOptions &options) {
  InternScope scope(context);
  try {
    return ModelReader(context, source, options).read();
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::OS)
      throw;
    if (std::string_view other = otherFormat(source.need(source.bytes.substr(0, 64)));
        !other.empty())
      failAt(source, source.bytes, nullptr, nullptr, cat("this is not an ONNX model: ", other));
    if (!error.diagnostics().empty() && isText(source.need(source.bytes.substr(0, 256)))) {
      std::vector<Diagnostic> diagnostics = error.diagnostics();
      diagnostics.front().message =
          cat("this is not an ONNX model, but text: ", diagnostics.front().message);
      throw Error(ErrorKind::Model, std::move(diagnostics));
    }
    if (!error.diagnostics().empty())
      throw;
    // Errors of the IR without a more precise location.
    failAt(source, source.bytes, nullptr, nullptr, error.message());
  }
}

/// Opens the directory of the model once, so that model and data come from the same one even if its
/// path changes. Null if it cannot be opened: then reading the model fails, with the reason.
static std::shared_ptr<const Directory> directoryOf(const std::string &path) {
  SplitPath split(path);
  if (split.name.empty())
    return nullptr;
  try {
    return std::make_shared<const Directory>(split.directory);
  } catch (const SystemError &) {
    return nullptr;
  }
}

Module *loadModel(Context &context, const std::string &path, LoadOptions options) {
  SpecialFiles special = options.allowPipe ? SpecialFiles::Allow : SpecialFiles::Named;
  std::shared_ptr<const Directory> directory = directoryOf(path);
  std::shared_ptr<const MappedFile> file =
      MappedFile::of(InputFile(path, special, directory.get()));
  if (options.directory.empty()) {
    options.directory = SplitPath(path).directory;
    options.opened = std::move(directory);
  }
  WireSource source{{file->unguarded(), file->size()}, path, file};
  if (!file->isMapped())
    return readModel(context, source, options);
  GuardedCopy copy(file);
  source.bytes = copy.bytes();
  source.copy = &copy;
  return readModel(context, source, options);
}

} // namespace ge::onnx
