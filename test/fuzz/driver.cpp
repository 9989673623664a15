//===- driver.cpp - a small seeded mutation driver for fuzz targets ---------------------------===//
//
// Runs LLVMFuzzerTestOneInput where clang's engine is not available. It reads corpus files, runs
// each unchanged, then mutates them. The same seed, corpus and number of runs give the same inputs.
// It is not guided by coverage: it mutates bytes and recombines pieces of the corpus.
//
//   fuzz-x [--seconds=N] [--runs=N] [--seed=S] [--max-len=N] [--artifact=FILE] <corpus file or
//   dir>...
//
// The current input is kept in memory, and written to the artifact file when the process dies of a
// signal or a sanitizer report, so that `fuzz-x FILE --runs=0` reproduces the failure.
//
//===----------------------------------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
// Present in sanitized programs only.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizers' name
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Bytes = std::vector<uint8_t>;

struct Options {
  double seconds = -1; ///< negative: no time limit
  int64_t runs = -1;   ///< negative: no limit on runs
  uint64_t seed = 0;
  size_t maxLength = 1 << 16;
  std::vector<std::string> corpus;
};

const char *artifactPath = "fuzz-crash.bin";
Bytes current;

/// Called while the process dies: uses async-signal-safe functions only.
void writeArtifact() {
  int file = open(artifactPath, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0)
    return;
  ssize_t written = write(file, current.data(), current.size());
  static_cast<void>(written);
  close(file);
  static constexpr char kText[] = "fuzz: the input that failed was written to the artifact file\n";
  written = write(STDERR_FILENO, kText, sizeof(kText) - 1);
  static_cast<void>(written);
}

void onSignal(int number) {
  writeArtifact();
  signal(number, SIG_DFL);
  raise(number);
}

/// Mutates bytes, tokens and blocks, and splices pieces of other inputs.
class Mutator {
public:
  Mutator(uint64_t seed, const std::vector<Bytes> &corpus, size_t maxLength)
      : engine_(seed), corpus_(corpus), maxLength_(maxLength) {}

  Bytes next() {
    Bytes bytes = corpus_[below(corpus_.size())];
    size_t count = size_t{1} << below(5);
    for (size_t i = 0; i < count; ++i)
      mutate(bytes);
    if (bytes.size() > maxLength_)
      bytes.resize(maxLength_);
    return bytes;
  }

private:
  // Not std::uniform_int_distribution: its results differ between standard libraries.
  size_t below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(engine_() % limit); }

  void mutate(Bytes &bytes) {
    static constexpr uint8_t kBytes[] = {0,   1,   0x7f, 0x80, 0xff, '"', '\\', '(',
                                         ')', '{', '}',  '[',  ']',  '<', '>',  ',',
                                         ':', '%', '@',  '#',  '!',  '\n'};
    static constexpr std::string_view kTokens[] = {
        "0",         "-1",     "9223372036854775808", "1e400", "0x",  "\xef\xbf\xbf", "%0", "->",
        "tensor<?x", "dense<", "dense_resource<",     "loc(",  "{-#", "#-}",          "//", "({"};
    size_t at = below(bytes.size() + 1);
    size_t length = below(std::min<size_t>(bytes.size() - at, 64) + 1);
    auto position = bytes.begin() + static_cast<ptrdiff_t>(at);
    switch (below(8)) {
    case 0: // flip a bit
      if (at < bytes.size())
        bytes[at] ^= static_cast<uint8_t>(1U << below(8));
      return;
    case 1: // overwrite with an interesting byte
      if (at < bytes.size())
        bytes[at] = kBytes[below(std::size(kBytes))];
      return;
    case 2: // insert one
      bytes.insert(position, kBytes[below(std::size(kBytes))]);
      return;
    case 3: // insert a token
    {
      std::string_view token = kTokens[below(std::size(kTokens))];
      bytes.insert(position, token.begin(), token.end());
      return;
    }
    case 4: // erase a block
      bytes.erase(position, position + static_cast<ptrdiff_t>(length));
      return;
    case 5: // repeat a block
    {
      Bytes block(position, position + static_cast<ptrdiff_t>(length));
      size_t times = 1 + below(8);
      for (size_t i = 0; i < times; ++i)
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), block.begin(), block.end());
      return;
    }
    case 6: // cut the end off
      if (below(8) == 0)
        bytes.resize(at);
      return;
    default: // put a piece of another input in
    {
      const Bytes &other = corpus_[below(corpus_.size())];
      size_t from = below(other.size() + 1);
      size_t size = below(std::min<size_t>(other.size() - from, 256) + 1);
      auto first = other.begin() + static_cast<ptrdiff_t>(from);
      bytes.insert(position, first, first + static_cast<ptrdiff_t>(size));
      return;
    }
    }
  }

  std::mt19937_64 engine_;
  const std::vector<Bytes> &corpus_;
  size_t maxLength_;
};

