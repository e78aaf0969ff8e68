# hayakoe_embed(TARGET SYMBOL FILE)
# Puts the bytes of FILE into TARGET's read-only data, so that the library needs no data folder to find.
# In C++: extern "C" const char SYMBOL_begin[], SYMBOL_end[];
function(hayakoe_embed target symbol file)
  get_filename_component(path "${file}" ABSOLUTE)
  set(asm "${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.S")
  if(APPLE)
    set(prefix "_")
    set(section ".const_data")
  else()
    set(prefix "")
    set(section ".section .rodata")
  endif()
  file(CONFIGURE OUTPUT "${asm}" CONTENT
"${section}
.balign 16
.globl ${prefix}${symbol}_begin
${prefix}${symbol}_begin:
.incbin \"${path}\"
.globl ${prefix}${symbol}_end
${prefix}${symbol}_end:
.byte 0
#if defined(__ELF__)
.hidden ${prefix}${symbol}_begin
.hidden ${prefix}${symbol}_end
.section .note.GNU-stack,\"\",%progbits
#endif
" @ONLY)
  set_source_files_properties("${asm}" TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS "${path}")
  target_sources(${target} PRIVATE "${asm}")
endfunction()
