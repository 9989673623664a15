/* Pipelines: text form, options and aliases, and a pipeline's tree as a value. */
#include "check.h"

#include "ge-c/Passes.h"

static void testText(void) {
  GePassManager *manager = NULL;
  Text text = {NULL, 0};
  CHECK_OK(gePassManagerParse(
      S(" sort , verify{ definitions = false } , fixpoint{max=3}( sort,onnx.If(verify) ) "),
      &manager));
  CHECK_OK(gePassManagerAdd(manager, S("infer-types")));
  CHECK_OK(gePassManagerPrint(manager, appendText, &text));
  CHECK(strcmp(text.data, "sort,verify{definitions=false},fixpoint{max=3}(sort,onnx.If(verify)),"
                          "infer-types") == 0);
  freeText(&text);
  gePassManagerDestroy(manager);
  // Setting an option skips passes without it and those that already set it; a wrong value changes
  // nothing.
  CHECK_OK(gePassManagerParse(S("sort,fold-scale,onnx.If(fold-scale{bytes=7}),optimize,"
                                "compose{exactness=approximate}"),
                              &manager));
  CHECK_FAILS(GE_ERROR_VALUE, gePassManagerSetOption(manager, S("exactness"), S("no")));
  CHECK_SAYS("'exactness' is exact, reassociating or approximate, not 'no'");
  CHECK_OK(gePassManagerSetOption(manager, S("exactness"), S("exact")));
  CHECK_OK(gePassManagerSetOption(manager, S("bytes"), S("9")));
  CHECK_OK(gePassManagerPrint(manager, appendText, &text));
  CHECK(strncmp(
            text.data,
            "sort,fold-scale{bytes=9 exactness=exact},onnx.If(fold-scale{bytes=7 exactness=exact}),"
            "infer-types,fixpoint{max=32}(share-weights,constant-fold{bytes=9 exactness=exact},",
            strlen("sort,fold-scale{bytes=9 exactness=exact},onnx.If(fold-scale{bytes=7 "
                   "exactness=exact}),infer-types,fixpoint{max=32}(share-weights,"
                   "constant-fold{bytes=9 exactness=exact},")) == 0);
  CHECK(strstr(text.data, "dce),merge-matmuls{bytes=9 exactness=exact},share-weights,"
                          "compose{bytes=9 exactness=approximate}"));
  freeText(&text);
  gePassManagerDestroy(manager);
  GePipeline *pipeline = NULL;
  CHECK_OK(gePipelineParse(S("dce,optimize{exactness=exact}"), &pipeline));
  CHECK_OK(gePipelineExpandAliases(pipeline));
  CHECK_OK(gePipelinePrint(pipeline, appendText, &text));
  CHECK(strstr(text.data, "dce,infer-types,fixpoint{max=32}(share-weights,"));
  CHECK(strstr(text.data, "dce),merge-matmuls{exactness=exact}"));
  freeText(&text);
  gePipelineDestroy(pipeline);
}

static void testPipelineValue(void) {
  GePipeline *pipeline = NULL, *part = NULL;
  GePipelineElement element = {.size = sizeof element};
  GePassOption option = {.size = sizeof option};
  size_t count = 7;
  Text text = {0};
  CHECK_FAILS(GE_ERROR_TYPE, gePipelineParse(S("a"), NULL));
  CHECK_FAILS(GE_ERROR_PARSE, gePipelineParse(S("a("), &pipeline));
  CHECK(pipeline == NULL && gePipelineSize(NULL) == 0);
  gePipelineDestroy(NULL);
  CHECK_FAILS(GE_ERROR_TYPE, gePipelineGet(NULL, 0, &element));
  CHECK_FAILS(GE_ERROR_TYPE, gePipelinePrint(NULL, appendText, &text));
  CHECK_OK(gePipelineParse(S("a{x=1 y},fixpoint(b,c),dce"), &pipeline));
  CHECK(gePipelineSize(pipeline) == 3);
  CHECK_OK(gePipelineGet(pipeline, 0, &element));
  CHECK_TEXT("a", element.name);
  CHECK(!element.isGroup && element.numOptions == 2 && element.size == sizeof element);
  CHECK_OK(gePipelineGetOption(pipeline, 0, 1, &option));
  CHECK_TEXT("y", option.name);
  CHECK(option.value.length == 0);
  CHECK_FAILS(GE_ERROR_INDEX, gePipelineGetOption(pipeline, 0, 2, &option));
  CHECK_FAILS(GE_ERROR_INDEX, gePipelineGet(pipeline, 3, &element));
  CHECK_FAILS(GE_ERROR_TYPE, gePipelineGet(pipeline, 0, NULL));
  GePipelineElement unsized = {0};
  CHECK_FAILS(GE_ERROR_VALUE, gePipelineGet(pipeline, 0, &unsized));
  /* A caller that was compiled with an older header gets only the fields that it knows. */
  unsized.size = offsetof(GePipelineElement, isGroup);
  unsized.numOptions = 77;
  CHECK_OK(gePipelineGet(pipeline, 0, &unsized));
  CHECK_TEXT("a", unsized.name);
  CHECK(unsized.numOptions == 77 && unsized.size == offsetof(GePipelineElement, isGroup));
  CHECK_FAILS(GE_ERROR_VALUE, gePipelineGetGroup(pipeline, 0, &part));
  CHECK_OK(gePipelineGetGroup(pipeline, 1, &part));
  CHECK(gePipelineSize(part) == 2);
  gePipelineDestroy(part);
  CHECK_FAILS(GE_ERROR_INDEX, gePipelineSlice(pipeline, 2, 2, &part));
  CHECK_FAILS(GE_ERROR_INDEX, gePipelineSlice(pipeline, 1, SIZE_MAX, &part));
  CHECK_OK(gePipelineSlice(pipeline, 1, 2, &part));
  CHECK_OK(gePipelineAppend(part, part));
  CHECK_FAILS(GE_ERROR_TYPE, gePipelineAppend(part, NULL));
  CHECK_OK(gePipelineRemove(part, S("b"), NULL));
  CHECK_OK(gePipelineRemove(part, S("c"), &count));
  CHECK(count == 2 && gePipelineSize(part) == 2);
  CHECK_OK(gePipelineSetOption(part, S("dce"), S("k"), S("v"), &count));
  CHECK(count == 2);
  CHECK_OK(gePipelinePrint(part, appendText, &text));
  CHECK(strcmp(text.data, "dce{k=v},dce{k=v}") == 0);
  freeText(&text);
  gePipelineDestroy(part);
  gePipelineDestroy(pipeline);
  CHECK_OK(gePipelineParse(S("dce,optimize{no=1}"), &pipeline));
  CHECK_FAILS(GE_ERROR_PARSE, gePipelineExpandAliases(pipeline));
  CHECK(gePipelineSize(pipeline) == 2);
  CHECK_OK(gePipelineRemove(pipeline, S("optimize"), &count));
  CHECK_OK(gePipelineExpandAliases(pipeline));
  CHECK(count == 1 && gePipelineSize(pipeline) == 1);
  gePipelineDestroy(pipeline);
}

int main(void) {
  testText();
  testPipelineValue();
  return 0;
}