Bytes readFile(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "fuzz: cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::vector<Bytes> readCorpus(const std::vector<std::string> &paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string &path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto &entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file())
        files.push_back(entry.path());
  }
  // Sorted, because a seed must give the same inputs on every file system.
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus(1); // always contains the empty input
  for (const auto &file : files)
    corpus.push_back(readFile(file));
  return corpus;
}

[[noreturn]] void usage() {
  std::fprintf(stderr, "usage: fuzz-x [--seconds=N] [--runs=N] [--seed=S] [--max-len=N] "
                       "[--artifact=FILE] <corpus file or directory>...\n");
  std::exit(2);
}

Options parseOptions(int count, char **arguments) {
  Options options;
  bool seeded = false;
  for (int i = 1; i < count; ++i) {
    std::string_view argument = arguments[i];
    size_t equals = argument.find('=');
    if (!argument.starts_with("--")) {
      options.corpus.emplace_back(argument);
      continue;
    }
    std::string_view name = argument.substr(0, equals);
    // Accepts both `--seed=1` and `--seed 1`.
    if (equals == std::string_view::npos && i + 1 == count)
      usage();
    const char *value =
        equals == std::string_view::npos ? arguments[++i] : arguments[i] + equals + 1;
    if (name == "--seconds") {
      options.seconds = std::strtod(value, nullptr);
    } else if (name == "--runs") {
      options.runs = std::strtoll(value, nullptr, 10);
    } else if (name == "--seed") {
      options.seed = std::strtoull(value, nullptr, 10);
      seeded = true;
    } else if (name == "--max-len") {
      options.maxLength = std::strtoull(value, nullptr, 10);
    } else if (name == "--artifact") {
      artifactPath = value;
    } else {
      usage();
    }
  }
  if (!seeded)
    options.seed = std::random_device()();
  if (options.seconds < 0 && options.runs < 0)
    options.seconds = 10;
  return options;
}

void run(const Bytes &bytes) {
  current = bytes;
  // An input that takes this long is a finding: all public functions are O(n log n).
  alarm(60);
  // A block of exactly this size, so that the address sanitizer detects reads past the end.
  auto exact = std::make_unique<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), bytes.size());
}

} // namespace

int main(int count, char **arguments) {
  Options options = parseOptions(count, arguments);
  std::printf("fuzz: %s --seed=%llu\n", arguments[0],
              static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  if (__sanitizer_set_death_callback != nullptr)
    __sanitizer_set_death_callback(writeArtifact);
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    signal(number, onSignal);

  std::vector<Bytes> corpus = readCorpus(options.corpus);
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (const Bytes &bytes : corpus)
    run(bytes);

  Mutator mutator(options.seed, corpus, options.maxLength);
  int64_t runs = 0;
  while ((options.runs < 0 || runs < options.runs) &&
         (options.seconds < 0 || elapsed() < options.seconds)) {
    run(mutator.next());
    ++runs;
  }
  alarm(0);
  std::printf("fuzz: %zu corpus inputs, %lld mutated runs, %.1f s, no failure\n", corpus.size(),
              static_cast<long long>(runs), elapsed());
  return 0;
}
