internal import ProxydConfigurationText

/// A key whose value differs between two configurations.
package struct ConfigurationChange: Sendable, Equatable {
    /// `table.key`.
    package let path: String
    /// The value before, as TOML.
    package let old: String
    /// The value now, as TOML.
    package let new: String
    /// When the new value counts.
    package let effect: ConfigurationKey.Effect

    /// Every key whose value differs, in the order of config/proxyd.toml.
    package static func between(_ old: Configuration, _ new: Configuration) -> [ConfigurationChange]
    {
        ConfigurationKey.all.compactMap { key in
            let (before, after) = (key.tomlText(old), key.tomlText(new))
            guard before != after else { return nil }
            return ConfigurationChange(
                path: key.path,
                old: before,
                new: after,
                effect: key.effect
            )
        }
    }
}
