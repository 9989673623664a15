//===- OnnxOps.cpp - ONNX's operators, from their table ---------------------------------------===//
//
// The first lines of onnx_ops.table describe its format. The table is generated and correct, so
// nothing is checked here; a test creates every record of it.
//
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <charconv>

namespace ge {
namespace {

// An array, because compilers cannot evaluate the length of so long a literal.
constexpr char kTableBytes[] =
#include "onnx_ops.inc"
    ;
constexpr std::string_view kTable(kTableBytes, sizeof kTableBytes - 1);
constexpr std::string_view kFile = "onnx_ops.table";
constexpr std::string_view kNamespaces[] = {"onnx", "onnx.ml", "onnx.preview",
                                            "onnx.preview.training"};

/// Words of a line.
class Fields {
public:
  explicit Fields(std::string_view line) : rest_(line) {}
  std::string_view word() {
    size_t end = std::min(rest_.find(' '), rest_.size());
    std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  uint32_t number() { return numberOf(word()); }
  std::string_view rest() const { return rest_; }
  static uint32_t numberOf(std::string_view digits) {
    uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

private:
  std::string_view rest_;
};

/// The start of each line of the table. Lines count from 0.
class RecordTable {
public:
  static const RecordTable &get() {
    // Never destroyed: threads may be at work when the process ends.
    static const auto &table = *new RecordTable;
    return table;
  }
  uint32_t size() const { return uint32_t(starts_.size() - 1); }
  std::string_view line(uint32_t number) const {
    return kTable.substr(starts_[number], starts_[number + 1] - starts_[number] - 1);
  }
  uint32_t firstOp() const { return ops_ + 1; }
  /// Item `number` of a section; sections count from 1, the line after their heads.
  std::string_view types(uint32_t number) const { return line(types_ + number); }
  std::string text(uint32_t number) const;
  /// A line that begins a record or a namespace, or is the end.
  bool isEnd(uint32_t number) const {
    return number == size() || line(number).front() == '+' || line(number).front() == '.';
  }

private:
  RecordTable() {
    for (size_t at = 0; at < kTable.size(); at = kTable.find('\n', at) + 1) {
      if (kTable[at] == '@') {
        uint32_t &section = kTable[at + 1] == 'o' ? ops_ : kTable[at + 2] == 'y' ? types_ : texts_;
        if (section == 0)
          section = uint32_t(starts_.size());
      }
      starts_.push_back(uint32_t(at));
    }
    starts_.push_back(uint32_t(kTable.size()));
  }
  std::vector<uint32_t> starts_;
  uint32_t types_ = 0, texts_ = 0, ops_ = 0;
};

std::string RecordTable::text(uint32_t number) const {
  std::string out;
  if (number == 0)
    return out;
  std::string_view written = line(texts_ + number);
  out.reserve(written.size());
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '\\') {
      out += written[i];
      continue;
    }
    ++i;
    out += written[i] == 'n' ? '\n' : written[i];
  }
  return out;
}

/// "float,map(string,float)" as ONNX writes them: "tensor(float)" and so on.
std::vector<std::string> allowedTypes(std::string_view list) {
  std::vector<std::string> types;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] != ',' || depth > 0)) {
      depth += (list[i] == '(') - (list[i] == ')');
      continue;
    }
    std::string_view word = list.substr(begin, i - begin);
    bool isPlain = word.find('(') == std::string_view::npos;
    types.push_back(isPlain ? cat("tensor(", word, ")") : std::string(word));
    begin = i + 1;
  }
  return types;
}

/// Makes one record.
class RecordReader {
public:
  explicit RecordReader(OpSpec &spec) : spec_(spec) {}

