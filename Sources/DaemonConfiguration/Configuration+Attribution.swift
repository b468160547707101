extension Configuration {
    /// How programs are attributed to clients.
    package struct Attribution: Sendable, Equatable {
        /// Whether the kernel is asked which local program opened a connection.
        package var isEnabled = true
    }
}
