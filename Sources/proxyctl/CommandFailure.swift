/// Why a command failed, with its documented exit code.
struct CommandFailure: Error, CustomStringConvertible {
    /// The exit code of the program.
    struct Code: RawRepresentable, Hashable, Sendable {
        /// What the program returns.
        let rawValue: Int32

        /// Nothing matched, or the operation failed.
        static let failed = Code(rawValue: 1)
        /// The arguments are invalid.
        static let usage = Code(rawValue: 64)
        /// An assertion file contains errors.
        static let data = Code(rawValue: 65)
        /// There is no store to make assertions on.
        static let noInput = Code(rawValue: 66)
        /// A configuration or rules file contains errors.
        static let configuration = Code(rawValue: 78)
        /// A program cannot be started, as in shells.
        static let notStarted = Code(rawValue: 126)
        /// A program does not exist, as in shells.
        static let notFound = Code(rawValue: 127)
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
