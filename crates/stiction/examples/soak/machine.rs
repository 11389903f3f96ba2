//! Memory that the process holds, and the time that it computed.

/// Memory the process holds, MiB; 0 where the system does not say.
pub fn resident() -> f64 {
    let line = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = line
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .and_then(|l| l.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Seconds that the main thread has computed, to a few milliseconds; 0 where the system does not say. Unlike a clock it does
/// not count the time in which others had the processor.
pub fn computed() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
