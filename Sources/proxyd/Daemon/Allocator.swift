internal import ProxydCJemalloc

/// jemalloc, which has the place of glibc's allocator in this program.
///
/// What is recorded is allocated by the event loops and freed by the recorder. In glibc that means
/// a lock between the two for each piece, and memory that stays with a thread once it was needed.
enum Allocator {
    /// Has memory that is no longer used given back to the system some ten seconds later, by a
    /// thread of jemalloc's own. Without it that happens only where something is allocated, and so
    /// never at rest. Nothing else depends on it: where it cannot be had, nobody needs to know.
    static func giveBackAtRest() {
        var isOn = true
        _ = mallctl("background_thread", nil, nil, &isOn, MemoryLayout<Bool>.size)
    }

    /// The version, as in `5.3.0`.
    static var version: String {
        var text: UnsafePointer<CChar>?
        var size = MemoryLayout<UnsafePointer<CChar>?>.size
        guard mallctl("version", &text, &size, nil, 0) == 0, let text else { return "" }
        // Behind it stands the commit it was built from.
        return String(String(cString: text).prefix { $0 != "-" })
    }
}
