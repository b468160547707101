/// A program that rules run for messages; it is started once and runs as long as the proxy does.
public struct RuleScript: Sendable, Hashable {
    /// The program and how it is run. Scripts with equal values share a running program.
    public struct Program: Sendable, Hashable {
        /// The program and its arguments; never interpreted by a shell.
        public let command: [String]
        /// The maximum number of processes.
        public let workerCount: Int
        /// Absolute paths that it may read, in addition to the system and its own folder.
        public let readable: [String]
        /// Whether it may use the network.
        public let usesNetwork: Bool
        /// The maximum memory of each process and its descendants, in MiB.
        public let memoryMebibyteCount: Int
        /// The maximum number of processes and threads of each process and its descendants.
        public let processCount: Int
    }

    /// The default timeout for an answer, in milliseconds.
    static let timeoutMillisecondsByDefault = 5_000
    /// The timeouts that a file may set, in milliseconds.
    static let timeoutMillisecondsAllowed = 1...300_000
    /// The allowed numbers of processes per script.
    static let workerCountAllowed = 1...16
    /// The default memory in MiB.
    static let memoryMebibyteCountByDefault = 1_024
    /// The amounts of memory that a file may set, in MiB.
    static let memoryMebibyteCountAllowed = 16...1_048_576
    /// The default number of processes and threads.
    static let processCountByDefault = 128
    /// The numbers of processes and threads that a file may set.
    static let processCountAllowed = 1...100_000
    /// The maximum number of scripts in a file.
    static let countMax = 32
    /// The maximum number of words in a command.
    static let wordCountMax = 100

    /// The name that rules use: letters, digits, `-` and `_`.
    public let name: String
    /// The line of the file in which the script starts, from 1.
    public let line: Int
    /// The program to run.
    public let program: Program
    /// The timeout for an answer, in milliseconds.
    public let timeoutMilliseconds: Int
}
