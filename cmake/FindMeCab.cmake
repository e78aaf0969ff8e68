# libmecab-dev ships neither a CMake package nor a pkg-config file.
find_path(MeCab_INCLUDE_DIR mecab.h)
find_library(MeCab_LIBRARY mecab)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MeCab REQUIRED_VARS MeCab_LIBRARY MeCab_INCLUDE_DIR)
if(MeCab_FOUND AND NOT TARGET MeCab::MeCab)
  add_library(MeCab::MeCab UNKNOWN IMPORTED)
  set_target_properties(MeCab::MeCab PROPERTIES IMPORTED_LOCATION "${MeCab_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${MeCab_INCLUDE_DIR}")
endif()
