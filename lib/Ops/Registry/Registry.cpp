//===- Registry.cpp - look-ups and registration -----------------------------------------------===//
#include "RegistryImpl.h"

#include "ge/IR/Domain.h"
#include "ge/IR/Identifier.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <mutex>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Tables
//===-----------------------------------------------------------------------------------------===//

std::string describe(const RegisteredOp &op, std::string_view ns) {
  std::string out = cat(ns, "::", op.name);
  if (!op.overload.empty())
    out.append(1, '.').append(op.overload);
  return out;
}

RegisteredOp *NamespaceTable::findOp(std::string_view name, std::string_view overload) {
  auto found = names.find(name);
  if (found == names.end())
    return nullptr;
  for (RegisteredOp &op : found->second)
    if (op.overload == overload)
      return &op;
  return nullptr;
}

const RegisteredVersion *RegisteredOp::newest(uint32_t opset) const {
  auto after = std::ranges::upper_bound(versions, opset, {}, &RegisteredVersion::since);
  return after == versions.begin() ? nullptr : &after[-1];
}

/// Registers a version; returns false, with the location of the older one in `conflict`, if there
/// is one.
bool NamespaceTable::insert(std::string_view name, std::string_view overload,
                            RegisteredVersion version, std::string *conflict) {
  auto found = names.find(name);
  if (found == names.end())
    found = names.emplace(std::string(name), std::vector<RegisteredOp>()).first;
  std::vector<RegisteredOp> &overloads = found->second;
  auto op = std::ranges::find(overloads, overload, &RegisteredOp::overload);
  if (op == overloads.end()) {
    overloads.push_back({std::string(name), std::string(overload), {}});
    op = overloads.end() - 1;
  }
  auto place = std::ranges::lower_bound(op->versions, version.since, {}, &RegisteredVersion::since);
  if (place != op->versions.end() && place->since == version.since) {
    if (conflict)
      *conflict = place->def ? place->def->source.str() : place->owner->source().str();
    return false;
  }
  op->versions.insert(place, std::move(version));
  return true;
}

void NamespaceTable::removeOwned(const Library *owner) {
  std::erase_if(pending, [&](const PendingProvider &p) { return p.owner == owner; });
  for (auto entry = names.begin(); entry != names.end();) {
    std::erase_if(entry->second, [&](RegisteredOp &op) {
      std::erase_if(op.versions, [&](const RegisteredVersion &v) { return v.owner == owner; });
      return op.versions.empty();
    });
    entry = entry->second.empty() ? names.erase(entry) : std::next(entry);
  }
}

NamespaceTable *Registry::Impl::findNamespace(std::string_view ns) const {
  auto found = namespaces.find(ns);
  return found == namespaces.end() ? nullptr : found->second.get();
}

NamespaceTable &Registry::Impl::makeNamespace(std::string_view ns) {
  if (NamespaceTable *known = findNamespace(ns))
    return *known;
  return *namespaces.emplace(std::string(ns), std::make_unique<NamespaceTable>()).first->second;
}

void Registry::Impl::index(std::string_view ns) {
  {
    std::shared_lock guard(lock);
    NamespaceTable *table = findNamespace(ns);
    if (!table || table->pending.empty())
      return;
  }
  std::string message;
  {
    std::unique_lock guard(lock);
    NamespaceTable *table = findNamespace(ns);
    if (!table)
      return;
    std::vector<PendingProvider> pending = std::exchange(table->pending, {});
    for (PendingProvider &p : pending) {
      std::vector<OpProvider::Entry> entries = p.provider->entries();
      for (size_t i = 0; i < entries.size(); ++i) {
        const OpProvider::Entry &entry = entries[i];
        RegisteredVersion version{entry.since, {}, p.provider, i, p.owner};
        std::string conflict;
        if (!table->insert(entry.name, entry.overload, std::move(version), &conflict) &&
            message.empty())
          message = cat(ns, "::", entry.name, ", version ", entry.since, ", of ",
                        p.owner->source().str(), " is there already, from ", conflict);
      }
    }
    generation.fetch_add(1, std::memory_order_release);
  }
  if (!message.empty())
    throwError(ErrorKind::OpSchema, message);
}

OpDefRef Registry::Impl::made(std::string_view ns, const std::string &name,
                              const std::string &overload, const RegisteredVersion &version) {
  OpSpec spec = version.provider->make(version.index);
  if (spec.ns.empty())
    spec.ns = ns;
  if (spec.ns != ns || spec.name != name || spec.overload != overload ||
      spec.since != version.since)
    throwError(ErrorKind::Internal, "the provider of ", ns, "::", name, ", version ", version.since,
               ", made ", spec.qualifiedName(), ", version ", spec.since);
  OpDefRef def = OpDef::create(std::move(spec));
  std::unique_lock guard(lock);
  // Meanwhile another thread may have created it, or its library may have been closed.
  NamespaceTable *table = findNamespace(ns);
  RegisteredOp *op = table ? table->findOp(name, overload) : nullptr;
  if (!op)
    return def;
  for (RegisteredVersion &v : op->versions)
    if (v.since == version.since && v.provider == version.provider) {
      if (!v.def)
        v.def = std::move(def);
      return v.def;
    }
  return def;
}

