/// Why a command ends without having done its work, with the exit code of the contract.
struct CommandFailure: Error, CustomStringConvertible {
    /// How the program ends.
    enum Code: Int32 {
        /// Nothing matched, or the operation failed.
        case failed = 1
        /// The arguments make no sense.
        case usage = 64
        /// A file of configuration or rules has mistakes.
        case configuration = 78
    }

    let code: Code
    /// One line for a person; nil where everything has been said.
    let message: String?

    init(_ message: String?, code: Code = .failed) {
        self.message = message
        self.code = code
    }

    var description: String { message ?? "" }
}