  void readHead(std::string_view line) {
    Fields fields(line);
    fields.word();
    spec_.name = fields.word();
    spec_.since = fields.number();
    readTraits(fields.word());
    spec_.doc = table_.text(fields.number());
  }
  void readVariable(std::string_view line) {
    Fields fields(line);
    fields.word();
    TypeVar variable;
    variable.name = fields.word();
    variable.allowed = allowedTypes(table_.types(fields.number()));
    variable.doc = table_.text(fields.number());
    spec_.typeVars.push_back(std::move(variable));
  }
  void readSlot(std::string_view line) {
    if (line.front() == 'a')
      return readAttribute(line);
    if (line.front() == 'c')
      return readChoices(line);
    if (line.front() == 'o') {
      readEdge(line, spec_.results.emplace_back());
      return;
    }
    Param &param = spec_.params.emplace_back();
    readEdge(line, param);
    if (param.type->isOptional())
      param.defaultValue = DefaultValue{Constant::none(), {}};
    else if (param.isVariadic() && param.minCount == 0)
      param.defaultValue = DefaultValue{Constant::list({}), {}};
  }
  /// Only trailing operands may have defaults, as in a Python function.
  void finish() {
    bool isRequiredAfter = false;
    for (size_t i = spec_.params.size(); i-- > 0;) {
      Param &param = spec_.params[i];
      if (param.kwOnly)
        continue;
      isRequiredAfter |= !param.defaultValue;
      if (isRequiredAfter)
        param.defaultValue.reset();
    }
  }

private:
  void readTraits(std::string_view letters) {
    constexpr std::pair<char, OpTrait> traits[] = {
        {'c', OpTrait::Commutative},      {'p', OpTrait::Pure},        {'e', OpTrait::Elementwise},
        {'n', OpTrait::Nondeterministic}, {'g', OpTrait::ControlFlow}, {'x', OpTrait::Experimental},
        {'f', OpTrait::Function},
    };
    for (char letter : letters) {
      for (auto [known, trait] : traits)
        if (letter == known)
          spec_.set(trait);
      spec_.deprecated |= letter == 'd';
    }
  }
  void readEdge(std::string_view line, Slot &slot) {
    Fields fields(line);
    fields.word();
    std::string_view count = fields.word();
    slot.name = fields.word();
    slot.typeVar = variableOf(fields.word());
    slot.doc = table_.text(fields.number());
    const SchemaType *tensor = SchemaType::tensor();
    if (count == "1")
      slot.type = tensor;
    else if (count == "?")
      slot.type = SchemaType::optional(tensor);
    else {
      slot.type = SchemaType::list(tensor);
      slot.homogeneous = count.front() == '*';
      slot.minCount = Fields::numberOf(count.substr(1));
    }
  }
  void readAttribute(std::string_view line) {
    Fields fields(line);
    fields.word();
    Param &param = spec_.params.emplace_back();
    param.kwOnly = true;
    param.name = fields.word();
    param.doc = table_.text(fields.number());
    std::string_view type = fields.rest();
    size_t equals = type.find('=');
    param.type = parseSchemaType(type.substr(0, equals));
    if (equals != std::string_view::npos) {
      std::string_view text = type.substr(equals + 1);
      param.defaultValue = {parseSchemaConstant(text, param.type), std::string(text)};
    } else if (param.type->isOptional())
      param.defaultValue = DefaultValue{Constant::none(), {}};
  }
  /// The default of the attribute parsed before.
  void readChoices(std::string_view line) {
    Fields fields(line);
    fields.word();
    for (std::string_view word = fields.word(); !word.empty(); word = fields.word())
      spec_.params.back().choices.push_back(Constant::string(word));
  }
  /// A type that is not a variable becomes a variable with a single type.
  int32_t variableOf(std::string_view name) {
    for (size_t i = 0; i < spec_.typeVars.size(); ++i)
      if (spec_.typeVars[i].name == name)
        return int32_t(i);
    spec_.typeVars.push_back({std::string(name), {std::string(name)}, {}});
    return int32_t(spec_.typeVars.size() - 1);
  }

  OpSpec &spec_;
  const RecordTable &table_ = RecordTable::get();
};

class OnnxProvider final : public OpProvider {
public:
  explicit OnnxProvider(std::string_view ns) : ns_(ns) {}

  std::vector<Entry> entries() const override {
    const RecordTable &table = RecordTable::get();
    std::vector<Entry> found;
    for (uint32_t line : records()) {
      Fields fields(table.line(line));
      fields.word();
      std::string_view name = fields.word();
      found.push_back({name, {}, fields.number()});
    }
    return found;
  }

  OpSpec make(size_t index) const override {
    const RecordTable &table = RecordTable::get();
    uint32_t head = records()[index];
    OpSpec spec;
    spec.ns = ns_;
    spec.source = {std::string(kFile), head + 1};
    RecordReader reader(spec);
    reader.readHead(table.line(head));
    for (uint32_t line = head + 1; !table.isEnd(line); ++line)
      if (table.line(line).front() == 't')
        reader.readVariable(table.line(line));
    // Slots as in an earlier version.
    uint32_t slots = head;
    while (!table.isEnd(slots + 1) && table.line(slots + 1) == "=")
      slots = records()[--index];
    for (uint32_t line = slots + 1; !table.isEnd(line); ++line)
      if (table.line(line).front() != 't')
        reader.readSlot(table.line(line));
    reader.finish();
    return spec;
  }

private:
  const std::vector<uint32_t> &records() const {
    // Never destroyed: threads may be at work when the process ends.
    static const auto &all = *new std::vector<std::vector<uint32_t>>(findRecords());
    return all[size_t(std::find(std::begin(kNamespaces), std::end(kNamespaces), ns_) -
                      std::begin(kNamespaces))];
  }
  /// The first lines of the records of each of kNamespaces.
  static std::vector<std::vector<uint32_t>> findRecords() {
    const RecordTable &table = RecordTable::get();
    std::vector<std::vector<uint32_t>> all(std::size(kNamespaces));
    size_t current = 0;
    for (uint32_t i = table.firstOp(); i < table.size(); ++i) {
      std::string_view line = table.line(i);
      if (line.front() == '.')
        current = size_t(std::find(std::begin(kNamespaces), std::end(kNamespaces), line.substr(2)) -
                         std::begin(kNamespaces));
      else if (line.front() == '+')
        all.at(current).push_back(i);
    }
    return all;
  }
  std::string_view ns_;
};

} // namespace

std::vector<BuiltinOps> onnxOps() {
  std::vector<BuiltinOps> all;
  for (std::string_view ns : kNamespaces)
    all.push_back({ns, std::make_shared<OnnxProvider>(ns)});
  return all;
}

} // namespace ge
