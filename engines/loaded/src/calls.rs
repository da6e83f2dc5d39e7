//! Routes a loaded library's calls that change files through this program's definitions, which count and record them.
//!
//! A library that is loaded with symbols of its own (`RTLD_DEEPBIND`) calls the C library's functions and not those of this program. This
//! module therefore points the library's table of imported functions at this program's definitions, as the loader would have done without
//! that flag.

use dbdyno_workload::power::definitions;
use libc::{Elf64_Addr, Elf64_Rela, Elf64_Sym, Elf64_Xword, c_char, c_int, c_void};
use std::{ffi::CStr, ptr, slice};

/// An entry of a library's dynamic section.
#[repr(C)]
struct Dynamic {
    tag: Elf64_Xword,
    value: Elf64_Addr,
}

/// The loader's record of a library: the documented beginning of `struct link_map`.
#[repr(C)]
struct LinkMap {
    base: Elf64_Addr,
    name: *const c_char,
    dynamic: *const Dynamic,
    next: *const LinkMap,
}

const NULL: Elf64_Xword = 0;
const PLT_BYTES: Elf64_Xword = 2;
const STRINGS: Elf64_Xword = 5;
const SYMBOLS: Elf64_Xword = 6;
const RELOCATIONS: Elf64_Xword = 7;
const RELOCATION_BYTES: Elf64_Xword = 8;
const PLT: Elf64_Xword = 23;

/// Redirects the calls of a loaded library, and of the libraries that were loaded as its dependencies, because a store below SQLite may be
/// one of these.
///
/// # Safety
/// `handle` is that of a library that stays loaded, and no other thread runs its code yet.
#[expect(unsafe_code, reason = "the tables of a loaded library are read and changed")]
pub(crate) unsafe fn redirect(handle: *mut c_void) {
    let (mut map, definitions): (*const LinkMap, _) = (ptr::null(), definitions());
    // SAFETY: a valid handle and an out pointer; the loader's list stays valid while the libraries stay loaded. Dependencies that were not
    // loaded before come after the library in the list.
    unsafe {
        if libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) != 0 {
            return;
        }
        while let Some(library) = map.as_ref() {
            redirect_in(library, &definitions);
            map = library.next;
        }
    }
}

/// Redirects the calls of one library.
///
/// # Safety
/// The library stays loaded, and no other thread runs its code yet.
#[expect(unsafe_code, reason = "the tables of a loaded library are read and changed")]
unsafe fn redirect_in(map: &LinkMap, definitions: &[(&str, usize)]) {
    // SAFETY: the loader's tables stay valid while the library stays loaded. Their addresses are absolute, as glibc relocates them.
    unsafe {
        let entry = |tag: Elf64_Xword| {
            let mut at = map.dynamic;
            loop {
                match &*at {
                    Dynamic { tag: NULL, .. } => return None,
                    found if found.tag == tag => return Some(found.value as usize),
                    _ => at = at.add(1),
                }
            }
        };
        let (Some(strings), Some(symbols)) = (entry(STRINGS), entry(SYMBOLS)) else { return };
        for (table, bytes) in [(PLT, PLT_BYTES), (RELOCATIONS, RELOCATION_BYTES)] {
            let (Some(table), Some(bytes)) = (entry(table), entry(bytes)) else { continue };
            let relocations = slice::from_raw_parts(table as *const Elf64_Rela, bytes / size_of::<Elf64_Rela>());
            for relocation in relocations {
                let symbol = &*(symbols as *const Elf64_Sym).add((relocation.r_info >> 32) as usize);
                let name = CStr::from_ptr((strings as *const c_char).add(symbol.st_name as usize));
                if let Some((_, function)) =
                    definitions.iter().find(|(defined, _)| defined.as_bytes() == name.to_bytes())
                {
                    point((map.base + relocation.r_offset) as *mut usize, *function);
                }
            }
        }
    }
}

/// Points an imported function elsewhere. Its page stays writable, because its previous protection is unknown here.
///
/// # Safety
/// `slot` is an entry of a loaded library's table of imported functions.
#[expect(unsafe_code, reason = "the table of a loaded library is changed")]
unsafe fn point(slot: *mut usize, function: usize) {
    // SAFETY: the slot lies within one page, which is mapped.
    unsafe {
        let page_bytes = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let page = (slot as usize & !(page_bytes - 1)) as *mut c_void;
        let allow = |protection: c_int| libc::mprotect(page, page_bytes, protection) == 0;
        if allow(libc::PROT_READ | libc::PROT_WRITE) {
            slot.write(function);
        }
    }
}
