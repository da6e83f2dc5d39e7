//! Checks whether the compiler accepts the definition of a C-variadic function, which is stable since Rust 1.99.

fn main() {
    autocfg::rerun_path("build.rs");
    autocfg::emit_possibility("variadic_definitions");
    let definition = "pub unsafe extern \"C\" fn f(mut rest: ...) -> u32 { unsafe { rest.next_arg::<u32>() } }";
    if autocfg::new().probe_raw(definition).is_ok() {
        autocfg::emit("variadic_definitions");
    }
}
