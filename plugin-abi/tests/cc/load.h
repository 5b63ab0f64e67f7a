/* Loads a library, and finds what it shows, on every system. */
#pragma once

#ifdef _WIN32
#include <windows.h>
static void *library(const char *path) { return (void *)LoadLibraryA(path); }
static void *symbol(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
static void *library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *symbol(void *library, const char *name) { return dlsym(library, name); }
#endif
