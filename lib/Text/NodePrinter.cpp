//===- NodePrinter.cpp - one operation ------------------------------------------------------------===//
#include "Printer.h"
#include "Scanner.h"

#include "ge/Support/StringUtil.h"

namespace ge::text {

// --- Small pieces --------------------------------------------------------------------------------

void Printer::type(const Type *type) {
  out_ += types_.get(type->id(), [&](std::string &text) { type->print(text); });
}

std::string_view Printer::opText(const OperatorName *op) {
  return ops_.get(op->id(), [&](std::string &text) {
    if (!isPlainOperator(*op)) {
      text += kSpelled;
      return;
    }
    appendQuoted(text, op->str());
    text += '(';
  });
}

void Printer::location(const Location *location) {
  if (!options_.locations || location->kind() == Location::Kind::Unknown)
    return;
  out_ += " loc(";
  location->print(out_);
  out_ += ')';
}

void Printer::valueName(const Value *value) {
  interrupt_.poll();
  if (!value) {
    out_.append("%").append(kNone);
    return;
  }
  out_ += '%';
  if (!plan_) {
    // As MLIR would make an identifier of it.
    size_t start = out_.size();
    value->appendName(out_);
    for (size_t i = start; i < out_.size(); ++i)
      if (!isClass(out_[i], kLetter | kDigit | kPunct | kDash))
        out_[i] = '_';
    return;
  }
  if (plan_->carriesName(value))
    out_ += value->name();
  else
    appendPart(out_, plan_->number(value));
}

void Printer::controlName(const Node *node) {
  out_ += '%';
  if (plan_) {
    appendPart(out_, plan_->controlNumber(node));
    return;
  }
  node->appendName(out_);
  out_ += ".control";
}

// --- Attributes ----------------------------------------------------------------------------------

/// `implied` is the name that the node gets when it is read without one.
void Printer::nodeName(Dictionary &dictionary, const Node *node, std::string_view implied) {
  std::string_view name = node->name();
  bool isSaid = name != implied;
  if (plan_ && !isSaid && !name.empty())
    isSaid = options_.names == PrintOptions::Names::Attr || plan_->isRepeated(node);
  if (isSaid)
    appendQuoted(dictionary.entry("ge.name"), name);
}

void Printer::resultNames(Dictionary &dictionary, const Node *node) {
  bool isSaid = false;
  for (uint32_t i = 0, n = node->numResults(); i < n; ++i) {
    const Value *value = node->result(i);
    isSaid |= value->hasName() && (options_.names == PrintOptions::Names::Attr ||
                                   (plan_ && !plan_->carriesName(value)));
  }
  if (!isSaid)
    return;
  dictionary.entry("ge.result_names");
  char separator = '[';
  for (uint32_t i = 0, n = node->numResults(); i < n; ++i) {
    out_ += separator;
    if (separator == ',')
      out_ += ' ';
    appendQuoted(out_, node->result(i)->name());
    separator = ',';
  }
  out_ += ']';
}

void Printer::identity(Dictionary &dictionary, const OperatorName &op) {
  appendQuoted(dictionary.entry("ge.domain"), op.domain());
  appendQuoted(dictionary.entry("ge.type"), op.type());
  if (!op.overload().empty())
    appendQuoted(dictionary.entry("ge.overload"), op.overload());
}

void Printer::origins(Dictionary &dictionary, const Node *node) {
  if (!options_.locations || node->origins().empty())
    return;
  dictionary.entry("ge.origins");
  std::string_view separator = "[";
  for (const OriginView &origin : node->origins()) {
    out_ += separator;
    separator = ", ";
    Dictionary entry(out_, "{");
    appendQuoted(entry.entry("node"), origin.node);
    // The full name is ambiguous about the overload, and is for human readers here.
    if (origin.op && isPlainOperator(*origin.op))
      appendQuoted(entry.entry("op"), origin.op->str());
    if (origin.pass)
      appendQuoted(entry.entry("pass"), origin.pass->str());
    if (origin.rule)
      appendQuoted(entry.entry("rule"), origin.rule->str());
    if (origin.where) {
      entry.entry("loc") += "loc(";
      origin.where->print(out_);
      out_ += ')';
    }
    entry.close();
  }
  out_ += ']';
}

/// MLIR's own spelling.
void Printer::segments(Dictionary &dictionary, std::string_view key,
                       std::span<const int32_t> lengths) {
  if (lengths.empty())
    return;
  dictionary.entry(key) += "array<i32";
  std::string_view separator = ": ";
  for (int32_t length : lengths) {
    out_ += separator;
    separator = ", ";
    appendPart(out_, length);
  }
  out_ += '>';
}

void Printer::nodeAttributes(const Node *node) {
  Dictionary dictionary(out_, " {");
  bool carries = node->numResults() && plan_ && plan_->carriesName(node->result(0));
  nodeName(dictionary, node, carries ? node->result(0)->name() : std::string_view());
  resultNames(dictionary, node);
  if (!node->isNetOutput() && isSpelled(node->op()))
    identity(dictionary, *node->op());
  if (node->extra()) {
    segments(dictionary, kOperandSegments, node->operandSegments());
    segments(dictionary, kResultSegments, node->resultSegments());
  }
  attributes(dictionary, node->attributes(), node->isData(), false, keyHint(node));
  if (plan_ && node->extra())
    subgraphEntries(dictionary, node);
  origins(dictionary, node);
  dictionary.close();
}

/// Properties of a Data node that a function argument cannot express.
void Printer::inputAttributes(Dictionary &dictionary, const Node *node) {
  const Value *value = node->result(0);
  bool carries = plan_->carriesName(value);
  if (options_.names == PrintOptions::Names::Attr) {
    // MLIR's default names %arg0, ... must not become names.
    appendQuoted(dictionary.entry("ge.name"), node->name());
    dictionary.entry("ge.result_names") += '[';
    appendQuoted(out_, value->name());
    out_ += ']';
  } else {
    nodeName(dictionary, node, carries ? value->name() : std::string_view());
    resultNames(dictionary, node);
  }
  const OperatorName &op = *node->op();
  if (op.domain() == "ge" && op.overload().empty() &&
      op.type().find_first_of(".:") == std::string_view::npos) {
    if (op.type() != "Data")
      appendQuoted(dictionary.entry("ge.op"), op.type());
  } else if (op.overload().empty() && context_.lookupOperator(op.str()) == &op) {
    appendQuoted(dictionary.entry("ge.op"), op.str());
  } else {
    dictionary.entry("ge.op") += '[';
    appendQuoted(out_, op.domain());
    appendQuoted(out_ += ", ", op.type());
    appendQuoted(out_ += ", ", op.overload());
    out_ += ']';
  }
  attributes(dictionary, node->attributes(), true, true, keyHint(node));
  origins(dictionary, node);
}

// --- Types ---------------------------------------------------------------------------------------

void Printer::operandTypes(const Node *node) {
  out_ += '(';
  bool isFirst = true;
  auto separate = [&] {
    if (!isFirst)
      out_ += ", ";
    isFirst = false;
  };
  for (uint32_t i = 0, n = node->numOperands(); i < n; ++i) {
    separate();
    if (const Value *value = node->operand(i))
      type(value->type());
    else
      out_ += "none";
  }
  forEachControl(node, [&](const Node *) {
    separate();
    out_ += "!ge.control";
  });
  out_ += ')';
}

void Printer::typeList(const Node *node) {
  bool hasControl = hasControlResult(node);
  uint32_t count = node->numResults();
  bool isSingle = count + hasControl == 1;
  if (!isSingle)
    out_ += '(';
  for (uint32_t i = 0; i < count; ++i) {
    if (i)
      out_ += ", ";
    type(node->result(i)->type());
  }
  if (hasControl)
    out_ += count ? ", !ge.control" : "!ge.control";
  if (!isSingle)
    out_ += ')';
}

// --- Nodes ---------------------------------------------------------------------------------------

void Printer::node(const Node *node, unsigned indent) {
  line(indent);
  bool hasExtra = node->extra() != nullptr;
  bool isFirst = true;
  auto separate = [&] {
    if (!isFirst)
      out_ += ", ";
    isFirst = false;
  };
  for (uint32_t i = 0, n = node->numResults(); i < n; ++i) {
    separate();
    valueName(node->result(i));
  }
  if (hasExtra && hasControlResult(node)) {
    separate();
    controlName(node);
  }
  if (!isFirst)
    out_ += " = ";
  out_ += opText(node->op());
  isFirst = true;
  for (uint32_t i = 0, n = node->numOperands(); i < n; ++i) {
    separate();
    valueName(node->operand(i));
  }
  forEachControl(node, [&](const Node *input) {
    separate();
    controlName(input);
  });
  out_ += ')';
  if (hasExtra && !node->subgraphs().empty())
    regions(node, indent);
  nodeAttributes(node);
  out_ += " : ";
  operandTypes(node);
  out_ += " -> ";
  typeList(node);
  location(node->location());
}

void Printer::singleNode(const Node *node) {
  elideAll_ = true;
  if (!node->isNetOutput())
    return this->node(node, 0);
  out_ += "return ";
  nodeAttributes(node);
  for (uint32_t i = 0, n = node->numOperands(); i < n; ++i) {
    out_ += i ? ", " : "";
    valueName(node->operand(i));
  }
  if (node->numOperands()) {
    out_ += " : ";
    for (uint32_t i = 0, n = node->numOperands(); i < n; ++i) {
      out_ += i ? ", " : "";
      if (node->operand(i))
        type(node->operand(i)->type());
      else
        out_ += kNone;
    }
  }
  while (out_.ends_with(' '))
    out_.pop_back();
}

} // namespace ge::text
