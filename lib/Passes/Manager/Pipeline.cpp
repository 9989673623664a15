//===- Pipeline.cpp - the text of a pipeline --------------------------------------------------===//
#include "ge/Passes/Manager/Pipeline.h"

#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>
#include <optional>

namespace ge {

namespace {

constexpr std::string_view kFixpoint = "fixpoint";
constexpr std::string_view kMax = "max";
constexpr std::string_view kModuleAnchor = "builtin.module";
constexpr std::string_view kGraphAnchor = "func.func";
constexpr uint32_t kMaxNesting = 64;

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || c == '/' || c == '+' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool isWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), isWordCharacter);
}

class PipelineParser {
public:
  /// Null `registry`: checks the syntax only.
  PipelineParser(std::string_view text, const PassRegistry *registry, uint32_t depth)
      : text_(text), registry_(registry), depth_(depth) {}

  std::vector<PipelineElement> run() {
    std::vector<PipelineElement> elements = pipeline();
    if (at_ != text_.size())
      fail(at_, cat("expected ',' or the end, got '", text_[at_], "'"));
    return elements;
  }

private:
  [[noreturn]] void fail(size_t at, std::string message) const {
    Diagnostic diagnostic;
    diagnostic.file = "<pipeline>";
    size_t start = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    start = start == std::string_view::npos ? 0 : start + 1;
    diagnostic.line = uint32_t(1 + std::count(text_.begin(), text_.begin() + ptrdiff_t(at), '\n'));
    diagnostic.column = uint32_t(at - start + 1);
    diagnostic.sourceLine = std::string(text_.substr(start, text_.find('\n', start) - start));
    diagnostic.message = std::move(message);
    throw Error(ErrorKind::Parse, std::vector<Diagnostic>{std::move(diagnostic)});
  }

  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos)
      ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  std::string got() const {
    return at_ == text_.size() ? "the end of the text" : cat("'", text_[at_], "'");
  }

  std::string quoted() {
    size_t start = at_++;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
      out += text_[at_++];
    }
    if (at_ == text_.size())
      fail(start, "this quote has no end");
    ++at_;
    return out;
  }
  std::string word(const char *what) {
    blanks();
    if (at_ < text_.size() && text_[at_] == '"')
      return quoted();
    size_t start = at_;
    while (at_ < text_.size() && isWordCharacter(text_[at_]))
      ++at_;
    if (start == at_)
      fail(at_, cat("expected ", what, ", got ", got()));
    return std::string(text_.substr(start, at_ - start));
  }

  std::vector<PipelineElement> pipeline() {
    std::vector<PipelineElement> elements;
    blanks();
    if (at_ == text_.size() || text_[at_] == ')')
      return elements;
    do {
      elements.push_back(element());
      blanks();
    } while (accept(','));
    return elements;
  }

  struct Key {
    std::string name;
    size_t at;
  };

  PipelineElement element() {
    PipelineElement element;
    blanks();
    size_t start = at_;
    element.name = word("a pass");
    std::vector<Key> keys;
    blanks();
    if (at_ < text_.size() && text_[at_] == '{')
      options(element.options, keys);
    size_t open = (blanks(), at_);
    if (accept('(')) {
      if (++depth_ > kMaxNesting)
        fail(open, cat("pipelines nest at most ", kMaxNesting, " times"));
      element.children = pipeline();
      if (!accept(')'))
        fail(at_, cat("expected ',' or ')', got ", got()));
      --depth_;
      group(element, start, keys);
    } else {
      pass(element, start, keys);
    }
    return element;
  }

  void options(PassOptions &options, std::vector<Key> &keys) {
    ++at_; // {
    while (!accept('}')) {
      Key key{{}, (blanks(), at_)};
      key.name = word("an option or '}'");
      std::string value;
      if (accept('='))
        value = word("a value");
      for (const Key &earlier : keys)
        if (earlier.name == key.name)
          fail(key.at, cat("option '", key.name, "' is given twice"));
      options.set(key.name, std::move(value));
      keys.push_back(std::move(key));
      static_cast<void>(accept(','));
    }
  }

  void group(PipelineElement &element, size_t start, const std::vector<Key> &keys) {
    if (element.name == kFixpoint) {
      element.kind = PipelineElement::Kind::Fixpoint;
      std::string_view known[] = {kMax};
      checkKeys(element.name, keys, known);
      checkValues(keys, element.options, [&](const PassOptions &options) {
        if (options.integer(kMax, kMaxRounds) < 1)
          throwError(ErrorKind::Value, "option 'max' is at least 1");
      });
      return;
    }
    element.kind = PipelineElement::Kind::Nested;
    bool isAnchor = isPipelineAnchor(element.name);
    if (element.name.find('.') == std::string::npos && element.name.find(':') == std::string::npos)
      fail(start, cat("expected 'fixpoint' or an operator with its domain, as 'onnx.If', before "
                      "'(', got '",
                      element.name, "'"));
    if (!keys.empty())
      fail(keys.front().at, cat(isAnchor ? cat("'", element.name, "'") : std::string("an operator"),
                                " takes no options"));
    for (const PipelineElement &child : element.children)
      checkAnchors(element, child, start);
    if (registry_ && !isAnchor)
      checkBodies(element.name, start);
  }

  /// Anchors enclose the rest of the pipeline, that of the module outermost.
  void checkAnchors(const PipelineElement &around, const PipelineElement &child,
                    size_t start) const {
    bool isInside = child.kind == PipelineElement::Kind::Nested && isPipelineAnchor(child.name);
    if (isInside && (around.name != kModuleAnchor || child.name == kModuleAnchor))
      fail(start, cat("'", child.name, "' cannot stand inside '", around.name,
                      "'; the order is 'builtin.module(func.func(onnx.If(...)))'"));
    if (child.kind == PipelineElement::Kind::Fixpoint)
      for (const PipelineElement &inner : child.children)
        checkAnchors(around, inner, start);
  }

  /// A registered operator must have bodies, and an operator of a domain with records must be
  /// registered. The registry does not have all of CANN's operators.
  void checkBodies(std::string_view name, size_t start) const {
    const Registry &registry = Registry::global();
    size_t split = name.find("::");
    std::string_view domain = name.substr(0, split != name.npos ? split : name.rfind('.'));
    if (domain == "ge" || isCannDomain(domain) || registry.list(domain).empty())
      return;
    OpDefRef def;
    try {
      def = registry.get(name);
    } catch (const Error &error) {
      fail(start, error.message());
    }
    auto hasGraph = [](const Param &param) { return param.type->containsGraph(); };
    for (const OpDefRef &version : registry.versions(def->ns, def->name, def->overload))
      if (version->vararg || std::ranges::any_of(version->params, hasGraph))
        return;
    fail(start, cat("'", name,
                    "' has no bodies that passes could run on; give an operator that "
                    "has some, as 'onnx.If', 'onnx.Loop' or 'onnx.Scan'"));
  }

  void pass(PipelineElement &element, size_t start, const std::vector<Key> &keys) {
    if (element.name == kFixpoint)
      fail(at_, cat("expected '(' and a pipeline after 'fixpoint', got ", got()));
    if (!registry_)
      return;
    element.info = registry_->find(element.name);
    if (!element.info)
      fail(start, unknownPass(element.name));
    std::vector<std::string_view> known;
    for (const PassOption &option : element.info->options)
      known.push_back(option.name);
    checkKeys(element.name, keys, known);
    if (!element.info->pipeline.empty()) {
      element.kind = PipelineElement::Kind::Alias;
      if (depth_ >= kMaxNesting)
        fail(start, cat("'", element.name, "' expands to itself"));
      element.children = PipelineParser(element.info->pipeline, registry_, depth_ + 1).run();
      checkValues(keys, element.options, [&](const PassOptions &options) {
        for (const auto &[name, value] : options.all())
          setOption(element.children, name, value);
      });
      return;
    }
    // A wrong value is reported now, and not when half of the pipeline has run.
    checkValues(keys, element.options, [&](const PassOptions &options) {
      static_cast<void>(element.info->create(options));
    });
  }

  std::string unknownPass(std::string_view name) const {
    std::vector<std::shared_ptr<const PassInfo>> all = registry_->all();
    std::vector<std::string_view> names{kFixpoint};
    for (const auto &info : all)
      names.push_back(info->name);
    std::string message = cat("there is no pass '", name, "'");
    if (auto near = nearestWord(name, names.data(), names.size()))
      return cat(message, "; did you mean '", *near, "'?");
    return cat(message, "; ge-opt --list-passes and ge.passes.list_passes() show those there are");
  }

  void checkKeys(std::string_view name, const std::vector<Key> &keys,
                 std::span<const std::string_view> known) const {
    for (const Key &key : keys) {
      if (std::find(known.begin(), known.end(), key.name) != known.end())
        continue;
      std::string message = cat("'", name, "' has no option '", key.name, "'");
      if (auto near = nearestWord(key.name, known.data(), known.size()))
        message += cat("; did you mean '", *near, "'?");
      else if (known.empty())
        message += "; it has none";
      else
        for (size_t i = 0; i < known.size(); ++i)
          message += cat(i ? ", " : "; it has ", known[i]);
      fail(key.at, std::move(message));
    }
  }

  /// Calls `use` with the options. Reports its error at the option without which it succeeds, else
  /// at the first one.
  template <typename F>
  void checkValues(const std::vector<Key> &keys, const PassOptions &options, const F &use) const {
    try {
      use(options);
    } catch (const Error &error) {
      if (keys.empty())
        throw;
      auto isWrong = [&](const Key &key) {
        PassOptions others;
        for (const auto &[name, value] : options.all())
          if (name != key.name)
            others.set(name, value);
        try {
          use(others);
        } catch (const Error &) {
          return false;
        }
        return true;
      };
      auto wrong = keys.size() == 1 ? keys.begin() : std::ranges::find_if(keys, isWrong);
      fail(wrong == keys.end() ? keys.front().at : wrong->at, error.message());
    }
  }

  std::string_view text_;
  const PassRegistry *registry_;
  uint32_t depth_;
  size_t at_ = 0;
};

