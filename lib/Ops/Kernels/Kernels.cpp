//===- Kernels.cpp - registering and finding kernels ------------------------------------------===//
#include "../Registry/RegistryImpl.h"

#include "ge/IR/Domain.h"
#include "ge/IR/Identifier.h"
#include "ge/Ops/Kernels/Kernels.h"
#include "ge/Ops/Registry/RegisteredKernels.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <mutex>

namespace ge {

namespace {

struct BackendRow {
  std::string_view word;
  std::initializer_list<int32_t> devices; ///< of DLPack
};
/// Pinned memory of a GPU framework is memory of the CPU.
const BackendRow kBackends[] = {
    {"cpu", {1, 3, 11}}, {"cuda", {2, 13}}, {"npu", {12}},    {"rocm", {10}},   {"opencl", {4}},
    {"vulkan", {7}},     {"metal", {8}},    {"oneapi", {14}}, {"webgpu", {15}}, {"hexagon", {16}},
    {"maia", {17}},      {"trn", {18}},     {"any", {}},
};

/// The namespace and the rest of "acme::scale", of "scale" in a library of acme.
std::pair<std::string_view, std::string_view> split(std::string_view op, std::string_view ns) {
  size_t colons = op.find("::");
  if (colons == std::string_view::npos)
    return {ns, op};
  return {canonicalDomain(op.substr(0, colons)), op.substr(colons + 2)};
}

/// The names under which kernels of an operator may be registered. Nodes call CANN's operators
/// ge.X; that is the operator X of math or of nn, and a kernel for either name serves it.
std::vector<std::string> namesOf(std::string_view op) {
  auto [ns, rest] = split(op, {});
  std::vector<std::string> names{cat(ns, "::", rest)};
  if (ns == "math" || ns == "nn")
    names.push_back(cat("ge::", rest));
  else if (ns == "ge")
    names.insert(names.end(), {cat("math::", rest), cat("nn::", rest)});
  return names;
}

/// The kernel in use for a backend under any of the names: the last that was registered. Null:
/// none.
template <typename Kernels>
const RegisteredKernel *current(const Kernels &kernels, std::span<const std::string> names,
                                std::string_view backend) {
  const RegisteredKernel *last = nullptr;
  for (const std::string &name : names)
    if (auto found = kernels.find(name); found != kernels.end())
      for (const RegisteredKernel &one : found->second)
        if (one.kernel->backend() == backend && (!last || one.order > last->order))
          last = &one;
  return last;
}

/// Without reference kernels. Preselects: most programs register none, and then a node costs no
/// look-up.
std::atomic<size_t> numRegistered{0};

bool isRank(std::string_view backend) {
  return backend == kReferenceRank || backend == kDecompositionRank;
}
bool isCounted(const Kernel &kernel) { return kernel.backend() != kReferenceRank; }

/// Calls the release function unless a kernel owns the spec.
struct SpecGuard {
  KernelSpec &spec;
  bool isTaken = false;
  ~SpecGuard() {
    if (!isTaken && spec.release)
      spec.release(spec.self);
  }
};

} // namespace

std::span<const std::string_view> backendWords() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &words = *new std::vector<std::string_view>([] {
    std::vector<std::string_view> all;
    for (const BackendRow &row : kBackends)
      all.push_back(row.word);
    return all;
  }());
  return words;
}

std::string_view backendOfDevice(int32_t deviceType) {
  for (const BackendRow &row : kBackends)
    if (std::ranges::find(row.devices, deviceType) != row.devices.end())
      return row.word;
  return {};
}

bool hasHostKernel(const OperatorName &op) {
  if (numRegistered.load(std::memory_order_acquire) == 0)
    return false;
  std::string name = cat(op.domain(), "::", op.type());
  if (!op.overload().empty())
    name += cat(".", op.overload());
  const Registry &registry = Registry::global();
  return registry.findKernel(name, "cpu") || registry.findKernel(name, "any") ||
         registry.findKernel(name, kDecompositionRank);
}

