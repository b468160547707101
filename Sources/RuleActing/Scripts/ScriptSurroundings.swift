/// The environment in which scripts run.
public struct ScriptSurroundings: Sendable {
    /// The program that confines itself and becomes a script (`ConfinedCommand.become`).
    let launcher: String
    /// The absolute path of a folder that no script may read: it contains the authority, the store
    /// and the control socket. Each script has its own folder in it, which it may write to.
    let dataDirectory: String
    /// The absolute paths of other files that no script may read; they need not exist. Asked for
    /// before each question.
    let secrets: @Sendable () -> [String]
    /// Whether scripts are confined.
    let isConfined: Bool
    /// Receives errors and what scripts write to standard error; the text has not been made safe
    /// for printing.
    let log: @Sendable (_ script: String, _ text: String) -> Void

    /// Creates an environment.
    public init(
        launcher: String, dataDirectory: String, secrets: @escaping @Sendable () -> [String],
        isConfined: Bool,
        log: @escaping @Sendable (_ script: String, _ text: String) -> Void
    ) {
        self.launcher = launcher
        self.dataDirectory = dataDirectory
        self.secrets = secrets
        self.isConfined = isConfined
        self.log = log
    }
}
