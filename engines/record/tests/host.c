/* Loads a module into a scope of its own, and calls its function `plugin`. Does not use SQLite itself. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
  void *module = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    puts(dlerror());
    return 1;
  }
  ((void (*)(const char *))dlsym(module, "plugin"))(arguments[2]);
  return 0;
}
