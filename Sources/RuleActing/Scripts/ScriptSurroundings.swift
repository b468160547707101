/// What scripts are run with.
public struct ScriptSurroundings: Sendable {
    /// The program that becomes a script, confined (`ConfinedCommand.become`).
    let launcher: String
    /// What no script may read, an absolute path: there are the authority, the store and the
    /// control socket. Each script has a folder of its own in it, which it may write.
    let dataDirectory: String
    /// Whether scripts are confined.
    let isConfined: Bool
    /// Hears what went wrong, and what scripts write to standard error: text that is not safe to
    /// print yet.
    let log: @Sendable (_ script: String, _ text: String) -> Void

    /// What scripts are run with.
    public init(
        launcher: String, dataDirectory: String, isConfined: Bool,
        log: @escaping @Sendable (_ script: String, _ text: String) -> Void
    ) {
        self.launcher = launcher
        self.dataDirectory = dataDirectory
        self.isConfined = isConfined
        self.log = log
    }
}