//===-----------------------------------------------------------------------------------------===//
// Registry
//===-----------------------------------------------------------------------------------------===//

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() { impl_->kept.clear(); }

Registry &Registry::global() {
  static Registry &registry = []() -> Registry & {
    // Never destroyed: libraries in other languages may be closed at any time.
    auto *made = new Registry;
    addBuiltinOps(*made);
    return *made;
  }();
  return registry;
}

/// For the IR, which knows no records.
static bool slotsOfRecord(const OperatorName &op, bool ofResults, std::vector<SegmentSlot> &slots) {
  OpDefRef def = Registry::global().find(op.domain(), op.type(), op.overload());
  // CANN's operators are of two namespaces.
  for (const char *ns : {"math", "nn"})
    if (!def && op.domain() == "ge")
      def = Registry::global().find(ns, op.type(), op.overload());
  if (!def)
    return false;
  slots = ofResults ? resultSlots(*def) : operandSlots(*def);
  return true;
}

[[maybe_unused]] static const bool isSlotSourceSet = [] {
  setSegmentSlotSource(slotsOfRecord);
  return true;
}();

void Registry::keep(std::unique_ptr<Library> library) {
  std::unique_lock guard(impl_->lock);
  impl_->kept.push_back(std::move(library));
}

uint64_t Registry::generation() const { return impl_->generation.load(std::memory_order_acquire); }

OpDefRef Registry::find(std::string_view ns, std::string_view name, std::string_view overload,
                        uint32_t opset) const {
  ns = canonicalDomain(ns);
  impl_->index(ns);
  RegisteredVersion lazy{};
  {
    std::shared_lock guard(impl_->lock);
    NamespaceTable *table = impl_->findNamespace(ns);
    RegisteredOp *op = table ? table->findOp(name, overload) : nullptr;
    const RegisteredVersion *version = op ? op->newest(opset) : nullptr;
    if (!version)
      return {};
    if (version->def)
      return version->def;
    lazy = *version;
  }
  return impl_->made(ns, std::string(name), std::string(overload), lazy);
}

std::vector<OpDefRef> Registry::overloads(std::string_view ns, std::string_view name,
                                          uint32_t opset) const {
  ns = canonicalDomain(ns);
  impl_->index(ns);
  std::vector<std::pair<std::string, RegisteredVersion>> found;
  {
    std::shared_lock guard(impl_->lock);
    NamespaceTable *table = impl_->findNamespace(ns);
    if (!table)
      return {};
    auto entry = table->names.find(name);
    if (entry == table->names.end())
      return {};
    for (const RegisteredOp &op : entry->second)
      if (const RegisteredVersion *version = op.newest(opset))
        found.emplace_back(op.overload, *version);
  }
  std::vector<OpDefRef> defs;
  for (auto &[overload, version] : found)
    defs.push_back(version.def ? version.def
                               : impl_->made(ns, std::string(name), overload, version));
  return defs;
}

std::vector<OpDefRef> Registry::versions(std::string_view ns, std::string_view name,
                                         std::string_view overload) const {
  ns = canonicalDomain(ns);
  impl_->index(ns);
  std::vector<RegisteredVersion> found;
  {
    std::shared_lock guard(impl_->lock);
    NamespaceTable *table = impl_->findNamespace(ns);
    if (RegisteredOp *op = table ? table->findOp(name, overload) : nullptr)
      found = op->versions;
  }
  std::vector<OpDefRef> defs;
  for (RegisteredVersion &version : found)
    defs.push_back(version.def
                       ? version.def
                       : impl_->made(ns, std::string(name), std::string(overload), version));
  return defs;
}

std::vector<std::string> Registry::namespaces() const {
  std::vector<std::string> out;
  std::shared_lock guard(impl_->lock);
  for (const auto &[name, table] : impl_->namespaces)
    if (table->openLibraries)
      out.push_back(name);
  std::ranges::sort(out);
  return out;
}

bool Registry::hasNamespace(std::string_view ns) const {
  ns = canonicalDomain(ns);
  std::shared_lock guard(impl_->lock);
  const NamespaceTable *table = impl_->findNamespace(ns);
  return table && table->openLibraries;
}

std::vector<Registry::Listed> Registry::list(std::string_view ns) const {
  std::vector<std::string> wanted =
      ns.empty() ? namespaces() : std::vector{std::string(canonicalDomain(ns))};
  std::vector<Listed> out;
  for (const std::string &one : wanted) {
    impl_->index(one);
    std::shared_lock guard(impl_->lock);
    NamespaceTable *table = impl_->findNamespace(one);
    if (!table)
      continue;
    for (const auto &[name, overloads] : table->names)
      for (const RegisteredOp &op : overloads)
        for (const RegisteredVersion &version : op.versions)
          out.push_back({one, name, op.overload, version.since});
  }
  std::ranges::sort(out, {},
                    [](const Listed &l) { return std::tie(l.ns, l.name, l.overload, l.since); });
  return out;
}

