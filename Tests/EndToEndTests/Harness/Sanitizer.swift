import Foundation

/// The compiler's sanitizers, with one of which the programs are built where scripts/test-asan or
/// scripts/test-tsan runs.
enum Sanitizer {
    /// Whether there is one: memory is then mostly its own, faults are its to report, and it does
    /// not begin everywhere.
    static let isThere = ProcessInfo.processInfo.environment["PROXYD_SANITIZED"] != nil
}
