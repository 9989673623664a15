//===- PassReport.cpp - what a run of a pipeline did ------------------------------------------===//
#include "ge/Passes/Manager/PassReport.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace ge {

namespace {

template <typename... Values> std::string format(const char *pattern, Values... values) {
  std::array<char, 160> buffer;
  int length = std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return {buffer.data(), size_t(std::clamp(length, 0, int(buffer.size()) - 1))};
}

const char *nameOf(PassRecord::Outcome outcome) {
  static constexpr const char *kNames[] = {"unchanged", "changed", "skipped", "failed"};
  return kNames[size_t(outcome)];
}

std::string label(const PassRecord &record) {
  return record.where.empty() ? record.pass : cat(record.pass, " (", record.where, ")");
}

void appendJson(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += format("\\u%04x", unsigned(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  out += '"';
}

/// Rows for equal labels, in the order of their first record.
template <typename Row> struct LabelTable {
  std::map<std::string, size_t> places;
  std::vector<std::pair<std::string, Row>> rows;
  Row &row(const std::string &name) {
    auto [at, isNew] = places.emplace(name, rows.size());
    if (isNew)
      rows.emplace_back(name, Row());
    return rows[at->second].second;
  }
};

} // namespace

std::string PassReport::timing() const {
  struct Row {
    double seconds = 0;
    uint64_t runs = 0, changes = 0;
  };
  LabelTable<Row> table;
  for (const PassRecord &record : records) {
    Row &row = table.row(label(record));
    row.seconds += record.seconds;
    ++row.runs;
    row.changes += record.outcome == PassRecord::Outcome::Changed;
  }
  std::string out = "===- Time of passes -===\n   seconds       %   runs  changed  pass\n";
  double rest = seconds;
  auto percent = [&](double part) { return seconds > 0 ? 100 * part / seconds : 0.0; };
  for (const auto &[name, row] : table.rows) {
    out += format("%10.4f  %5.1f%%  %5llu  %7llu  ", row.seconds, percent(row.seconds),
                  static_cast<unsigned long long>(row.runs),
                  static_cast<unsigned long long>(row.changes));
    out += cat(name, "\n");
    rest -= row.seconds;
  }
  out += format("%10.4f  %5.1f%%                  checks, printing, the manager\n",
                std::max(rest, 0.0), percent(std::max(rest, 0.0)));
  out += format("%10.4f  100.0%%                  total\n", seconds);
  return out;
}

std::string PassReport::statistics() const {
  LabelTable<PassStatistics> table;
  for (const PassRecord &record : records)
    for (const auto &[name, count] : record.statistics)
      table.row(label(record))[name] += count;
  std::string out = "===- Statistics of passes -===\n";
  for (const auto &[pass, counts] : table.rows) {
    out += cat(pass, "\n");
    for (const auto &[name, count] : counts)
      out += cat("  ", count, " ", name, "\n");
  }
  return out;
}

std::string PassReport::trace() const {
  std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  out +=
      format("{\"name\": \"pipeline\", \"cat\": \"ge\", \"ph\": \"X\", \"ts\": 0, \"dur\": %.3f, "
             "\"pid\": 1, \"tid\": 1}",
             seconds * 1e6);
  for (const PassRecord &record : records) {
    out += ",\n{\"name\": ";
    appendJson(out, record.pass);
    out += format(", \"cat\": \"pass\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": 1, "
                  "\"tid\": 1, \"args\": {\"outcome\": \"%s\"",
                  record.start * 1e6, record.seconds * 1e6, nameOf(record.outcome));
    if (!record.where.empty()) {
      out += ", \"where\": ";
      appendJson(out, record.where);
    }
    for (const auto &[name, count] : record.statistics) {
      out += ", ";
      appendJson(out, name);
      out += cat(": ", count);
    }
    for (const auto &[name, text] : record.traced) {
      out += ", ";
      appendJson(out, name);
      out += ": ";
      appendJson(out, text);
    }
    if (!record.error.message.empty()) {
      out += ", \"error\": ";
      appendJson(out, record.error.message);
    }
    out += "}}";
  }
  out += "\n]}\n";
  return out;
}

} // namespace ge
