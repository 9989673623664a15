//===- Pipeline.cpp - a pipeline as a value ---------------------------------------------------===//
//
// The native half of ge.passes.Pipeline; a pipeline is immutable once Python has it.
//
#include "PopulatePasses.h"
#include "Run.h"

namespace ge::python {

namespace {

struct PipelineObject {
  GePipeline *ref = nullptr;
  PipelineObject() = default;
  PipelineObject(PipelineObject &&other) noexcept : ref(std::exchange(other.ref, nullptr)) {}
  ~PipelineObject() { gePipelineDestroy(ref); }
};

PipelineObject sliceOf(const PipelineObject &self, size_t begin, size_t count) {
  PipelineObject out;
  check(gePipelineSlice(self.ref, begin, count, &out.ref));
  return out;
}
PipelineObject copyOf(const PipelineObject &self) {
  return sliceOf(self, 0, gePipelineSize(self.ref));
}

/// The name, the options as a dict, and the pipeline of a group or None.
nb::tuple elementOf(const PipelineObject &self, size_t index) {
  GePipelineElement element{};
  element.size = sizeof element;
  check(gePipelineGet(self.ref, index, &element));
  nb::dict options;
  for (size_t i = 0; i < element.numOptions; ++i) {
    GePassOption option{};
    option.size = sizeof option;
    check(gePipelineGetOption(self.ref, index, i, &option));
    options[newStr(option.name)] = newStr(option.value);
  }
  nb::object group = nb::none();
  if (element.isGroup) {
    PipelineObject inside;
    check(gePipelineGetGroup(self.ref, index, &inside.ref));
    group = nb::cast(std::move(inside));
  }
  return nb::make_tuple(newStr(element.name), options, group);
}

} // namespace

void populatePipeline(nb::module_ &m) {
  nb::class_<PipelineObject>(m, "_Pipeline", nb::is_final(), "The tree of a pipeline's text.")
      .def(
          "__init__",
          [](PipelineObject *self, nb::str text) {
            new (self) PipelineObject();
            check(gePipelineParse(textOf(text, "text"), &self->ref));
          },
          nb::arg("text"))
      .def("__len__", [](const PipelineObject &self) { return gePipelineSize(self.ref); })
      .def("element", elementOf, nb::arg("index"))
      .def("slice", sliceOf, nb::arg("begin"), nb::arg("count"))
      .def(
          "joined",
          [](const PipelineObject &self, const PipelineObject &other) {
            PipelineObject out = copyOf(self);
            check(gePipelineAppend(out.ref, other.ref));
            return out;
          },
          nb::arg("other"))
      .def(
          "without",
          [](const PipelineObject &self, nb::str pass) {
            PipelineObject out = copyOf(self);
            size_t count = 0;
            check(gePipelineRemove(out.ref, textOf(pass, "pass"), &count));
            return nb::make_tuple(nb::cast(std::move(out)), count);
          },
          nb::arg("pass"), "The copy, and how many passes are not in it.")
      .def(
          "with_option",
          [](const PipelineObject &self, nb::str pass, nb::str option, nb::str value) {
            PipelineObject out = copyOf(self);
            size_t count = 0;
            check(gePipelineSetOption(out.ref, textOf(pass, "pass"), textOf(option, "option"),
                                      textOf(value, "value"), &count));
            return nb::make_tuple(nb::cast(std::move(out)), count);
          },
          nb::arg("pass"), nb::arg("option"), nb::arg("value"),
          "The copy, and how many passes have the name.")
      .def("expanded",
           [](const PipelineObject &self) {
             PipelineObject out = copyOf(self);
             check(gePipelineExpandAliases(out.ref));
             return out;
           })
      .def("__str__", [](const PipelineObject &self) {
        std::string text;
        check(gePipelinePrint(self.ref, appendTo, &text));
        return newStr(stringRef(text));
      });
}

} // namespace ge::python
