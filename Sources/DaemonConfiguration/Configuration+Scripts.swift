extension Configuration {
    /// The programs that rules call.
    package struct Scripts: Sendable, Equatable {
        /// Whether scripts may do everything that the daemon's user may.
        package var isUnconfined = false
    }
}
