public import ProxydCaptureModel

/// What became of an expectation, a golden file, or the run as a whole.
public struct AssertionResult: Sendable {
    /// What was checked.
    public enum Kind: String, Sendable {
        /// The command that was run.
        case command
        /// Whether everything that happened is recorded.
        case recording
        /// Whether the scope has exchanges.
        case scope
        /// An expectation.
        case expect
        /// A golden file.
        case golden
    }

    /// What was checked.
    public let kind: Kind
    /// Its name.
    public let name: String
    /// Its line in the assertion file; nil for the command and the scope.
    public var line: Int?
    /// How many exchanges it is about.
    public var matchedCount = 0
    /// The duration of the slowest of them in nanoseconds.
    public var slowestNs: Int64 = 0
    /// What is wrong; empty if it holds.
    public var problems: [AssertionProblem] = []
    /// What to say though it holds, such as that a file was written.
    public var remark: String?

    /// Creates a result without problems.
    public init(kind: Kind, name: String, line: Int? = nil) {
        self.kind = kind
        self.name = name
        self.line = line
    }

    /// Whether nothing is wrong.
    public var holds: Bool { problems.isEmpty }
}

/// Something that is wrong, and the exchanges that show it.
public struct AssertionProblem: Sendable {
    /// The maximum number of exchanges that reports name.
    public static let namedCountMax = 10
    /// The maximum number of exchanges that are remembered for an export.
    static let keptCountMax = 1_000

    /// One line for people.
    public let message: String
    /// The part of the filter that failed, as it is written; nil if it is no filter.
    public var part: String?
    /// The exchanges, at most `keptCountMax`.
    public var rows: [ExchangeRow] = []
    /// How many exchanges there are in all.
    public var rowCount = 0
    /// Lines that say more, such as a comparison.
    public var details: [String] = []

    /// Creates a problem.
    public init(_ message: String, part: String? = nil) {
        self.message = message
        self.part = part
    }

    mutating func add(_ row: ExchangeRow) {
        rowCount += 1
        if rows.count < AssertionProblem.keptCountMax { rows.append(row) }
    }
}
