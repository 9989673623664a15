//===- infer_random_test.cpp - inference of calls that make no sense --------------------------===//
//
// Guarantee: whatever the operator, the types, the attributes and the constant operands, inference
// answers with types or a message. The numbers are the same in every run. What it answers is not
// looked at here; under sanitizers, overflows and wrong accesses are.
//
#include "check.h"

#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Registry/Registry.h"

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace ge;

namespace {

class Calls {
public:
  explicit Calls(uint32_t seed) : random_(seed) {
    Context *created = Context::create();
    context_ = ContextPtr(created);
    created->release();
    root_ = Root::create(*context_, "main");
  }
  ~Calls() { root_->drop(); }

  void run(const Registry::Listed &listed) {
    OpDefRef def = Registry::global().find(listed.ns, listed.name, listed.overload,
                                           listed.since ? listed.since : Registry::kNewest);
    std::vector<Value *> values;
    size_t most = def->operands().size() + pick(2);
    for (size_t i = 0, n = pick(4) ? most : pick(most + 1); i != n; ++i)
      values.push_back(pick(8) ? value() : nullptr);
    std::vector<const Type *> types;
    for (Value *v : values)
      types.push_back(v ? v->type() : nullptr);
    std::vector<AttrRef> kept;
    std::vector<NamedAttribute> attributes;
    for (uint32_t index : def->attributes()) {
      if (pick(3) == 0)
        continue;
      kept.push_back(attribute(def->params[index]));
      if (kept.back())
        attributes.push_back({context_->identifier(def->params[index].name), *kept.back()});
    }
    std::vector<const Type *> results(pick(5));
    std::vector<std::optional<Contents>> contents;
    InferArgs args;
    args.context = context_.get();
    args.op = context_->operatorName(listed.ns, listed.name);
    args.def = pick(4) ? def.get() : nullptr;
    args.opset = listed.since ? listed.since + uint32_t(pick(3)) : 0;
    args.operands = types;
    args.values = values;
    args.attributes = attributes;
    args.resultContents = pick(2) ? &contents : nullptr;
    InferOutcome outcome = infer(args, results);
    failed_ += outcome.status == InferStatus::Failed;
    inferred_ += outcome.status == InferStatus::Inferred;
    CHECK(outcome.status == InferStatus::Failed || outcome.message.empty());
    for (const Type *type : results)
      CHECK(type != nullptr);
    for (std::optional<Contents> &known : contents)
      if (known)
        CHECK(int64_t(known->size()) <= Contents::kMaxElements);
  }

  uint64_t failed() const { return failed_; }
  uint64_t inferred() const { return inferred_; }

private:
  size_t pick(size_t n) { return random_() % n; }

  int64_t number() {
    constexpr int64_t strange[] = {INT64_MIN,  INT64_MIN + 1,    -1000000007,   -2,       -1, 0,
                                   2147483647, int64_t(1) << 40, INT64_MAX - 1, INT64_MAX};
    return pick(3) ? int64_t(pick(7)) - 2 : strange[pick(std::size(strange))];
  }

  Dim dim() {
    switch (pick(8)) {
    case 0:
      return {};
    case 1:
      return {-1, context_->identifier(pick(2) ? "N" : "M")};
    case 2:
      return {std::max<int64_t>(number(), 0), nullptr};
    default:
      return {int64_t(pick(5)), nullptr};
    }
  }

  const Type *type() {
    constexpr DType dtypes[] = {DType::F32, DType::F32, DType::F32,  DType::I64,    DType::I64,
                                DType::I32, DType::U8,  DType::Bool, DType::String, DType::F16};
    if (pick(12) == 0)
      return pick(2) ? context_->unknownType() : context_->sequenceType(type());
    std::vector<Dim> shape;
    for (size_t i = 0, n = pick(6); i != n; ++i)
      shape.push_back(dim());
    TensorTypeSpec spec;
    spec.dtype = dtypes[pick(std::size(dtypes))];
    spec.ranked = pick(8) != 0;
    if (spec.ranked)
      spec.shape = shape;
    return context_->tensorType(spec);
  }

  TensorPtr tensor() {
    std::vector<Dim> shape;
    for (size_t i = 0, n = pick(3); i != n; ++i)
      shape.push_back({int64_t(pick(4)), nullptr});
    bool isReal = pick(6) == 0;
    TensorTypeSpec spec;
    spec.dtype = isReal ? DType::F64 : DType::I64;
    spec.shape = shape;
    const Type *of = context_->tensorType(spec);
    std::vector<int64_t> numbers;
    std::vector<double> reals;
    for (int64_t i = 0; i != of->numElements(); ++i) {
      numbers.push_back(number());
      reals.push_back(pick(4) ? double(number()) * 0.5 : pick(2) ? 0.0 / 0.0 : 1e300);
    }
    const void *data = isReal ? static_cast<void *>(reals.data()) : numbers.data();
    return TensorPtr::adopt(Tensor::copy(of, data, numbers.size() * 8));
  }

  /// An input, with a default value in most cases.
  Value *value() {
    Node *node;
    if (pick(2)) {
      node = Mutation::addInput(root_->graph(), "", type());
    } else {
      TensorPtr constant = tensor();
      node = Mutation::addInput(root_->graph(), "", constant->type());
      AttrRef attribute = context_->tensorAttr(constant);
      Mutation::setAttribute(node, context_->identifier("value"), *attribute);
    }
    return node->result(0);
  }

  AttrRef attribute(const Param &param) {
    std::vector<int64_t> list;
    for (size_t i = 0, n = pick(6); i != n; ++i)
      list.push_back(number());
    const SchemaType *type = param.type->required();
    if (pick(6) == 0) // of any other kind
      return pick(2) ? context_->stringAttr("NHWC") : context_->floatAttr(0.5);
    if (type->isList())
      return context_->intArray(list);
    if (type->is(SchemaAtom::Str)) {
      constexpr const char *words[] = {"SAME_UPPER", "VALID", "NHWC",    "bidirectional",
                                       "none",       "...",   "ij,jk->", "i...,...->..."};
      return context_->stringAttr(words[pick(std::size(words))]);
    }
    if (type->is(SchemaAtom::TensorLiteral))
      return context_->tensorAttr(tensor());
    return context_->intAttr(number());
  }

  std::mt19937 random_;
  ContextPtr context_;
  Root *root_;
  uint64_t failed_ = 0, inferred_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  std::vector<Registry::Listed> all;
  for (const char *ns : {"onnx", "onnx.ml", "onnx.preview", "onnx.preview.training", "math", "nn"})
    for (Registry::Listed &listed : Registry::global().list(ns))
      all.push_back(std::move(listed));
  uint64_t failed = 0, inferred = 0;
  for (int round = 0; round != rounds; ++round) {
    Calls calls{uint32_t(round)};
    for (const Registry::Listed &listed : all)
      calls.run(listed);
    failed += calls.failed();
    inferred += calls.inferred();
  }
  std::printf("%zu operators, %llu calls failed, %llu inferred\n", all.size(),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(inferred));
  CHECK(failed != 0 && inferred != 0); // both kinds of answers were tried
  return checkSummary();
}
