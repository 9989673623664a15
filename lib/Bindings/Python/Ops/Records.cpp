//===- Records.cpp - OpDef, Param, Result, TypeVar ---------------------------------------------===//
#include "Records.h"

#include "PopulateOps.h"

#include "../IR/Gil.h"

#include "ge-c/Kernels.h"

#include <nanobind/stl/string.h>

namespace ge::python {

namespace {

/// A parameter or result, with the record that owns it.
struct SlotObject {
  nb::object op;
  size_t index;
  GeOpDef ref() const { return opOf(op); }
};
struct ParamObject : SlotObject {
  GeParamInfo info() const {
    GeParamInfo info;
    check(geOpDefGetParam(ref(), index, nullptr, &info));
    return info;
  }
  GeSlotInfo slot() const {
    GeSlotInfo slot;
    check(geOpDefGetParam(ref(), index, &slot, nullptr));
    return slot;
  }
};
struct ResultObject : SlotObject {
  GeSlotInfo slot() const {
    GeSlotInfo info;
    check(geOpDefGetResult(ref(), index, &info));
    return info;
  }
};
struct TypeVarObject {
  nb::object name, allowed, doc;
};

nb::object aliasToPython(GeAlias alias) {
  if (!alias)
    return nb::none();
  auto names = [&](size_t count, GeStringRef (*get)(GeAlias, size_t)) {
    nb::list all;
    for (size_t i = 0; i < count; ++i)
      all.append(str(get(alias, i)));
    return nb::tuple(all);
  };
  nb::dict out;
  out["before"] = names(geAliasNumBefore(alias), geAliasGetBefore);
  out["after"] = names(geAliasNumAfter(alias), geAliasGetAfter);
  out["is_write"] = nb::bool_(geAliasIsWrite(alias));
  nb::list inner;
  for (size_t i = 0; i < geAliasNumContained(alias); ++i)
    inner.append(aliasToPython(geAliasGetContained(alias, i)));
  out["contained"] = nb::tuple(inner);
  return out;
}

nb::object typeVarOf(GeOpDef op, size_t index) {
  GeStringRef name, doc;
  size_t count;
  check(geOpDefGetTypeVar(op, index, &name, &doc, &count));
  TypeVarObject var{str(name), {}, str(doc)};
  nb::list allowed;
  for (size_t i = 0; i < count; ++i) {
    GeStringRef type;
    check(geOpDefGetAllowedType(op, index, i, &type));
    allowed.append(str(type));
  }
  var.allowed = nb::tuple(allowed);
  return nb::cast(std::move(var));
}

template <typename Object>
nb::class_<Object> bindSlot(nb::module_ &m, const char *name, const char *doc) {
  nb::class_<Object> c(m, name, nb::is_final(), doc);
  c.def_prop_ro(
       "name", [](const Object &s) { return str(s.slot().name); }, "Its name.")
      .def_prop_ro(
          "type", [](const Object &s) { return wrapSchemaType(s.slot().type); },
          nb::for_getter(nb::sig("def type(self, /) -> Type")), "Its type.")
      .def_prop_ro(
          "doc", [](const Object &s) { return str(s.slot().doc); }, "What it means.")
      .def_prop_ro(
          "hidden", [](const Object &s) { return s.slot().hidden; },
          "Whether signatures and docs leave it out.")
      .def_prop_ro(
          "is_operand", [](const Object &s) { return s.slot().isTensor; },
          "Whether it is an edge of the graph; else it is an attribute.")
      .def_prop_ro(
          "is_variadic", [](const Object &s) { return s.slot().isVariadic; },
          "Whether it is a list of tensors.")
      .def_prop_ro(
          "homogeneous", [](const Object &s) { return s.slot().homogeneous; },
          "Of a variadic one: whether all are of one type.")
      .def_prop_ro(
          "min_count", [](const Object &s) { return s.slot().minCount; },
          "Of a variadic one: the least number.")
      .def_prop_ro(
          "type_var",
          [](const Object &s) {
            int32_t var = s.slot().typeVar;
            return var < 0 ? nb::none() : typeVarOf(s.ref(), size_t(var));
          },
          nb::for_getter(nb::sig("def type_var(self, /) -> TypeVar | None")),
          "The type variable that it is of, or None.")
      .def_prop_ro(
          "alias", [](const Object &s) { return aliasToPython(s.slot().alias); },
          nb::for_getter(nb::sig("def alias(self, /) -> dict[str, typing.Any] | None")),
          "``Tensor(a! -> b)`` as a dict with ``before``, ``after``, ``is_write`` and "
          "``contained``; None without one.");
  return c;
}

std::string printedParam(GeOpDef op, size_t index) {
  std::string text;
  check(geOpDefPrintParam(op, index, GE_SCHEMA_CANONICAL, appendTo, &text));
  return text;
}

void bindParam(nb::module_ &m) {
  bindSlot<ParamObject>(m, "Param", "One parameter of an `OpDef`: an operand or an attribute.")
      .def_prop_ro(
          "kw_only", [](const ParamObject &p) { return p.info().kwOnly; },
          "Whether it can be passed by keyword only.")
      .def_prop_ro(
          "required", [](const ParamObject &p) { return p.info().defaultValue == nullptr; },
          "Whether it has no default.")
      .def_prop_ro(
          "default",
          [](const ParamObject &p) {
            GeConstant value = p.info().defaultValue;
            return value ? constantToPython(value) : nb::none();
          },
          nb::for_getter(nb::sig("def default(self, /) -> typing.Any")),
          "Its default as a Python value; None without one, see `required`.")
      .def_prop_ro(
          "default_text", [](const ParamObject &p) { return str(p.info().defaultText); },
          "The default as it was written; empty when unknown.")
      .def_prop_ro(
          "choices",
          [](const ParamObject &p) {
            nb::list all;
            for (size_t i = 0; i < p.info().numChoices; ++i) {
              GeConstant choice;
              check(geOpDefGetChoice(p.ref(), p.index, i, &choice));
              all.append(constantToPython(choice));
            }
            return nb::tuple(all);
          },
          nb::for_getter(nb::sig("def choices(self, /) -> tuple[typing.Any, ...]")),
          "Values that it may have; empty: any of its type.")
      .def_prop_ro(
          "range",
          [](const ParamObject &p) -> nb::object {
            GeParamInfo info = p.info();
            if (!info.hasRange)
              return nb::none();
            return importModule(GE_PYTHON_PACKAGE ".ops._range")
                .attr("range_of")(info.low, info.high, info.isLowOpen, info.isHighOpen);
          },
          nb::for_getter(nb::sig("def range(self, /) -> typing.Any")),
          "The numbers that it may be, a `ge.ops.Range`; None: any.")
      .def("__str__", [](const ParamObject &p) { return str(printedParam(p.ref(), p.index)); })
      .def("__repr__",
           [](const ParamObject &p) {
             return str("<Param " + printedParam(p.ref(), p.index) + ">");
           })
      .def("__hash__",
           [](const ParamObject &p) { return nb::hash(str(printedParam(p.ref(), p.index))); })
      .def(
          "__eq__",
          [](const ParamObject &p, nb::handle other) {
            ParamObject *o;
            return nb::try_cast(other, o) && o &&
                   printedParam(p.ref(), p.index) == printedParam(o->ref(), o->index);
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"));
}

std::string resultText(const ResultObject &r) {
  GeSlotInfo slot = r.slot();
  GeStringRef type = geSchemaTypeStr(slot.type);
  std::string text(type.data, type.length);
  if (slot.name.length)
    text.append(" ").append(slot.name.data, slot.name.length);
  return text;
}

void bindResult(nb::module_ &m) {
  bindSlot<ResultObject>(m, "Result", "One result of an `OpDef`.")
      .def("__str__", [](const ResultObject &r) { return str(resultText(r)); })
      .def("__repr__", [](const ResultObject &r) { return str("<Result " + resultText(r) + ">"); })
      .def("__hash__", [](const ResultObject &r) { return nb::hash(str(resultText(r))); })
      .def(
          "__eq__",
          [](const ResultObject &r, nb::handle other) {
            ResultObject *o;
            return nb::try_cast(other, o) && o && resultText(r) == resultText(*o);
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"));
  nb::class_<TypeVarObject>(m, "TypeVar", nb::is_final(),
                            "Operands and results that share one have the same type.")
      .def_prop_ro(
          "name", [](const TypeVarObject &t) { return t.name; },
          nb::for_getter(nb::sig("def name(self, /) -> str")), "``\"T\"``.")
      .def_prop_ro(
          "allowed", [](const TypeVarObject &t) { return t.allowed; },
          nb::for_getter(nb::sig("def allowed(self, /) -> tuple[str, ...]")),
          "ONNX's names of the types it may be: ``\"tensor(float)\"``; empty: any.")
      .def_prop_ro(
          "doc", [](const TypeVarObject &t) { return t.doc; },
          nb::for_getter(nb::sig("def doc(self, /) -> str")), "What it means.")
      .def("__repr__", [](const TypeVarObject &t) {
        return nb::str("<TypeVar {}: {}>").format(t.name, nb::str(", ").attr("join")(t.allowed));
      });
}

nb::tuple slots(nb::handle self, size_t count, nb::object (*make)(nb::handle, size_t)) {
  nb::list all;
  for (size_t i = 0; i < count; ++i)
    all.append(make(self, i));
  return nb::tuple(all);
}

template <GeStatus (*get)(GeOpDef, size_t, size_t *)>
nb::tuple chosen(nb::handle self, size_t count) {
  nb::list all;
  for (size_t i = 0; i < count; ++i) {
    size_t param;
    check(get(opOf(self), i, &param));
    all.append(newParam(self, param));
  }
  return nb::tuple(all);
}

/// ", kernels cpu (ext.py:12)"; empty when there are none.
std::string kernelsText(const std::string &op) {
  GeKernel found[16];
  size_t count = 0;
  check(geKernelList(geRegistryGlobal(), stringRef(op), found, std::size(found), &count));
  std::string text;
  for (size_t i = 0; i < std::min(count, std::size(found)); ++i) {
    GeKernelInfo info;
    if (geKernelGetInfo(found[i], &info) == GE_OK) {
      text += text.empty() ? ", kernels " : ", ";
      text.append(info.backend.data, info.backend.length).append(" (");
      text.append(info.file.data, info.file.length);
      text.append(":").append(std::to_string(info.line)).append(")");
    }
    geKernelRelease(found[i]);
  }
  return text;
}

/// The full text: two records with equal text and opset are equal.
std::string identity(GeOpDef op) {
  GeOpInfo info;
  check(geOpDefGetInfo(op, &info));
  return printed(op, "canonical") + "@" + std::to_string(info.since);
}

void defineInfo(nb::class_<OpDefObject> &record) {
  record
      .def_prop_ro(
          "ns", [](const OpDefObject &o) { return str(o.info().ns); }, "Namespace: ``onnx``.")
      .def_prop_ro(
          "name", [](const OpDefObject &o) { return str(o.info().name); }, "``Conv``.")
      .def_prop_ro(
          "overload", [](const OpDefObject &o) { return str(o.info().overload); },
          "Overload; empty when there is none.")
      .def_prop_ro(
          "qualified_name", [](const OpDefObject &o) { return str(qualifiedName(o.info())); },
          "``onnx::Conv``; an overload follows after a dot.")
      .def_prop_ro(
          "since", [](const OpDefObject &o) { return o.info().since; },
          "Opset version that it came with; 0 where there are none.")
      .def_prop_ro(
          "doc", [](const OpDefObject &o) { return str(o.info().doc); }, "What it does.")
      .def_prop_ro(
          "source",
          [](const OpDefObject &o) -> nb::object {
            GeOpInfo info = o.info();
            if (!info.sourceFile.length)
              return nb::none();
            return nb::make_tuple(str(info.sourceFile), info.sourceLine);
          },
          nb::for_getter(nb::sig("def source(self, /) -> tuple[str, int] | None")),
          "File and line where it was defined, or None.")
      .def_prop_ro(
          "traits",
          [](const OpDefObject &o) {
            nb::set found;
            for (uint32_t left = o.info().traits; left; left &= left - 1)
              found.add(str(geOpTraitName(GeOpTrait(left & (0U - left)))));
            return nb::steal(checked(PyFrozenSet_New(found.ptr())));
          },
          nb::for_getter(nb::sig("def traits(self, /) -> frozenset[str]")),
          "Of ``commutative``, ``pure``, ``elementwise``, ``nondeterministic``, ``control_flow``, "
          "``experimental``, ``function`` (ONNX defines it by a body of other operators).")
      .def_prop_ro(
          "vararg", [](const OpDefObject &o) { return o.info().vararg; },
          "Whether it takes more arguments (``...``).")
      .def_prop_ro(
          "varret", [](const OpDefObject &o) { return o.info().varret; },
          "Whether it gives more results (``...``).")
      .def_prop_ro(
          "has_operand_choice", [](const OpDefObject &o) { return o.info().hasOperandChoice; },
          "Whether the flat list of a node's operands does not say how many belong to each "
          "parameter: it has several lists of operands, or a list before optional operands. Its "
          "nodes store `Node.operand_segments`.")
      .def_prop_ro(
          "has_result_choice", [](const OpDefObject &o) { return o.info().hasResultChoice; },
          "The same for results, and `Node.result_segments`.")
      .def_prop_ro(
          "deprecated", [](const OpDefObject &o) { return o.info().deprecated; },
          "Whether it should no longer be used.")
      .def_prop_ro(
          "deprecation", [](const OpDefObject &o) { return str(o.info().deprecation); },
          "What to use instead; may be empty.");
}

void defineParams(nb::class_<OpDefObject> &record) {
  record
      .def_prop_ro(
          "params",
          [](nb::handle self) {
            return slots(self, nb::cast<OpDefObject &>(self).info().numParams, newParam);
          },
          nb::for_getter(nb::sig("def params(self, /) -> tuple[Param, ...]")),
          "All parameters, in schema order.")
      .def_prop_ro(
          "operands",
          [](nb::handle self) {
            return chosen<geOpDefGetOperand>(self,
                                             nb::cast<OpDefObject &>(self).info().numOperands);
          },
          nb::for_getter(nb::sig("def operands(self, /) -> tuple[Param, ...]")),
          "Parameters that are edges of the graph.")
      .def_prop_ro(
          "attributes",
          [](nb::handle self) {
            GeOpInfo info = nb::cast<OpDefObject &>(self).info();
            return chosen<geOpDefGetAttribute>(self, info.numParams - info.numOperands);
          },
          nb::for_getter(nb::sig("def attributes(self, /) -> tuple[Param, ...]")),
          "The other parameters.")
      .def_prop_ro(
          "results",
          [](nb::handle self) {
            return slots(self, nb::cast<OpDefObject &>(self).info().numResults, newResult);
          },
          nb::for_getter(nb::sig("def results(self, /) -> tuple[Result, ...]")), "Its results.")
      .def_prop_ro(
          "type_vars",
          [](const OpDefObject &o) {
            nb::list all;
            for (size_t i = 0; i < o.info().numTypeVars; ++i)
              all.append(typeVarOf(o.ref, i));
            return nb::tuple(all);
          },
          nb::for_getter(nb::sig("def type_vars(self, /) -> tuple[TypeVar, ...]")),
          "Its type variables.");
}

void defineTexts(nb::class_<OpDefObject> &record) {
  record
      .def(
          "to_string",
          [](const OpDefObject &o, const std::string &style) { return str(printed(o.ref, style)); },
          nb::arg("style") = "canonical",
          nb::sig("def to_string(self, style: typing.Literal['canonical', 'torch'] = 'canonical') "
                  "-> str"),
          "Return the schema.\n\n"
          "Parameters\n----------\nstyle : {\"canonical\", \"torch\"}\n"
          "    Canonical text parses to an equal record; \"torch\" is what PyTorch prints.")
      .def(
          "proto",
          [](nb::handle_t<OpDefObject> self) {
            return importModule(GE_PYTHON_PACKAGE ".ops").attr("proto")(self);
          },
          nb::sig("def proto(self) -> OpProto"), "Return CANN's view of it as plain data.")
      .def("__str__", [](const OpDefObject &o) { return str(printed(o.ref, "canonical")); })
      .def("__repr__",
           [](const OpDefObject &o) {
             GeOpInfo info = o.info();
             std::string text = "<OpDef " + printed(o.ref, "canonical");
             if (info.since)
               text += ", since " + std::to_string(info.since);
             return str(text + kernelsText(qualifiedName(info)) + ">");
           })
      .def("__hash__", [](const OpDefObject &o) { return nb::hash(str(identity(o.ref))); })
      .def(
          "__eq__",
          [](const OpDefObject &o, nb::handle other) {
            OpDefObject *p;
            return nb::try_cast(other, p) && p &&
                   (o.ref == p->ref || identity(o.ref) == identity(p->ref));
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"));
}

} // namespace

nb::object newParam(nb::handle op, size_t index) {
  return nb::cast(ParamObject{{nb::borrow(op), index}});
}
nb::object newResult(nb::handle op, size_t index) {
  return nb::cast(ResultObject{{nb::borrow(op), index}});
}

nb::object wrapOp(GeOpDef op) {
  if (!op)
    return nb::none();
  return nb::cast(new OpDefObject(op), nb::rv_policy::take_ownership);
}
GeOpDef opOf(nb::handle object) { return nb::cast<OpDefObject &>(object).ref; }

std::string qualifiedName(const GeOpInfo &info) {
  std::string name(info.ns.data, info.ns.length);
  if (!name.empty())
    name += "::";
  name.append(info.name.data, info.name.length);
  if (info.overload.length)
    name.append(".").append(info.overload.data, info.overload.length);
  return name;
}

std::string printed(GeOpDef op, std::string_view style) {
  if (style != "canonical" && style != "torch")
    throw nb::value_error("style must be 'canonical' or 'torch'");
  std::string text;
  check(
      geOpDefPrint(op, style == "torch" ? GE_SCHEMA_TORCH : GE_SCHEMA_CANONICAL, appendTo, &text));
  return text;
}

void populateRecords(nb::module_ &m) {
  bindParam(m);
  bindResult(m);
  nb::class_<OpDefObject> record(
      m, "OpDef", nb::is_final(),
      "The record of an operator. It is immutable and stays valid after its library was closed.\n"
      "Two records are equal if their texts and opsets are.");
  defineInfo(record);
  defineParams(record);
  defineTexts(record);
}

} // namespace ge::python
