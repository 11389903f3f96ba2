//! Compiles the kernels for the host with the system's C++ compiler.

fn main() {
    println!("cargo:rerun-if-changed=kernels");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(2)
        .flag_if_supported("-Wno-unused-function")
        .file("kernels/host.cpp")
        .compile("stiction_gpu_host");
}
