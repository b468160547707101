internal import ProxydCJemalloc

/// jemalloc, which replaces glibc's allocator in this program.
///
/// Recorded data is allocated by the event loops and freed by the recorder. With glibc, freeing a
/// block would take a lock that the allocating thread also needs, and the freed memory would stay
/// in that thread's arena.
enum Allocator {
    /// Makes a jemalloc background thread return unused memory to the system after about ten
    /// seconds. Otherwise that happens only during allocations, and so never while the program is
    /// idle. Nothing else depends on it, so a failure is ignored.
    static func giveBackAtRest() {
        var isOn = true
        _ = mallctl("background_thread", nil, nil, &isOn, MemoryLayout<Bool>.size)
    }

    /// The version of jemalloc, such as `5.3.0`.
    static var version: String {
        var text: UnsafePointer<CChar>?
        var size = MemoryLayout<UnsafePointer<CChar>?>.size
        guard mallctl("version", &text, &size, nil, 0) == 0, let text else { return "" }
        // The version is followed by the commit that it was built from.
        return String(String(cString: text).prefix { $0 != "-" })
    }
}
