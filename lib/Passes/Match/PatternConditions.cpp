//===- PatternConditions.cpp - conditions of a pattern, and where matching it begins ----------===//
#include "PatternReader.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace ge {

using Kind = PatternValue::Kind;

void PatternReader::readDims(const Node *node, Attribute dims, PatternConstraint &out) {
  out.hasShape = true;
  auto addSize = [&](int64_t size) {
    PatternDim dim;
    dim.kind = size < 0 ? PatternDim::Kind::Any : PatternDim::Kind::Size;
    dim.size = size;
    out.dims.push_back(dim);
  };
  if (dims.kind() == AttrKind::Array && dims.width() == DType::I64) {
    for (int64_t size : dims.ints())
      addSize(size);
    return;
  }
  if (dims.kind() != AttrKind::List)
    refuse(node, "has attribute 'dims', which must be a list of sizes and names");
  for (Attribute item : dims.elements()) {
    if (item.kind() == AttrKind::Int) {
      addSize(item.intValue());
      continue;
    }
    if (item.kind() != AttrKind::String)
      refuse(node, "has attribute 'dims', which must be a list of sizes and names");
    std::string_view text = item.stringValue();
    PatternDim dim;
    if (text == "...") {
      if (std::ranges::any_of(out.dims,
                              [](const PatternDim &d) { return d.kind == PatternDim::Kind::Rest; }))
        refuse(node, "has '...' twice in a shape");
      dim.kind = PatternDim::Kind::Rest;
    } else if (int64_t size = 0;
               text.find_first_not_of("0123456789") == std::string_view::npos &&
               std::from_chars(text.data(), text.data() + text.size(), size).ptr ==
                   text.data() + text.size() &&
               !text.empty()) {
      dim.kind = PatternDim::Kind::Size;
      dim.size = size;
    } else if (text != "?" && !text.empty()) {
      dim.kind = PatternDim::Kind::Symbol;
      auto [at, isNew] = symbols_.emplace(std::string(text), p_.numSymbols_);
      p_.numSymbols_ += isNew;
      dim.symbol = at->second;
    }
    out.dims.push_back(dim);
  }
}

void PatternReader::readDTypes(const Node *node, Attribute dtypes, PatternConstraint &out) {
  auto addOne = [&](Attribute item) {
    if (item.kind() != AttrKind::DType)
      refuse(node, "has attribute 'dtype', which must be an element type or a list of them");
    out.dtypes.push_back(item.dtypeValue());
  };
  if (dtypes.kind() == AttrKind::List)
    for (Attribute item : dtypes.elements())
      addOne(item);
  else
    addOne(dtypes);
}

std::pair<int64_t, int64_t> PatternReader::readPair(const Node *node, Attribute value,
                                                    std::string_view what) const {
  if (value.kind() == AttrKind::Array && value.ints().size() == 2)
    return {value.ints()[0], value.ints()[1]};
  auto isInteger = [](Attribute item) { return item.kind() == AttrKind::Int; };
  if (value.kind() != AttrKind::List || value.size() != 2 ||
      !std::ranges::all_of(value.elements(), isInteger))
    refuse(node, what);
  return {value.elements()[0].intValue(), value.elements()[1].intValue()};
}

void PatternReader::readRank(const Node *node, Attribute rank, PatternConstraint &out) {
  if (rank.kind() == AttrKind::Int)
    out.minRank = out.maxRank = rank.intValue();
  else
    std::tie(out.minRank, out.maxRank) = readPair(
        node, rank, "has attribute 'rank', which must be a number, or the least and the greatest");
  if (out.minRank < 0 || out.maxRank < out.minRank)
    refuse(node, "has attribute 'rank', which no value could have");
}

void PatternReader::readAttributes(const Node *node, PatternNode &out) {
  if (p_.options_.attributes == AttributeMatch::None)
    return;
  out.allAttributes = p_.options_.attributes == AttributeMatch::All;
  for (uint32_t i = 0; i != node->attributes().size(); ++i)
    readAttribute(node, graph_.context().identifierAt(node->attributes().nameIdAt(i)),
                  node->attributes().at(i), out);
}

void PatternReader::readAttribute(const Node *node, const Identifier *name, Attribute value,
                                  PatternNode &out) {
  PatternAttribute made;
  made.name = name;
  bool isConditions = value.kind() == AttrKind::Dict && value.size() &&
                      value.keys()[0]->str().starts_with("match.");
  made.isPlain = !isConditions;
  if (isConditions)
    readConditions(node, value, made);
  else
    made.value = AttrRef(value);
  out.attributes.push_back(std::move(made));
}

