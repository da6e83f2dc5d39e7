//! The functions that intercept calls of SQLite.
//!
//! Each exported function is a few instructions that pass the address of the caller on as one more argument: it decides
//! which SQLite the call belongs to (`modules`).

mod bind;
mod bind_value;
mod execute;
mod open;
mod process;
mod step;

/// Defines an exported function. Its number of integer arguments decides in which register the caller's address goes.
macro_rules! export {
    ($name:ident, $arguments:tt, $implementation:path) => {
        // SAFETY: the name is one of SQLite's, which this library intercepts.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(export!(@x86_64 $arguments), implementation = sym $implementation);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(export!(@aarch64 $arguments), implementation = sym $implementation);
        }
    };
    (@x86_64 1) => { "mov rsi, [rsp]\njmp {implementation}" };
    (@x86_64 2) => { "mov rdx, [rsp]\njmp {implementation}" };
    (@x86_64 3) => { "mov rcx, [rsp]\njmp {implementation}" };
    (@x86_64 4) => { "mov r8, [rsp]\njmp {implementation}" };
    (@x86_64 5) => { "mov r9, [rsp]\njmp {implementation}" };
    // The seventh argument is on the stack. The push also aligns it.
    (@x86_64 6) => { "push qword ptr [rsp]\ncall {implementation}\nadd rsp, 8\nret" };
    (@aarch64 1) => { "mov x1, x30\nb {implementation}" };
    (@aarch64 2) => { "mov x2, x30\nb {implementation}" };
    (@aarch64 3) => { "mov x3, x30\nb {implementation}" };
    (@aarch64 4) => { "mov x4, x30\nb {implementation}" };
    (@aarch64 5) => { "mov x5, x30\nb {implementation}" };
    (@aarch64 6) => { "mov x6, x30\nb {implementation}" };
}

export!(sqlite3_open, 2, open::open);
export!(sqlite3_open_v2, 4, open::open_v2);
export!(sqlite3_open16, 2, open::open16);
export!(sqlite3_close, 1, open::close);
export!(sqlite3_close_v2, 1, open::close_v2);
export!(sqlite3_bind_blob, 5, bind::bind_blob);
export!(sqlite3_bind_blob64, 5, bind::bind_blob64);
// The real number is in a register of its own kind.
export!(sqlite3_bind_double, 2, bind::bind_double);
export!(sqlite3_bind_int, 3, bind::bind_int);
export!(sqlite3_bind_int64, 3, bind::bind_int64);
export!(sqlite3_bind_null, 2, bind::bind_null);
export!(sqlite3_bind_text, 5, bind::bind_text);
export!(sqlite3_bind_text16, 5, bind::bind_text16);
export!(sqlite3_bind_text64, 6, bind::bind_text64);
export!(sqlite3_bind_value, 3, bind_value::bind_value);
export!(sqlite3_bind_pointer, 5, bind::bind_pointer);
export!(sqlite3_bind_zeroblob, 3, bind::bind_zeroblob);
export!(sqlite3_bind_zeroblob64, 3, bind::bind_zeroblob64);
export!(sqlite3_clear_bindings, 1, bind::clear_bindings);
export!(sqlite3_transfer_bindings, 2, bind::transfer_bindings);
export!(sqlite3_step, 1, step::step);
export!(sqlite3_reset, 1, step::reset);
export!(sqlite3_finalize, 1, step::finalize);
export!(sqlite3_exec, 5, execute::exec);
export!(sqlite3_get_table, 6, execute::get_table);
export!(sqlite3_trace, 3, execute::trace);
export!(sqlite3_profile, 3, execute::profile);
export!(sqlite3_trace_v2, 4, execute::trace_v2);