//===-----------------------------------------------------------------------------------------===//
// Libraries
//===-----------------------------------------------------------------------------------------===//

namespace {

bool isNamespace(std::string_view ns) {
  bool atStart = true;
  for (char c : ns) {
    bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (atStart ? !isLetter : !isLetter && !(c >= '0' && c <= '9') && c != '.')
      return false;
    atStart = c == '.';
  }
  return !atStart;
}

} // namespace

std::unique_ptr<Library> Registry::open(LibraryKind kind, std::string_view ns, SourcePlace source) {
  ns = canonicalDomain(ns);
  if (!isNamespace(ns))
    throwError(ErrorKind::OpSchema, "'", ns,
               "' is not a valid namespace: words of letters, digits and '_', "
               "with dots between them");
  if (kind == LibraryKind::Def && ns == "ge")
    throwError(ErrorKind::OpSchema, "namespace 'ge' cannot be defined at ", source.str(),
               ": in graphs it names CANN's operators, of 'math' and 'nn'; open it as IMPL for "
               "their kernels");
  std::unique_ptr<Library> library(new Library(*this, kind, ns, std::move(source)));
  std::unique_lock guard(impl_->lock);
  NamespaceTable &table = impl_->makeNamespace(ns);
  if (kind == LibraryKind::Def && table.owner) {
    library->closed_.store(true, std::memory_order_release); // its destructor closes nothing
    throwError(ErrorKind::OpSchema, "namespace '", ns, "' is defined at ", library->source().str(),
               ", and was already at ", table.owner->source().str(),
               "; open a FRAGMENT to add to it");
  }
  if (kind == LibraryKind::Def)
    table.owner = library.get();
  ++table.openLibraries;
  impl_->generation.fetch_add(1, std::memory_order_release);
  return library;
}

OpDefRef Library::define(OpSpec spec) {
  if (spec.ns.empty())
    spec.ns = ns_;
  spec.ns = canonicalDomain(spec.ns);
  if (spec.source.file.empty())
    spec.source = source_;
  if (kind_ == LibraryKind::Impl)
    throwError(ErrorKind::OpSchema, "'", spec.qualifiedName(),
               "' cannot be defined in the IMPL "
               "library of ",
               source_.str(), ": it holds kernels only");
  if (spec.ns != ns_)
    throwError(ErrorKind::OpSchema, "'", spec.qualifiedName(),
               "' cannot be defined in a library "
               "of '",
               ns_, "'");
  OpDefRef def = OpDef::create(std::move(spec));
  registry_->impl_->index(ns_);
  std::unique_lock guard(registry_->impl_->lock);
  if (isClosed())
    throwError(ErrorKind::OpSchema, "the library of '", ns_, "' is closed");
  std::string conflict;
  RegisteredVersion version{def->since, def, nullptr, 0, this};
  if (!registry_->impl_->makeNamespace(ns_).insert(def->name, def->overload, std::move(version),
                                                   &conflict)) {
    std::string which = def->since ? cat(", version ", def->since, ',') : "";
    throwError(ErrorKind::OpSchema, "'", def->qualifiedName(), "'", which, " is defined at ",
               def->source.str(), ", and was already at ", conflict);
  }
  registry_->impl_->generation.fetch_add(1, std::memory_order_release);
  return def;
}

OpDefRef Library::define(std::string_view schema, const SchemaSource &source, std::string doc) {
  OpSpec spec = parseSchema(schema, source);
  if (!doc.empty())
    spec.doc = std::move(doc);
  return define(std::move(spec));
}

void Library::provide(std::shared_ptr<const OpProvider> provider) {
  std::unique_lock guard(registry_->impl_->lock);
  if (isClosed() || kind_ == LibraryKind::Impl)
    throwError(ErrorKind::OpSchema, "the library of '", ns_,
               isClosed() ? "' is closed" : "' holds kernels only");
  registry_->impl_->makeNamespace(ns_).pending.push_back({std::move(provider), this});
  registry_->impl_->generation.fetch_add(1, std::memory_order_release);
}

void Library::close() {
  if (closed_.exchange(true, std::memory_order_acq_rel))
    return;
  std::vector<std::shared_ptr<const Kernel>> kernels; // destroyed after the lock is released
  std::unique_lock guard(registry_->impl_->lock);
  NamespaceTable &table = registry_->impl_->makeNamespace(ns_);
  table.removeOwned(this);
  kernels = registry_->impl_->takeKernels(this);
  if (table.owner == this)
    table.owner = nullptr;
  --table.openLibraries;
  registry_->impl_->generation.fetch_add(1, std::memory_order_release);
}

} // namespace ge
