package import ProxydConfigurationText

extension Configuration {
    /// Reads and checks a file, and applies the command line's overrides.
    /// - Parameter file: nil for the built-in defaults.
    /// - Throws: all mistakes, including an unreadable file.
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
