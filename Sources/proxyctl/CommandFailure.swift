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
    /// What users can do next, as another line.
    let nextStep: String?

    init(_ message: String?, code: Code = .failed, nextStep: String? = nil) {
        self.message = message
        self.code = code
        self.nextStep = nextStep
    }

    var description: String { message ?? "" }
}
