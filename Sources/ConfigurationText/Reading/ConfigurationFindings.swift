/// Collects what is wrong with a file, so that one run tells it all.
public final class ConfigurationFindings {
    /// The file's name, for messages.
    public let file: String
    private var findings: [(position: TextPosition, problem: ConfigurationProblem)] = []

    /// Nothing yet.
    public init(file: String) { self.file = file }

    /// Whether nothing was found.
    public var isEmpty: Bool { findings.isEmpty }

    /// Everything that was found, in the order of the file.
    public var problems: [ConfigurationProblem] {
        // Sorting keeps no order of its own among those of one place.
        findings.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element.problem)
    }

    /// Adds a problem.
    /// - Parameter location: what a person looks at instead of the file.
    public func report(
        _ message: String, at position: TextPosition, location: String? = nil
    ) {
        let problem = ConfigurationProblem(
            location: location ?? "\(file):\(position.line)", message: message)
        findings.append((position, problem))
    }

    /// Adds a problem with a key's value. Its line is the one within the value that is wrong.
    public func report(
        _ error: ConfigurationValueError, of name: String, at position: TextPosition
    ) {
        report("\(name): \(error.message)", at: error.position ?? position)
    }
}
