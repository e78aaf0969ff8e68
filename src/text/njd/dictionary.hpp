// SPDX-License-Identifier: Apache-2.0
// The MeCab dictionary of Open JTalk: finding it, opening it, cutting text into its words.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace MeCab {
class Model;
class Tagger;
}  // namespace MeCab

namespace hayakoe::text::njd {

/// One word of the dictionary as it was found in a text.
struct Node {
  std::string surface;
  std::string feature;  ///< comma-separated: part of speech …, reading, accent; seven fields for unknown words
};

/// A word beside those of the dictionary.
struct UserEntry {
  std::string surface;  ///< full-width, not empty
  std::string feature;  ///< as in Node
  int context_id = 0;   ///< left and right context id
  int cost = 0;         ///< -32768 to 32767; the smaller, the likelier
};

/// The folder to use: `option` if it is not empty, else the environment variable HAYAKOE_DICTIONARY, else the folder
/// that was set when the library was built. Does not look whether it exists.
std::filesystem::path find_dictionary(const std::filesystem::path& option = {});

/// A dictionary, perhaps with user entries. Immutable; any number of threads may use one at once.
class Dictionary {
 public:
  /// Opens the compiled dictionary in `folder` (char.bin, matrix.bin, sys.dic, unk.dic). A `dicrc` there is neither
  /// needed nor read. The files are mapped, so opening takes under a millisecond and all processes share the memory.
  /// Needs to write a few small files to the folder for temporary files ($TMPDIR, else /tmp); they are gone afterwards.
  /// Throws Error if a file is missing or no dictionary, naming it and the package to install.
  static std::shared_ptr<const Dictionary> open(const std::filesystem::path& folder,
                                                std::span<const UserEntry> user_entries = {});

  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  /// Cuts a full-width text (`text2mecab`) into words. The surfaces joined are the text, but for white space.
  /// Linear in the length. Up to 4,096 characters are one optimisation, as in Open JTalk; longer text is taken in
  /// windows of that size which begin where the last one had a word boundary, behind a mark where possible, so that
  /// memory stays bounded and MeCab's 16-bit lengths cannot overflow.
  /// A word begins at each of `boundaries` (bytes from the start, ascending), whatever the dictionary would prefer.
  std::vector<Node> analyze(std::string_view full_width_text, std::span<const std::size_t> boundaries = {}) const;

  /// The dictionary's own entry for a text that is one word of it: its feature and context id, for words that are to
  /// behave alike. `feature` is empty if it is not one known word.
  UserEntry entry_like(std::string_view full_width_word) const;

  /// For each entry the cost at which it would tie with this dictionary's own reading of the same surface, if the text
  /// were nothing else. The entries' own costs do not matter.
  std::vector<long> lone_word_costs(std::span<const UserEntry> entries) const;

 private:
  Dictionary(std::unique_ptr<MeCab::Model> model, std::unique_ptr<MeCab::Tagger> tagger);

  std::unique_ptr<MeCab::Model> model_;
  std::unique_ptr<MeCab::Tagger> tagger_;
};

}  // namespace hayakoe::text::njd
