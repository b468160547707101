internal import Glibc

/// Why a program could not be confined or started.
public struct ConfinementFailure: Error, Sendable, CustomStringConvertible {
    /// A readable description.
    public let description: String

    init(_ description: String) { self.description = description }

    /// A system call failed; errno says why.
    init(errnoOf what: String) {
        description = "\(what): \(String(cString: strerror(errno)))"
    }
}
