extension Configuration {
    /// Which program a client is.
    struct Attribution: Sendable, Equatable {
        /// Whether the kernel is asked which local program opened a connection.
        var isEnabled = true
    }
}
