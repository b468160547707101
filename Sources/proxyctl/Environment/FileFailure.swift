internal import FoundationEssentials
internal import Glibc

/// Why a file could not be read or written, for people.
enum FileFailure {
    /// The system's words for the number in an error of Foundation, or else the error as text.
    static func text(_ error: any Error) -> String {
        let cause = (error as? CocoaError)?.underlying ?? error
        guard let number = (cause as? POSIXError)?.code.rawValue else { return "\(error)" }
        return String(cString: strerror(number))
    }
}
