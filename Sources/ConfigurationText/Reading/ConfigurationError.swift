/// All mistakes in a configuration; never empty.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The mistakes in the order of their lines.
    public let problems: [ConfigurationProblem]

    /// Creates an error from problems.
    public init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// A mistake that concerns a file as a whole.
    public init(_ error: ConfigurationValueError, of file: String) {
        self.init(problems: [ConfigurationProblem(location: file, message: error.message)])
    }

    /// The problems, one per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
