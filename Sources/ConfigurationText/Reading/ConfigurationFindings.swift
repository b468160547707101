/// Collects all mistakes in a file, so that one run reports them all.
public final class ConfigurationFindings {
    /// The file's name, for messages.
    public let file: String
    private var findings: [(position: TextPosition, problem: ConfigurationProblem)] = []

    /// Creates an empty collection.
    public init(file: String) { self.file = file }

    /// Whether no mistake was found.
    public var isEmpty: Bool { findings.isEmpty }

    /// All mistakes, in the order of the file.
    public var problems: [ConfigurationProblem] {
        // Sorting is not stable, so the index keeps the order of mistakes at the same position.
        findings.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element.problem)
    }

    /// Adds a mistake.
    /// - Parameter location: replaces the file name in the message.
    public func report(
        _ message: String, at position: TextPosition, location: String? = nil
    ) {
        let problem = ConfigurationProblem(
            location: location ?? "\(file):\(position.line)", message: message)
        findings.append((position, problem))
    }

    /// Adds a mistake in a key's value, at the line within the value that is wrong.
    public func report(
        _ error: ConfigurationValueError, of name: String, at position: TextPosition
    ) {
        report("\(name): \(error.message)", at: error.position ?? position)
    }
}
