//===- Pipelines.cpp - ge-c/Passes.h: a pipeline as a value -----------------------------------===//
#include "Passes.h"
#include "Printing.h"

#include "ge/Passes/Manager/Pipeline.h"

using namespace ge;
using namespace ge::capi;

struct GePipeline {
  std::vector<PipelineElement> elements;
};

namespace {

GePipeline &needPipeline(GePipeline *pipeline) {
  if (!pipeline)
    throwNull("pipeline");
  return *pipeline;
}

const PipelineElement &elementOf(GePipeline *pipeline, size_t index) {
  const std::vector<PipelineElement> &elements = needPipeline(pipeline).elements;
  if (index >= elements.size())
    throwError(ErrorKind::Index, cat("no element ", index, " in a pipeline of ", elements.size()));
  return elements[index];
}

bool isGroup(const PipelineElement &element) {
  return element.kind == PipelineElement::Kind::Fixpoint ||
         element.kind == PipelineElement::Kind::Nested;
}

} // namespace

GeStatus gePipelineParse(GeStringRef pipeline, GePipeline **out) {
  return guarded([&] {
    GePipeline *&made = result(out);
    made = new GePipeline{parsePipelineSyntax(text(pipeline, "text"))};
  });
}
void gePipelineDestroy(GePipeline *pipeline) { delete pipeline; }
size_t gePipelineSize(GePipeline *pipeline) { return pipeline ? pipeline->elements.size() : 0; }

GeStatus gePipelineGet(GePipeline *pipeline, size_t index, GePipelineElement *out) {
  return guarded([&] {
    const PipelineElement &element = elementOf(pipeline, index);
    GePipelineElement found{};
    found.name = stringRef(element.name);
    found.isGroup = isGroup(element);
    found.numOptions = element.options.all().size();
    giveSized(found, out, "GePipelineElement");
  });
}

GeStatus gePipelineGetOption(GePipeline *pipeline, size_t index, size_t option, GePassOption *out) {
  return guarded([&] {
    const PipelineElement &element = elementOf(pipeline, index);
    const auto &all = element.options.all();
    if (option >= all.size())
      throwError(ErrorKind::Index,
                 cat("'", element.name, "' has ", all.size(), " options, not an option ", option));
    auto found = std::next(all.begin(), ptrdiff_t(option));
    GePassOption given{};
    given.name = stringRef(found->first);
    given.value = stringRef(found->second);
    giveSized(given, out, "GePassOption");
  });
}

GeStatus gePipelineGetGroup(GePipeline *pipeline, size_t index, GePipeline **out) {
  return guarded([&] {
    GePipeline *&made = result(out);
    const PipelineElement &element = elementOf(pipeline, index);
    if (!isGroup(element))
      throwError(ErrorKind::Value, cat("'", element.name, "' is a pass, not a group"));
    made = new GePipeline{element.children};
  });
}

GeStatus gePipelineSlice(GePipeline *pipeline, size_t begin, size_t count, GePipeline **out) {
  return guarded([&] {
    GePipeline *&made = result(out);
    const std::vector<PipelineElement> &all = needPipeline(pipeline).elements;
    if (begin > all.size() || count > all.size() - begin)
      throwError(ErrorKind::Index, cat("elements ", begin, " to ", begin, " + ", count,
                                       " of a pipeline of ", all.size()));
    auto first = all.begin() + ptrdiff_t(begin);
    made = new GePipeline{{first, first + ptrdiff_t(count)}};
  });
}

GeStatus gePipelineAppend(GePipeline *pipeline, GePipeline *other) {
  return guarded([&] {
    if (!other)
      throwNull("other");
    std::vector<PipelineElement> more = other->elements; // may be the same
    std::vector<PipelineElement> &all = needPipeline(pipeline).elements;
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  });
}

GeStatus gePipelineRemove(GePipeline *pipeline, GeStringRef pass, size_t *count) {
  return guarded([&] {
    size_t found = removePasses(needPipeline(pipeline).elements, text(pass, "pass"));
    if (count)
      *count = found;
  });
}

GeStatus gePipelineSetOption(GePipeline *pipeline, GeStringRef pass, GeStringRef option,
                             GeStringRef value, size_t *count) {
  return guarded([&] {
    size_t found = setOptionOf(needPipeline(pipeline).elements, text(pass, "pass"),
                               text(option, "option"), text(value, "value"));
    if (count)
      *count = found;
  });
}

GeStatus gePipelineExpandAliases(GePipeline *pipeline) {
  return guarded([&] {
    std::vector<PipelineElement> expanded =
        needPipeline(pipeline).elements; // all of it, or nothing
    expandAliases(expanded, PassRegistry::global());
    pipeline->elements = std::move(expanded);
  });
}

GeStatus gePipelinePrint(GePipeline *pipeline, GeStringCallback callback, void *userData) {
  return guarded([&] {
    std::string out;
    printPipeline(needPipeline(pipeline).elements, out);
    give(out, callback, userData);
  });
}
