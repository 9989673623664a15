//===- RegistryNames.cpp - look-up by one text, and what to say when it fails -----------------===//
#include "RegistryImpl.h"

#include "ge/IR/Domain.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <mutex>
#include <numeric>

namespace ge {

namespace {

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z')
      c = char(c - 'A' + 'a');
  return out;
}

/// Up to `most` of `candidates`, nearest first, upper and lower case alike.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string> &candidates,
                                 size_t most) {
  std::vector<std::string> low;
  for (const std::string &candidate : candidates)
    low.push_back(lowered(candidate));
  std::vector<std::string_view> left(low.begin(), low.end());
  std::vector<size_t> origin(candidates.size());
  std::iota(origin.begin(), origin.end(), 0);
  std::vector<std::string> out;
  std::string wanted = lowered(word);
  while (out.size() < most) {
    std::optional<std::string_view> near = nearestWord(wanted, left.data(), left.size());
    if (!near)
      break;
    auto index =
        std::ranges::find(left, near->data(), [](auto text) { return text.data(); }) - left.begin();
    out.push_back(candidates[origin[size_t(index)]]);
    left.erase(left.begin() + index);
    origin.erase(origin.begin() + index);
  }
  return out;
}

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

/// The possible readings of a name: "ns::name.overload", or with dots only, longest namespace
/// first.
std::vector<OpNameParts> readings(std::string_view text) {
  std::vector<OpNameParts> out;
  auto add = [&](std::string_view ns, std::string_view name, std::string_view overload) {
    if (!name.empty())
      out.push_back({std::string(canonicalDomain(ns)), std::string(name), std::string(overload)});
  };
  if (size_t colons = text.rfind("::"); colons != std::string_view::npos) {
    std::string_view rest = text.substr(colons + 2);
    size_t dot = rest.find('.');
    add(text.substr(0, colons), rest.substr(0, dot),
        dot == std::string_view::npos ? "" : rest.substr(dot + 1));
    return out;
  }
  size_t last = text.rfind('.');
  if (last == std::string_view::npos) {
    add("", text, "");
    return out;
  }
  add(text.substr(0, last), text.substr(last + 1), "");
  if (size_t before = text.substr(0, last).rfind('.'); before != std::string_view::npos)
    add(text.substr(0, before), text.substr(before + 1, last - before - 1), text.substr(last + 1));
  add("", text.substr(0, last), text.substr(last + 1));
  return out;
}

/// The reason why a name of an existing operator has no record.
std::string whyNot(const NamespaceTable &table, const OpNameParts &parts, uint32_t opset) {
  std::vector<std::string> overloads;
  for (const RegisteredOp &op : table.names.find(parts.name)->second) {
    if (op.overload == parts.overload)
      return cat("'", describe(op, parts.ns), "' is not in opset ", opset, ": it came with ",
                 op.versions.front().since);
    overloads.push_back(op.overload.empty() ? "(none)" : op.overload);
  }
  if (parts.overload.empty())
    return cat("'", parts.ns, "::", parts.name, "' has overloads ", joined(overloads),
               ": name one of them");
  return cat("'", parts.ns, "::", parts.name, "' has no overload '", parts.overload, "'; it has ",
             joined(overloads));
}

} // namespace

std::vector<std::string> Registry::suggestions(std::string_view ns, std::string_view name) const {
  ns = canonicalDomain(ns);
  constexpr size_t kMost = 3;
  std::vector<std::string> spaces = namespaces();
  // First the same name in other namespaces, then similar names in this one.
  std::vector<std::string> out;
  bool isKnown = std::ranges::find(spaces, ns) != spaces.end();
  std::vector<std::string> searched =
      isKnown ? std::vector{std::string(ns)} : nearest(ns, spaces, 1);
  for (const std::string &space : searched) {
    std::vector<std::string> names;
    for (Listed &listed : list(space))
      if (names.empty() || names.back() != listed.name)
        names.push_back(std::move(listed.name));
    for (std::string &near : nearest(name, names, kMost))
      out.push_back(cat(space, "::", near));
  }
  for (const std::string &space : spaces) {
    if (out.size() >= kMost || std::ranges::find(searched, space) != searched.end())
      continue;
    impl_->index(space);
    std::shared_lock guard(impl_->lock);
    NamespaceTable *table = impl_->findNamespace(space);
    if (table && table->names.contains(name))
      out.push_back(cat(space, "::", name));
  }
  return out;
}

OpDefRef Registry::get(std::string_view qualifiedName, uint32_t opset) const {
  std::vector<OpNameParts> ways = readings(qualifiedName);
  if (ways.empty())
    throwError(ErrorKind::Key, "'", qualifiedName, "' is not an operator name: 'onnx::Conv'");
  for (const OpNameParts &parts : ways) {
    if (OpDefRef def = find(parts.ns, parts.name, parts.overload, opset))
      return def;
    if (!parts.overload.empty())
      continue;
    std::vector<OpDefRef> all = overloads(parts.ns, parts.name, opset);
    if (all.size() == 1)
      return all[0];
  }
  {
    std::shared_lock guard(impl_->lock);
    for (const OpNameParts &parts : ways) {
      NamespaceTable *table = impl_->findNamespace(parts.ns);
      if (table && table->names.contains(parts.name))
        throwError(ErrorKind::Key, whyNot(*table, parts, opset));
    }
  }
  const OpNameParts &parts = ways.front();
  std::string message = cat("there is no operator '", parts.ns, "::", parts.name, "'");
  std::vector<std::string> spaces = namespaces();
  if (std::ranges::find(spaces, parts.ns) == spaces.end())
    message += cat(": there is no namespace '", parts.ns, "'");
  if (std::vector<std::string> near = suggestions(parts.ns, parts.name); !near.empty())
    message += cat("; did you mean ", joined(near), "?");
  throw Error(ErrorKind::Key, std::move(message));
}

} // namespace ge