void PatternReader::readConditions(const Node *node, Attribute dict, PatternAttribute &out) {
  for (size_t i = 0; i != dict.size(); ++i) {
    std::string_view key = dict.keys()[i]->str();
    Attribute value = dict.elements()[i];
    auto number = [&] {
      if (value.kind() == AttrKind::Int)
        return double(value.intValue());
      if (value.kind() != AttrKind::Float)
        refuse(node, cat("has a condition '", key, "', which must be a number"));
      return value.floatValue();
    };
    if (key == "match.any") {
      out.present = true;
    } else if (key == "match.absent") {
      out.absent = true;
    } else if (key == "match.value") {
      out.value = AttrRef(value);
    } else if (key == "match.tolerance") {
      out.tolerance = number();
    } else if (key == "match.min") {
      out.min = number();
      out.hasMin = true;
    } else if (key == "match.max") {
      out.max = number();
      out.hasMax = true;
    } else if (key == "match.predicate") {
      out.predicate = int32_t(readPredicate(node, value));
    } else if (key == "match.bind" && value.kind() == AttrKind::String) {
      auto [at, isNew] =
          variables_.emplace(std::string(value.stringValue()), uint32_t(p_.variables_.size()));
      if (isNew)
        p_.variables_.emplace_back(value.stringValue());
      out.variable = int32_t(at->second);
    } else if (key == "match.one_of" && value.kind() == AttrKind::List && value.size()) {
      for (Attribute item : value.elements())
        out.oneOf.emplace_back(item);
    } else if (key == "match.one_of" && value.kind() == AttrKind::Array && value.size() &&
               !isFloat(value.width())) {
      for (int64_t item : value.ints())
        out.oneOf.push_back(value.width() == DType::Bool
                                ? AttrRef(Attribute::boolean(item != 0))
                                : graph_.context().intAttr(item, value.width()));
    } else if (key == "match.one_of" && value.kind() == AttrKind::Array && value.size() &&
               value.width() == DType::F32) {
      for (float item : value.floats())
        out.oneOf.emplace_back(Attribute::f32(item));
    } else {
      refuse(node, cat("has a condition '", key, "', which is none, or of the wrong kind"));
    }
  }
}

void PatternReader::readOutputs() {
  for (uint32_t i = 0; i != graph_.numOutputs(); ++i) {
    const Value *value = graph_.outputValue(i);
    if (!value)
      throwError(ErrorKind::Value, "pattern '", graph_.name(), "': output ", i, " is absent");
    p_.outputs_.push_back(ids_.at(value));
  }
  if (p_.outputs_.empty())
    throwError(ErrorKind::Value, "pattern '", graph_.name(),
               "' has no output: say what a match gives, as the function's return value or with "
               "graph.outputs");
}

void PatternReader::findAnchors() {
  // A plain operator is preferred as the anchor: with alternatives, fewer values are bound.
  auto pick = [&](bool plain) {
    for (uint32_t i = 0; i != p_.outputs_.size(); ++i) {
      Kind kind = p_.values_[inside(p_.outputs_[i])].kind;
      if (kind == Kind::Result || (!plain && kind == Kind::AnyOf)) {
        p_.anchorOutput_ = i;
        return true;
      }
    }
    return false;
  };
  if (!pick(true) && !pick(false))
    throwError(ErrorKind::Value, "pattern '", graph_.name(),
               "' has no operator among its outputs: a match begins at one");
  std::vector<uint32_t> open = {p_.outputs_[p_.anchorOutput_]};
  std::vector<uint8_t> seen(p_.values_.size());
  for (size_t i = 0; i != open.size(); ++i) {
    uint32_t value = inside(open[i]);
    if (std::exchange(seen[value], 1))
      continue;
    const PatternValue &v = p_.values_[value];
    if (v.kind == Kind::AnyOf)
      open.insert(open.end(), v.choices.begin(), v.choices.end());
    else if (v.kind == Kind::Result)
      p_.anchors_.push_back({v.node, v.index});
    else
      throwError(ErrorKind::Value, "pattern '", graph_.name(),
                 "': an alternative of its output is not an operator, so every value would match");
  }
}

void PatternReader::measureDepth() {
  // Values come after those that they are computed from.
  std::vector<uint32_t> depth(p_.values_.size());
  for (uint32_t i = 0; i != p_.values_.size(); ++i) {
    const PatternValue &v = p_.values_[i];
    for (uint32_t choice : v.choices)
      depth[i] = std::max(depth[i], depth[choice]);
    if (v.kind != Kind::Result)
      continue;
    for (uint32_t operand : p_.nodes_[v.node].operands)
      if (operand != PatternNode::kAbsent)
        depth[i] = std::max(depth[i], depth[operand]);
    p_.depth_ = std::max(p_.depth_, ++depth[i]);
  }
}

} // namespace ge
