extension Configuration {
    /// The rules for traffic.
    package struct Rules: Sendable, Equatable {
        /// The rules file, or nil for `rules.toml` next to the configuration file.
        package var file: String?
    }
}
