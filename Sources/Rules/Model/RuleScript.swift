/// A program that rules ask about messages: it runs as long as the proxy does.
public struct RuleScript: Sendable, Hashable {
    /// What it is and how it is run. Where this is the same, the program that runs is.
    public struct Program: Sendable, Hashable {
        /// The program and its arguments; never by a shell.
        public let command: [String]
        /// How many of it may run.
        public let workerCount: Int
        /// What it may read beside the system and its folder: absolute paths.
        public let readable: [String]
        /// Whether it may use the network.
        public let usesNetwork: Bool
    }

    /// The longest time to answer, in milliseconds, where nothing is said.
    static let timeoutMillisecondsByDefault = 5_000
    /// What may be said, in milliseconds.
    static let timeoutMillisecondsAllowed = 1...300_000
    /// How many of one may run.
    static let workerCountAllowed = 1...16
    /// Scripts of a file.
    static let countMax = 32
    /// Words of a command.
    static let wordCountMax = 100

    /// What rules call it: letters, digits, `-` and `_`.
    public let name: String
    /// The line of the file where it begins, from 1.
    public let line: Int
    /// What is run.
    public let program: Program
    /// The longest time to answer, in milliseconds.
    public let timeoutMilliseconds: Int
}
