internal import ProxydConfigurationText
internal import ProxydRules

/// Why rules were not changed. Nothing has been written.
enum RulesFailure: Error {
    /// The errors in the rules, one per element.
    case mistakes([String])
    /// The change is impossible, no matter who requests it.
    case refused(String)
    /// The file cannot be written, or was changed in the meantime; the daemon's memory can be
    /// changed.
    case fileNotWritten(String)

    /// Creates the failure for errors found in a rules file.
    init(_ error: ConfigurationError) { self = .mistakes(error.problems.map(\.description)) }

    /// All of it as a one-line message for users.
    var words: String {
        switch self {
        case .mistakes(let problems): problems.joined(separator: "; ")
        case .refused(let words), .fileNotWritten(let words): words
        }
    }

    /// Prints all but the last line; the returned failure has that line and the exit code.
    func told() -> CommandFailure {
        guard case .mistakes(let problems) = self else { return CommandFailure(words) }
        for problem in problems.dropLast() { Report.warn(problem) }
        return CommandFailure(problems.last, code: .configuration)
    }
}
