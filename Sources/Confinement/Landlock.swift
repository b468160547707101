internal import Glibc
internal import ProxydCLinuxConfinement

/// The kernel's support for confining programs (landlock(7)).
public enum Landlock {
    /// Why programs cannot be confined.
    public struct Missing: Error, Sendable, CustomStringConvertible {
        /// A readable description.
        public let description: String
    }

    /// The version of the interface, counted from 1. Version 6 is the first that also restricts
    /// signals.
    /// - Throws: if the kernel has no Landlock, or does not let this process use it.
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
