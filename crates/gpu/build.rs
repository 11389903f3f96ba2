//! Compiles the kernels for the host with the system's C++ compiler.

fn main() {
    println!("cargo:rerun-if-changed=kernels");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        // No exceptions and no library: a wheel needs none beside it.
        .cpp_link_stdlib(None)
        .flag_if_supported("-fno-exceptions")
        .flag_if_supported("-fno-rtti")
        .flag_if_supported("-Wno-unused-function")
        .file("kernels/host.cpp")
        .compile("stiction_gpu_host");
}
