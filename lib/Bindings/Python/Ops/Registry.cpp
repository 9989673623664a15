//===- Registry.cpp - schemas, look-ups, strict mode -------------------------------------------===//
#include "PopulateOps.h"
#include "Records.h"

#include <nanobind/stl/string.h>

#include <vector>

namespace ge::python {

namespace {

GeRegistry *registry() { return geRegistryGlobal(); }

uint32_t opsetOf(nb::handle opset) {
  if (opset.is_none())
    return GE_OPSET_NEWEST;
  int64_t number = nb::cast<int64_t>(opset);
  if (number < 0 || number >= int64_t(GE_OPSET_NEWEST))
    throw nb::value_error("opset must be None or a version, such as 17");
  return uint32_t(number);
}

/// Splits "onnx::Conv" into namespace, name and overload.
struct QualifiedName {
  explicit QualifiedName(nb::str text) {
    GeStringRef all = ref(text);
    std::string_view view(all.data, all.length);
    size_t colons = view.find("::");
    size_t dot = view.rfind('.');
    if (colons != std::string_view::npos) {
      ns = view.substr(0, colons);
      name = view.substr(colons + 2);
      if (size_t d = name.find('.'); d != std::string::npos) {
        overload = name.substr(d + 1);
        name.resize(d);
      }
    } else if (dot != std::string_view::npos) {
      ns = view.substr(0, dot);
      name = view.substr(dot + 1);
    } else {
      throw nb::value_error("an operator's name has its namespace before it: 'onnx::Conv'");
    }
  }
  std::string ns, name, overload;
};

using List = GeStatus (*)(const QualifiedName &, uint32_t, GeOpDef *, size_t, size_t *);

nb::tuple records(nb::str text, uint32_t opset, List get) {
  QualifiedName name(text);
  size_t count = 0;
  check(get(name, opset, nullptr, 0, &count));
  std::vector<GeOpDef> found(count);
  size_t now = 0;
  check(get(name, opset, found.data(), count, &now));
  nb::list all;
  for (size_t i = 0; i < std::min(count, now); ++i)
    all.append(wrapOp(found[i]));
  return nb::tuple(all);
}

void appendName(GeStringRef text, void *list) { static_cast<nb::list *>(list)->append(str(text)); }

void bindSchemas(nb::module_ &m) {
  m.def(
      "parse_schema",
      [](nb::str text, nb::str file, uint32_t line) {
        GeOpDef op;
        check(geOpDefParse(ref(text), ref(file), line, &op));
        return wrapOp(op);
      },
      nb::arg("text"), nb::kw_only(), nb::arg("file") = "", nb::arg("line") = 0,
      nb::sig("def parse_schema(text: str, *, file: str = '', line: int = 0) -> OpDef"),
      "Return the record of a schema, without registering it.\n\n"
      "Parameters\n----------\ntext : str\n    ``ns::op.overload(Tensor x, *, int k=1) -> "
      "Tensor``.\n"
      "file, line\n    Where the text stands, for messages.\n\n"
      "Raises\n------\nOpSchemaError\n    With line, column and a caret.\n\nCost: O(text).");
  m.def(
      "parse_schema_or_name",
      [](nb::str text) -> nb::object {
        GeOpDef op;
        GeStringRef ns, name, overload;
        check(geOpDefParseOrName(ref(text), {"", 0}, 0, &op, &ns, &name, &overload));
        return op ? wrapOp(op) : nb::make_tuple(str(ns), str(name), str(overload));
      },
      nb::arg("text"),
      nb::sig("def parse_schema_or_name(text: str) -> OpDef | tuple[str, str, str]"),
      "Return the record of a schema, or of a name alone its namespace, name and overload.\n\n"
      "Raises\n------\nOpSchemaError\n    When it is neither.");
}

void bindLookUps(nb::module_ &m) {
  m.def(
      "get",
      [](nb::str name, nb::handle opset) {
        GeOpDef op;
        GeStatus s = geRegistryGet(registry(), ref(name), opsetOf(opset), &op);
        if (s == GE_ERROR_KEY) { // an installed package may define it
          importModule(GE_PYTHON_PACKAGE "._support.domains").attr("load")(QualifiedName(name).ns);
          s = geRegistryGet(registry(), ref(name), opsetOf(opset), &op);
        }
        std::string given(ref(name).data, ref(name).length);
        // CANN's operators are in two namespaces, while nodes and samples use one.
        for (std::string space : {"math::", "nn::"}) {
          if (s != GE_ERROR_KEY || !given.starts_with("ge::"))
            break;
          std::string full = space + given.substr(4);
          s = geRegistryGet(registry(), stringRef(full.c_str()), opsetOf(opset), &op);
        }
        if (s == GE_ERROR_KEY && given.starts_with("ge::")) // report the name that the caller used
          s = geRegistryGet(registry(), ref(name), opsetOf(opset), &op);
        check(s);
        return wrapOp(op);
      },
      nb::arg("name"), nb::arg("opset") = nb::none(),
      nb::sig("def get(name: str, opset: int | None = None) -> OpDef"),
      "Return the record of an operator.\n\n"
      "Parameters\n----------\nname : str\n    ``onnx::Conv``; an overload follows after a dot. "
      "``ge::`` stands for ``math::`` and ``nn::``.\n"
      "opset : int, optional\n    The newest version that is not newer; None: the newest.\n\n"
      "Raises\n------\nKeyError\n    With names that are near, or the versions that there are.");
  m.def(
      "list_ops",
      [](nb::handle ns) {
        nb::list names;
        struct State {
          nb::list *names;
          std::string last;
        } state{&names, {}};
        check(geRegistryList(
            registry(), ns.is_none() ? GeStringRef{"", 0} : ref(nb::cast<nb::str>(ns)),
            [](const GeOpKey *key, void *data) {
              auto &s = *static_cast<State *>(data);
              GeOpInfo info{};
              info.ns = key->ns;
              info.name = key->name;
              info.overload = key->overload;
              std::string name = qualifiedName(info);
              if (name != s.last)
                s.names->append(str(name));
              s.last = std::move(name);
            },
            &state));
        return names;
      },
      nb::arg("namespace") = nb::none(),
      nb::sig("def list_ops(namespace: str | None = None) -> list[str]"),
      "Return the qualified names of the operators of a namespace, or of all, sorted; each once, "
      "whatever\nversions it has. Makes no records.\n\nCost: O(n log n).");
  m.def(
      "namespaces",
      [] {
        nb::list names;
        check(geRegistryNamespaces(registry(), appendName, &names));
        return names;
      },
      nb::sig("def namespaces() -> list[str]"), "Return the namespaces there are, sorted.");
  m.def(
      "find",
      [](nb::str ns, nb::str name, nb::str overload, nb::handle opset) {
        GeOpDef op;
        check(geRegistryFind(registry(), ref(ns), ref(name), ref(overload), opsetOf(opset), &op));
        return wrapOp(op);
      },
      nb::arg("namespace"), nb::arg("name"), nb::arg("overload") = "",
      nb::arg("opset") = nb::none(),
      nb::sig("def find(namespace: str, name: str, overload: str = '', opset: int | None = None) "
              "-> OpDef | None"),
      "Return the record of an operator, or None; see `get`.");
}

void bindVersions(nb::module_ &m) {
  m.def(
      "versions",
      [](nb::str name) {
        return records(name, 0,
                       [](const QualifiedName &n, uint32_t, GeOpDef *out, size_t c, size_t *count) {
                         return geRegistryVersions(registry(), stringRef(n.ns), stringRef(n.name),
                                                   stringRef(n.overload), out, c, count);
                       });
      },
      nb::arg("name"), nb::sig("def versions(name: str) -> tuple[OpDef, ...]"),
      "Return all versions of an operator, the oldest first; empty when there is none.");
  m.def(
      "overloads",
      [](nb::str name, nb::handle opset) {
        return records(
            name, opsetOf(opset),
            [](const QualifiedName &n, uint32_t o, GeOpDef *out, size_t c, size_t *count) {
              return geRegistryOverloads(registry(), stringRef(n.ns), stringRef(n.name), o, out, c,
                                         count);
            });
      },
      nb::arg("name"), nb::arg("opset") = nb::none(),
      nb::sig("def overloads(name: str, opset: int | None = None) -> tuple[OpDef, ...]"),
      "Return the overloads of an operator in order of registration; empty when there is none.");
  m.def(
      "suggest",
      [](nb::str text) {
        QualifiedName name(text);
        nb::list names;
        check(geRegistrySuggestions(registry(), stringRef(name.ns), stringRef(name.name),
                                    appendName, &names));
        return names;
      },
      nb::arg("name"), nb::sig("def suggest(name: str) -> list[str]"),
      "Return names of the same namespace that are near to one that is not there, nearest "
      "first.\n\nCost: O(namespace).");
  m.def(
      "generation", [] { return geRegistryGeneration(registry()); },
      "Return a number that grows with every change of the registry, to invalidate caches.");
}

} // namespace

void populateRegistry(nb::module_ &m) {
  bindSchemas(m);
  bindLookUps(m);
  bindVersions(m);
  m.def(
      "is_strict", [] { return geOpsGetStrict(); },
      "Return whether binding is strict: set by `set_strict`, else by ``GE_OPS_STRICT=1``.");
  m.def(
      "set_strict", [](bool on) { geOpsSetStrict(on); }, nb::arg("on"),
      "Make binding strict or not, in the whole process: no bool for an int, no single element "
      "for\n``T[N]``, lengths of lists checked. See also `strict`.");
}

} // namespace ge::python
