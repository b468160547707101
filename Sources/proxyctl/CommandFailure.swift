/// Why a command failed, with its documented exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit code of the program.
    enum Code: Int32 {
        /// Nothing matched, or the operation failed.
        case failed = 1
        /// The arguments are invalid.
        case usage = 64
        /// A configuration or rules file contains errors.
        case configuration = 78
    }

    let code: Code
    /// A one-line message for users, or nil if everything has already been printed.
    let message: String?

    init(_ message: String?, code: Code = .failed) {
        self.message = message
        self.code = code
    }

    var description: String { message ?? "" }
}