void printWord(std::string_view word, std::string &out) {
  if (isWord(word)) {
    out += word;
    return;
  }
  out += '"';
  for (char c : word) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  out += '"';
}

} // namespace

bool isPipelineAnchor(std::string_view name) {
  return name == kModuleAnchor || name == kGraphAnchor;
}

std::vector<PipelineElement> parsePipeline(std::string_view text, const PassRegistry &registry) {
  return PipelineParser(text, &registry, 0).run();
}

std::vector<PipelineElement> parsePipelineSyntax(std::string_view text) {
  return PipelineParser(text, nullptr, 0).run();
}

static bool isGiven(const std::vector<PipelineElement> &pipeline, std::string_view name) {
  return std::ranges::any_of(pipeline, [&](const PipelineElement &element) {
    return (element.kind == PipelineElement::Kind::Pass && element.options.all().contains(name)) ||
           isGiven(element.children, name);
  });
}

void setOption(std::vector<PipelineElement> &pipeline, std::string_view name,
               std::string_view value) {
  std::vector<PipelineElement> out;
  for (PipelineElement &element : pipeline) {
    bool isAlias = element.kind == PipelineElement::Kind::Alias;
    if (element.info && element.options.all().contains(name)) {
      out.push_back(std::move(element));
      continue;
    }
    setOption(element.children, name, value);
    if (element.info && element.info->hasOption(name)) {
      element.options.set(std::string(name), std::string(value));
      if (!isAlias) // an alias has rejected a wrong value already
        static_cast<void>(element.info->create(element.options));
    } else if (isAlias && isGiven(element.children, name)) {
      std::ranges::move(element.children, std::back_inserter(out));
      continue;
    }
    out.push_back(std::move(element));
  }
  pipeline = std::move(out);
}

