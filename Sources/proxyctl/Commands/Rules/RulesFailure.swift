internal import ProxydConfigurationText
internal import ProxydRules

/// Why rules were not changed. Nothing was written then.
enum RulesFailure: Error {
    /// What is wrong with them, a line each.
    case mistakes([String])
    /// It cannot be done, whoever asks.
    case refused(String)
    /// The file cannot be written, or was changed meanwhile; the daemon's memory can be changed.
    case fileNotWritten(String)

    /// What a file of rules was found to be.
    init(_ error: ConfigurationError) { self = .mistakes(error.problems.map(\.description)) }

    /// In words for a person, all in one line.
    var words: String {
        switch self {
        case .mistakes(let problems): problems.joined(separator: "; ")
        case .refused(let words), .fileNotWritten(let words): words
        }
    }

    /// Says all but the last line; the failure has that one and the exit status.
    func told() -> CommandFailure {
        guard case .mistakes(let problems) = self else { return CommandFailure(words) }
        for problem in problems.dropLast() { Report.warn(problem) }
        return CommandFailure(problems.last, code: .configuration)
    }
}
