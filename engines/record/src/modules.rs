//! Which SQLite a call belongs to. A program may have several: one of its own, one of a library that it loads. The
//! recorder's functions stand in front of all of them, so it finds out what the calling module would have got without
//! the recorder.

use crate::library::{FunctionSource, SqliteLibrary};
use std::{
    ffi::{CStr, CString, c_int, c_void},
    mem, ptr,
    sync::atomic::{AtomicPtr, AtomicUsize, Ordering},
};

/// A loaded module that calls SQLite. `end` is 0 while the place is free.
struct CallingModule {
    start: AtomicUsize,
    end: AtomicUsize,
    /// Null: not found.
    library: AtomicPtr<SqliteLibrary>,
}

/// Modules that are remembered. Further ones are looked up each time.
const MODULES: usize = 32;

static KNOWN: [CallingModule; MODULES] = [const {
    CallingModule { start: AtomicUsize::new(0), end: AtomicUsize::new(0), library: AtomicPtr::new(ptr::null_mut()) }
}; MODULES];
static TAKEN: AtomicUsize = AtomicUsize::new(0);
/// The libraries, by their `sqlite3_step`.
static LIBRARIES: [AtomicPtr<SqliteLibrary>; MODULES] = [const { AtomicPtr::new(ptr::null_mut()) }; MODULES];

/// Returns the SQLite of the module that has the address `caller`.
#[inline]
pub(crate) fn library_of(caller: usize) -> Option<&'static SqliteLibrary> {
    for module in &KNOWN {
        let end = module.end.load(Ordering::Acquire);
        if end == 0 {
            break;
        }
        if caller < end && caller >= module.start.load(Ordering::Relaxed) {
            // SAFETY: libraries are never freed.
            return unsafe { module.library.load(Ordering::Relaxed).as_ref() };
        }
    }
    crate::system::keeping_errno(|| find_out(caller))
}

#[cold]
fn find_out(caller: usize) -> Option<&'static SqliteLibrary> {
    let module = LoadedModule::at(caller);
    let library = resolve(module.as_ref());
    // A module that lacks a library may load one later.
    if let (Some(module), Some(library)) = (module, library) {
        let index = TAKEN.fetch_add(1, Ordering::Relaxed);
        if let Some(place) = KNOWN.get(index) {
            place.start.store(module.start, Ordering::Relaxed);
            place.library.store(ptr::from_ref(library).cast_mut(), Ordering::Relaxed);
            place.end.store(module.end, Ordering::Release);
        }
    }
    library
}

/// What the dynamic linker would have found: the program's global scope, then the module's own. Python's module of
/// SQLite, for example, is loaded into a scope of its own.
fn resolve(module: Option<&LoadedModule>) -> Option<&'static SqliteLibrary> {
    let own = LoadedModule::at(resolve as fn(Option<&LoadedModule>) -> Option<&'static SqliteLibrary> as usize)?;
    let scopes = [
        Some(ModuleScope { handle: libc::RTLD_NEXT, own: own.clone() }),
        module.and_then(|module| ModuleScope::open(&module.path, own.clone())),
        ModuleScope::open(c"libsqlite3.so.0", own.clone()),
    ];
    scopes.iter().flatten().find_map(library_in)
}

fn library_in(scope: &ModuleScope) -> Option<&'static SqliteLibrary> {
    if scope.find(c"sqlite3_step", None).is_null() {
        return None;
    }
    let library = SqliteLibrary::load(scope);
    let step = |library: &SqliteLibrary| library.step.map(|step| step as usize);
    for place in &LIBRARIES {
        // SAFETY: libraries are never freed.
        match unsafe { place.load(Ordering::Acquire).as_ref() } {
            Some(known) if step(known) == step(&library) => return Some(known),
            Some(_) => {}
            None => {
                let new = Box::into_raw(Box::new(library));
                return match place.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
                    // SAFETY: just made, and never freed.
                    Ok(_) => Some(unsafe { &*new }),
                    // Another thread took the place, most likely with the same library. Two of one are no error.
                    // SAFETY: as above.
                    Err(_) => Some(unsafe { &*new }),
                };
            }
        }
    }
    None
}

/// Where `dlsym` searches. Handles are never closed: a module that calls SQLite stays loaded.
struct ModuleScope {
    handle: *mut c_void,
    own: LoadedModule,
}

impl ModuleScope {
    /// Opens the scope of a module that is loaded already.
    fn open(path: &CStr, own: LoadedModule) -> Option<Self> {
        // The program itself has no path, and the global scope, which was searched before.
        if path.is_empty() {
            return None;
        }
        // SAFETY: loads nothing.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then_some(Self { handle, own })
    }
}

impl FunctionSource for ModuleScope {
    fn find(&self, name: &CStr, _: Option<usize>) -> *mut c_void {
        // SAFETY: the handle is one of a loaded module.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        // A scope may begin with the recorder itself.
        let is_own = (self.own.start..self.own.end).contains(&address.addr());
        if is_own { ptr::null_mut() } else { address }
    }
}

/// The addresses and the path of a loaded module.
#[derive(Clone)]
struct LoadedModule {
    start: usize,
    end: usize,
    path: CString,
}

struct ModuleSearch {
    address: usize,
    found: Option<LoadedModule>,
}

impl LoadedModule {
    fn at(address: usize) -> Option<Self> {
        let mut search = ModuleSearch { address, found: None };
        // SAFETY: the function gets the search, which lives until the call returns.
        unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
        search.found
    }
}

unsafe extern "C" fn look_at(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the linker's description, and the search of `LoadedModule::at`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<ModuleSearch>()) };
    // SAFETY: the headers of a loaded module.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let base = info.dlpi_addr as usize;
    let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = loaded().map(|header| base.wrapping_add(header.p_vaddr as usize)).min();
    let end = loaded().map(|header| base.wrapping_add((header.p_vaddr + header.p_memsz) as usize)).max();
    let Some((start, end)) = start.zip(end) else { return 0 };
    if !(start..end).contains(&search.address) {
        return 0;
    }
    // SAFETY: the linker's name is null or a C string.
    let path =
        if info.dlpi_name.is_null() { CString::default() } else { unsafe { CStr::from_ptr(info.dlpi_name) }.into() };
    search.found = Some(LoadedModule { start, end, path });
    1
}

/// Looks for a function of the system behind the recorder's own of the same name.
pub(crate) fn next_function<F: Copy>(name: &CStr) -> Option<F> {
    // SAFETY: a name and a constant.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    debug_assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
    // SAFETY: F is the type of the function with this name: the size of a pointer.
    (!address.is_null()).then(|| unsafe { mem::transmute_copy(&address) })
}
