# Run by ctest, see CMakeLists.txt beside it.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()

foreach(kind shared static)
  must(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/${kind} -DKIND=${kind} -DCMAKE_PREFIX_PATH=${prefix}
       -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${flags}")
  must(${CMAKE_COMMAND} --build ${WORK}/${kind})
  must(${WORK}/${kind}/consumer ${prefix}/share/hayakoe/voices/demo)
  if(NOT output MATCHES "22050 Hz, [1-9][0-9]+ samples")
    message(FATAL_ERROR "${kind}: ${output}")
  endif()
endforeach()

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
# pkg-config takes the prefix from where the file lies, as after a move of the folder.
must(sh -c "${CXX} -std=c++20 ${flags} ${SOURCE}/main.cpp $(pkg-config --define-prefix --cflags --libs hayakoe) -o ${WORK}/by-pkg-config")
set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
must(${WORK}/by-pkg-config ${prefix}/share/hayakoe/voices/demo)
# The installed program finds the voice in the box beside itself.
must(${prefix}/bin/hayakoe say あ -o ${WORK}/a.wav)
