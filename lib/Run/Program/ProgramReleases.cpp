//===- ProgramReleases.cpp - when values of a program are released -----------------------------===//
#include "ProgramCompiler.h"

#include "ge/Support/Interrupt.h"

#include <algorithm>

namespace ge {

/// A slot is released after the last step that uses it. The outputs are used by the end.
void addReleases(Body &body) {
  constexpr size_t kNever = SIZE_MAX;
  std::vector<size_t> last(body.numSlots, kNever);
  for (size_t i = 0; i < body.steps.size(); ++i) {
    Interrupt::look();
    const Step &step = body.steps[i];
    auto use = [&](Place place) {
      if (place >= 0)
        last[size_t(place)] = i;
    };
    std::ranges::for_each(step.operands, use);
    for (const Body *inner : step.bodies)
      for (const auto &[from, to] : inner->captures)
        use(from);
  }
  for (Place place : body.outputs)
    if (place >= 0)
      last[size_t(place)] = body.steps.size();
  for (Step &step : body.steps)
    for (Place &place : step.results)
      if (place >= 0 && last[size_t(place)] == kNever)
        place = kNowhere;
  for (size_t slot = 0; slot < last.size(); ++slot)
    if (last[slot] < body.steps.size())
      body.steps[last[slot]].releases.push_back(Place(slot));
  for (Step &step : body.steps)
    if (step.kernel)
      for (KernelStep::Operand &operand : step.kernel->operands)
        operand.isLast = std::ranges::count(step.releases, operand.place) == 1 &&
                         std::ranges::count(step.operands, operand.place) == 1;
}

} // namespace ge
