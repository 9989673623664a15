//===- Start.h - what the bridge runs first --------------------------------------------------------===//
#ifndef GE_BRIDGE_START_H
#define GE_BRIDGE_START_H

namespace gebridge {

/// Runs before any module of the package: imports `ge` from the directory of the C library even if
/// another package has that name, checks that both are of one build, and returns the module or the
/// reason why it cannot.
constexpr char kStart[] = R"py(
def start(package, directory, core, library):
    import gc, importlib.util, os, sys
    top, directory = package.partition(".")[0], os.fsdecode(directory)

    class Finder:
        """Finds the package that the native program brought along."""

        def find_spec(self, name, path=None, target=None):
            if name != top:
                return None
            from importlib.machinery import ModuleSpec, PathFinder
            own = os.path.join(directory, top)
            file = os.path.join(own, "__init__.py")
            if os.path.isfile(file):
                return importlib.util.spec_from_file_location(name, file)
            spec = ModuleSpec(name, None, is_package=True)
            others = PathFinder.find_spec(name)
            portions = getattr(others, "submodule_search_locations", None) or []
            spec.submodule_search_locations = [own] + [
                each for each in portions
                if each != own and not os.path.isdir(os.path.join(each, "_mlir_like"))
            ]
            return spec

    collects = gc.isenabled()
    gc.disable()  # imports make nothing but what stays
    try:
        if top not in sys.modules:
            sys.meta_path.insert(0, Finder())
        try:
            loader = importlib.import_module(package + "._mlir_like._cext_loader")
            init = loader.load("_init")
        except ImportError as error:
            python = "%s (CPython %d.%d)" % (sys.executable, *sys.version_info[:2])
            how = "install it: %s -m pip install nanobind-backend" % sys.executable
            if importlib.util.find_spec("nanobind_backend") is None:
                return "%s has no package 'nanobind-backend', which GE's modules need; %s" % (python, how)
            try:
                importlib.import_module("nanobind_backend")
            except ImportError as reason:
                return "the package 'nanobind-backend' of %s is for another Python (%s); %s" % (python, reason, how)
            return str(error)
        if init.core_instance() != core:
            return (
                "the package '%s' of this Python process has its own C library, %s, and this program "
                "uses %s: only one of them can be in a process" % (package, init.library_path(), library)
            )
        return importlib.import_module(package + ".passes._bridge")
    except BaseException as error:
        return "%s: %s" % (type(error).__name__, error)
    finally:
        if collects:
            gc.enable()
)py";

} // namespace gebridge

#endif // GE_BRIDGE_START_H
