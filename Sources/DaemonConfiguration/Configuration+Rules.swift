extension Configuration {
    /// What is done to traffic.
    package struct Rules: Sendable, Equatable {
        /// The file of rules; nil for `rules.toml` beside the configuration file.
        package var file: String?
    }
}
