package import ProxydConfigurationText

extension Configuration {
    /// Reads a file, checks it, and lets the command line's overrides go before it.
    /// - Parameter file: nil for the built-in defaults.
    /// - Throws: everything that is wrong, the unreadable file included.
    package static func load(
        file: String?,
        overrides: ConfigurationOverrides = ConfigurationOverrides()
    ) throws(ConfigurationError) -> Configuration {
        guard let file else {
            return try ConfigurationReader.read("", file: "defaults", overrides: overrides)
        }
        let text: String
        do {
            text = try ConfigurationFile.contents(of: file)
        } catch {
            throw ConfigurationError(error, of: file)
        }
        return try ConfigurationReader.read(text, file: file, overrides: overrides)
    }
}
