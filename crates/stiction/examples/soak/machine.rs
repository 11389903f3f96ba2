//! Memory and processor time of the process.

/// Memory of the process, MiB; 0 if the system does not report it.
pub fn resident() -> f64 {
    let line = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = line
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .and_then(|l| l.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Processor time of the main thread, s, accurate to a few milliseconds; 0 if the system does not report it. Unlike
/// wall-clock time it excludes other processes.
pub fn computed() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
