//===- Regions.cpp - ge-c/Regions.h: a region runner as a table of functions --------------------===//
#include "Ops.h"

#include "ge-c/Regions.h"
#include "ge/Run/Program/KeptPrograms.h"
#include "ge/Run/Region/RegionRunner.h"

#include <vector>

using namespace ge;
using namespace ge::capi;

namespace {

/// Throws the error that a function of the table left.
void must(GeStatus status) {
  throwIfInterrupted(status);
  if (status != GE_OK)
    throw Error(ErrorKind(numberOf(status)), std::string(text(geErrorMessage(), "message")));
}

/// Sets what a function that fails without a message is reported with.
void presetError() {
  geErrorSet(GE_ERROR_GENERAL, stringRef("the region runner failed without a message"));
}

/// The installed table; destroying it releases its user data.
class TableRunner final : public RegionRunner, public std::enable_shared_from_this<TableRunner> {
public:
  explicit TableRunner(const GeRegionRunner &table) : table_(table) {}
  ~TableRunner() override {
    if (table_.release)
      table_.release(table_.userData);
  }
  TableRunner(const TableRunner &) = delete;
  TableRunner &operator=(const TableRunner &) = delete;

  bool supports(const OperatorName &op) const override {
    if (table_.supports) {
      InterruptPause pause;
      return table_.supports(table_.userData, wrap(&op));
    }
    std::string_view domain = op.domain();
    return domain == "onnx" || domain.starts_with("onnx.") || domain.starts_with("ai.onnx.");
  }
  std::shared_ptr<CompiledRegion> compile(Module &model) const override;

  const GeRegionRunner *operator->() const { return &table_; }

private:
  GeRegionRunner table_;
};

class TableRegion final : public CompiledRegion {
public:
  TableRegion(std::shared_ptr<const TableRunner> runner, void *region)
      : runner_(std::move(runner)), region_(region) {}
  ~TableRegion() override {
    const TableRunner &runner = *runner_;
    if (runner->releaseRegion)
      runner->releaseRegion(runner->userData, region_);
  }
  TableRegion(const TableRegion &) = delete;
  TableRegion &operator=(const TableRegion &) = delete;

  void run(Context &context, std::span<const TensorPtr> inputs,
           std::span<TensorPtr> results) override {
    std::vector<GeTensor *> given, made(results.size(), nullptr);
    for (const TensorPtr &input : inputs)
      given.push_back(wrap(input.get()));
    presetError();
    const TableRunner &runner = *runner_;
    GeStatus status = runner->run(runner->userData, region_, wrap(&context), given.data(),
                                  given.size(), made.data(), made.size());
    for (size_t i = 0; i < made.size(); ++i) // also after a failure: they are new references
      results[i] = TensorPtr::adopt(unwrap(made[i]));
    must(status);
    for (const TensorPtr &result : results)
      if (result && &result->type()->context() != &context)
        throwForeign("outputs of the region runner");
  }

private:
  std::shared_ptr<const TableRunner> runner_;
  void *region_;
};

std::shared_ptr<CompiledRegion> TableRunner::compile(Module &model) const {
  void *made = nullptr;
  presetError();
  must(table_.compile(table_.userData, reinterpret_cast<GeModule *>(&model), &made));
  return std::make_shared<TableRegion>(shared_from_this(), made);
}

} // namespace

GeStatus geOpsSetRegionRunner(const GeRegionRunner *runner) {
  return guarded([&] {
    std::shared_ptr<const RegionRunner> next;
    if (runner) {
      GeRegionRunner given = sized(runner, "GeRegionRunner");
      if (!given.compile)
        throwNull("compile");
      if (!given.run)
        throwNull("run");
      next = std::make_shared<TableRunner>(given);
    }
    setRegionRunner(std::move(next));
    dropKeptPrograms(); // they have regions of the previous one
  });
}

bool geOpsHasRegionRunner(void) { return regionRunner() != nullptr; }
