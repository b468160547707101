/// Everything that is wrong with a configuration; never empty.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// In the order of their lines.
    public let problems: [ConfigurationProblem]

    /// These problems.
    public init(problems: [ConfigurationProblem]) { self.problems = problems }

    /// A file as a whole is wrong.
    public init(_ error: ConfigurationValueError, of file: String) {
        self.init(problems: [ConfigurationProblem(location: file, message: error.message)])
    }

    /// One problem a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
