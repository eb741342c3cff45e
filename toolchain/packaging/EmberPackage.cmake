# SPDX-License-Identifier: Apache-2.0
# EmberSM: the libraries and pages of packages, and the Debian packages themselves.

include_guard(GLOBAL)
include(CMakePackageConfigHelpers)
set(packaging ${CMAKE_SOURCE_DIR}/toolchain/packaging)

# The libraries, for who composes a board outside of this tree: find_package() and pkg-config.
install(TARGETS ember_core ember_engines ember_config_blob
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/embersm COMPONENT development)
foreach(room core engines config/blob)
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/${room}/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/embersm/${room} COMPONENT development
            FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/config
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/embersm COMPONENT development)
configure_package_config_file(${packaging}/EmberSMConfig.cmake.in EmberSMConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/EmberSM
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(EmberSMConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/EmberSMConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/EmberSMConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/EmberSM COMPONENT development)
configure_file(${packaging}/embersm.pc.in embersm.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/embersm.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# ember_compressed(<destination> <component> <name> <source>)
# Installs the source as NAME.gz; gzip -n keeps names and times out of it.
find_program(GZIP gzip REQUIRED)
set(compressed)
function(ember_compressed destination component name source)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/documents/${component}/${name}.gz)
    add_custom_command(OUTPUT ${file} DEPENDS ${source} VERBATIM
        COMMAND sh -c "${GZIP} -9nc '${source}' > '${file}'")
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/documents/${component})
    set(compressed ${compressed} ${file} PARENT_SCOPE)
    install(FILES ${file} DESTINATION ${destination} COMPONENT ${component})
endfunction()
file(GLOB manuals CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.[18])
foreach(page IN LISTS manuals)
    cmake_path(GET page FILENAME name)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(SUBSTRING ${section} 1 1 section)
    if(name MATCHES "^emberc[.-]" AND NOT EMBER_HOST_TOOLS)
        continue()
    endif()
    ember_compressed(${CMAKE_INSTALL_MANDIR}/man${section} programs ${name} ${page})
endforeach()
set(EMBER_CONTACT "EmberSM maintainers <embersm@localhost>" CACHE STRING
    "Who answers for the packages; a vendor names himself")
foreach(name programs:embersm development:embersm-dev)
    string(REPLACE ":" ";" name ${name})
    list(GET name 0 component)
    list(GET name 1 package)
    set(changelog ${CMAKE_CURRENT_BINARY_DIR}/documents/${component}/changelog)
    configure_file(${packaging}/debian/changelog.in ${changelog} @ONLY)
    ember_compressed(share/doc/${package} ${component} changelog ${changelog})
    install(FILES ${packaging}/debian/copyright DESTINATION share/doc/${package}
            COMPONENT ${component})
endforeach()
add_custom_target(package_documents ALL DEPENDS ${compressed})

# Debian: embersm, and embersm-dev with the libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME embersm)
set(CPACK_PACKAGE_CONTACT ${EMBER_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # It would be put before each package's own.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME embersm)
# The first line is the synopsis; CPack indents the others.
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "InfiniBand subnet manager and administrator
EmberSM finds the nodes of an InfiniBand subnet, gives them LIDs, computes
routes, proves them, programs the switches and answers path queries. It
takes all its memory when it starts and none afterwards.

The package holds the manager, the configuration compiler emberc and the
control program emberctl.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME embersm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "libraries to put EmberSM on a board of one's own
The subnet manager's core, its routing engines and the reader of its
configuration as static libraries with their headers, for firmware that
brings its own platform.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_CONTROL_EXTRA
    "${packaging}/debian/conffiles;${packaging}/debian/postinst;${packaging}/debian/prerm;${packaging}/debian/postrm")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^arm")
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE armhf)
endif()
include(CPack)
