//===- Aliases.cpp - #name = ... and !name = ... --------------------------------------------------===//
#include "ValueParser.h"

namespace ge::text {

/// Nested aliases can expand to an exponential size, and GE prints aliases expanded. Their
/// expansion is therefore limited in proportion to the text.
void ValueParser::addWeight(uint64_t weight, const char *place) {
  weight_ += weight;
  expanded_ += weight;
  uint64_t most = (uint64_t(1) << 20) + 16 * uint64_t(scan_.end() - scan_.begin());
  tooHeavy_ = expanded_ > most;
  if (tooHeavy_)
    scan_.fail(place, cat("aliases stand for more than ", most, " parts, too many for this text"));
}

bool ValueParser::atAlias() {
  char first = scan_.peek();
  return first == '#' || first == '!';
}

void ValueParser::aliasDefinition() {
  const char *place = scan_.at();
  bool isType = *place == '!';
  scan_.setAt(place + 1);
  std::string_view name = scan_.suffixWord();
  if (name.empty() || name.find('.') != std::string_view::npos)
    scan_.fail(place, "expected the name of an alias, without a point");
  scan_.expect('=', "after the name of an alias");
  scan_.skipSpace();
  Alias alias;
  alias.place = scan_.at();
  weight_ = 1;
  size_t errors = scan_.errors().size();
  try {
    if (isType) {
      alias.type = type();
      alias.kind = Alias::Kind::Type;
    } else if (scan_.atWord("loc")) {
      alias.location = location();
      alias.kind = Alias::Kind::Location;
    } else {
      setSawResource(false);
      alias.attribute = attribute();
      alias.kind = Alias::Kind::Attribute;
      alias.hasResource = sawResource();
    }
  } catch (const ParseFailure &) {
    if (tooHeavy_)
      throw;
    // Affine maps and the like are an error only where they are used.
    scan_.errors().resize(errors);
    scan_.setAt(alias.place);
    skipValue();
  }
  alias.weight = weight_;
  auto &aliases = isType ? typeAliases_ : attrAliases_;
  auto [it, isNew] = aliases.emplace(name, std::move(alias));
  if (!isNew)
    scan_.fail(place, cat("alias '", *place, name, "' is defined twice"), it->second.place,
               "the first definition is here");
}

/// Skips the value of an alias: to the end of the line at which its brackets are closed.
void ValueParser::skipValue() {
  while (scan_.at() != scan_.end() && *scan_.at() != '\n') {
    if (*scan_.at() == '"') {
      scan_.skipString();
    } else if (*scan_.at() == '(' || *scan_.at() == '{' || *scan_.at() == '[') {
      scan_.skipBalanced(false);
    } else if (*scan_.at() == '/') {
      const char *slash = scan_.at();
      scan_.skipSpace();
      if (scan_.at() != slash)
        return;
      scan_.setAt(slash + 1);
    } else {
      scan_.setAt(scan_.at() + 1);
    }
  }
}

AttrRef ValueParser::aliasAttribute(std::string_view name, const char *place) {
  auto found = attrAliases_.find(name);
  if (found == attrAliases_.end())
    scan_.fail(place, cat("alias '#", name, "' is not defined"));
  Alias &alias = found->second;
  if (alias.kind != Alias::Kind::Attribute)
    scan_.fail(place, cat("alias '#", name, "' has an attribute that GE does not support"),
               alias.place, "it is defined here");
  addWeight(alias.weight, place);
  if (alias.hasResource && !resourcesKnown_) {
    sawResource_ = true;
  } else if (alias.hasResource) {
    const char *behind = scan_.at();
    scan_.setAt(alias.place);
    alias.hasResource = false;
    alias.attribute = attribute();
    scan_.setAt(behind);
  }
  return alias.attribute;
}

const Location *ValueParser::locationAlias(std::string_view name) {
  auto found = attrAliases_.find(name);
  if (found == attrAliases_.end() || !found->second.location)
    return nullptr;
  addWeight(found->second.weight,
            name.data()); // NOLINT(bugprone-suspicious-stringview-data-usage): a place
  return found->second.location;
}

const Location *ValueParser::aliasedLocation(std::string_view name, const char *place) {
  if (const Location *result = locationAlias(name))
    return result;
  scan_.fail(place, cat("location alias '#", name, "' is not defined"));
}

} // namespace ge::text
