extension Configuration {
    /// What programs are that rules ask.
    package struct Scripts: Sendable, Equatable {
        /// Whether they may do whatever the daemon's user may.
        package var isUnconfined = false
    }
}