std::string missingKernel(std::string_view op, std::string_view backend,
                          std::span<const KernelRef> kernels) {
  std::string text = cat(op, " has no kernel for ", backend);
  std::string_view before = "; it has ";
  for (const KernelRef &kernel : kernels) {
    text += cat(before, kernel->backend(), " (", kernel->source().str(), ")");
    before = ", ";
  }
  if (kernels.empty())
    text += cat("; register one with Library.impl(\"", op.substr(op.find("::") + 2), "\", \"",
                backend, "\")");
  return text;
}

KernelRef Library::impl(KernelSpec spec) {
  SpecGuard owned{spec};
  if (!spec.function)
    throwError(ErrorKind::Type, "the kernel of '", spec.op, "' is not a function: NULL");
  if (!isRank(spec.backend) &&
      std::ranges::find(backendWords(), spec.backend) == backendWords().end()) {
    std::string known;
    for (std::string_view word : backendWords())
      known += cat(known.empty() ? "" : ", ", word);
    throwError(ErrorKind::Value, "there is no backend '", spec.backend, "'; known are ", known,
               ", and the rank ", kReferenceRank);
  }
  auto [ns, name] = split(spec.op, ns_);
  if (ns != ns_)
    throwError(ErrorKind::OpSchema, "'", spec.op, "' cannot be implemented in a library of '", ns_,
               "'; open Library('", ns, "', kind='IMPL')");
  if (name.empty())
    throwError(ErrorKind::OpSchema, "a kernel needs the name of an operator, such as 'scale'");
  std::string op = cat(ns, "::", name);
  Registry::Impl &registry = *registry_->impl_;
  std::unique_lock guard(registry.lock);
  if (isClosed())
    throwError(ErrorKind::OpSchema, "the library of '", ns_, "' is closed");
  if (const RegisteredKernel *old =
          spec.overrides ? nullptr : current(registry.kernels, namesOf(op), spec.backend))
    throwError(ErrorKind::OpSchema, op, " for ", spec.backend, " is implemented at ",
               spec.source.str(), ", and was already at ", old->kernel->source().str(),
               "; close that library or pass override=True");
  auto found = registry.kernels.find(op);
  if (found == registry.kernels.end())
    found = registry.kernels.emplace(op, std::vector<RegisteredKernel>()).first;
  owned.isTaken = true;
  KernelSpec taken = std::move(spec);
  auto kernel = std::make_shared<const Kernel>(std::move(taken), std::move(op));
  uint64_t order = registry.generation.fetch_add(1, std::memory_order_release);
  found->second.push_back({kernel, this, order});
  if (isCounted(*kernel))
    numRegistered.fetch_add(1, std::memory_order_release);
  return kernel;
}

KernelRef Registry::findKernel(std::string_view op, std::string_view backend) const {
  std::vector<std::string> names = namesOf(op);
  std::shared_lock guard(impl_->lock);
  const RegisteredKernel *found = current(impl_->kernels, names, backend);
  return found ? found->kernel : KernelRef();
}

std::vector<KernelRef> Registry::kernels(std::string_view op) const {
  std::vector<std::string> names = namesOf(op);
  std::vector<KernelRef> out;
  std::shared_lock guard(impl_->lock);
  for (const std::string &name : names)
    if (auto found = impl_->kernels.find(name); found != impl_->kernels.end())
      for (const RegisteredKernel &one : found->second)
        if (!isRank(one.kernel->backend()) &&
            current(impl_->kernels, names, one.kernel->backend()) == &one)
          out.push_back(one.kernel);
  return out;
}

std::vector<KernelRef> Registry::Impl::takeKernels(const Library *owner) {
  std::vector<KernelRef> taken;
  for (auto entry = kernels.begin(); entry != kernels.end();) {
    std::erase_if(entry->second, [&](RegisteredKernel &one) {
      if (one.owner != owner)
        return false;
      if (isCounted(*one.kernel))
        numRegistered.fetch_sub(1, std::memory_order_release);
      taken.push_back(std::move(one.kernel));
      return true;
    });
    entry = entry->second.empty() ? kernels.erase(entry) : std::next(entry);
  }
  return taken;
}

} // namespace ge
