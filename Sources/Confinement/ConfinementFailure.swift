internal import Glibc

/// Why a program was not confined, or not started.
public struct ConfinementFailure: Error, Sendable, CustomStringConvertible {
    /// In words for a person.
    public let description: String

    init(_ description: String) { self.description = description }

    /// A call failed; errno says why.
    init(errnoOf what: String) {
        description = "\(what): \(String(cString: strerror(errno)))"
    }
}