/// Returns the alias that a name without `info` refers to, with its options applied; nullopt if
/// there is none.
static std::optional<PipelineElement> aliasOf(const PipelineElement &element,
                                              const PassRegistry &registry) {
  if (element.kind != PipelineElement::Kind::Pass || element.info || element.object)
    return std::nullopt;
  std::shared_ptr<const PassInfo> info = registry.find(element.name);
  if (!info || info->pipeline.empty())
    return std::nullopt;
  std::string text;
  printPipeline({element}, text);
  return std::move(parsePipeline(text, registry).front());
}

void expandAliases(std::vector<PipelineElement> &pipeline, const PassRegistry &registry) {
  std::vector<PipelineElement> out;
  for (PipelineElement &element : pipeline) {
    if (std::optional<PipelineElement> alias = aliasOf(element, registry))
      element = std::move(*alias);
    expandAliases(element.children, registry);
    if (element.kind == PipelineElement::Kind::Alias)
      std::ranges::move(element.children, std::back_inserter(out));
    else
      out.push_back(std::move(element));
  }
  pipeline = std::move(out);
}

size_t setOptionOf(std::vector<PipelineElement> &pipeline, std::string_view pass,
                   std::string_view name, std::string_view value) {
  size_t count = 0;
  for (PipelineElement &element : pipeline) {
    count += setOptionOf(element.children, pass, name, value);
    if (element.kind != PipelineElement::Kind::Pass || element.name != pass)
      continue;
    ++count;
    if (!element.options.all().contains(name))
      element.options.set(std::string(name), std::string(value));
  }
  return count;
}

size_t removePasses(std::vector<PipelineElement> &pipeline, std::string_view name) {
  size_t count = 0;
  std::erase_if(pipeline, [&](PipelineElement &element) {
    if (element.kind == PipelineElement::Kind::Pass && element.name == name)
      return ++count != 0;
    size_t inside = removePasses(element.children, name);
    count += inside;
    return inside != 0 && element.children.empty();
  });
  return count;
}

void printPipeline(const std::vector<PipelineElement> &pipeline, std::string &out) {
  bool first = true;
  for (const PipelineElement &element : pipeline) {
    if (!std::exchange(first, false))
      out += ',';
    printWord(element.name, out);
    if (!element.options.all().empty()) {
      char separator = '{';
      for (const auto &[name, value] : element.options.all()) {
        out += std::exchange(separator, ' ');
        printWord(name, out);
        if (!value.empty()) {
          out += '=';
          printWord(value, out);
        }
      }
      out += '}';
    }
    if (element.kind == PipelineElement::Kind::Fixpoint ||
        element.kind == PipelineElement::Kind::Nested) {
      out += '(';
      printPipeline(element.children, out);
      out += ')';
    }
  }
}

} // namespace ge
