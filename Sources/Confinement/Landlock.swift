internal import Glibc
internal import ProxydCLinuxConfinement

/// What the kernel offers to confine programs with (landlock(7)).
public enum Landlock {
    /// Why nothing can be confined.
    public struct Missing: Error, Sendable, CustomStringConvertible {
        /// In words for a person.
        public let description: String
    }

    /// The version of its interface, from 1. 6 is the first that keeps signals in, too.
    /// - Throws: where the kernel has none, or does not let us use it.
    public static func version() throws(Missing) -> Int {
        let version = clinuxconfinement_version()
        guard version < 1 else { return Int(version) }
        let reason =
            switch errno {
            case ENOSYS: "this kernel has no Landlock"
            case EOPNOTSUPP: "Landlock is switched off in this kernel"
            default: "Landlock may not be used here (\(String(cString: strerror(errno))))"
            }
        throw Missing(description: reason)
    }
}
