extension Configuration {
    /// Which program a client is.
    package struct Attribution: Sendable, Equatable {
        /// Whether the kernel is asked which local program opened a connection.
        package var isEnabled = true
    }
}
