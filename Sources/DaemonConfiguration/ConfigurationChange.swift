internal import ProxydConfigurationText

/// A key whose value differs between two configurations.
package struct ConfigurationChange: Sendable, Equatable {
    /// The key as `table.key`.
    package let path: String
    /// The previous value as TOML.
    package let old: String
    /// The new value as TOML.
    package let new: String
    /// When the new value takes effect.
    package let effect: ConfigurationKey.Effect

    /// Every key whose value differs, in the order of config/proxyd.toml.
    package static func between(_ old: Configuration, _ new: Configuration) -> [ConfigurationChange]
    {
        keys(old, new) + listeners(old.listen, new.listen)
            + tables("upstream", old.upstreams, new.upstreams) { $0.tomlText }
            + tables("client_certificate", old.clientCertificates, new.clientCertificates) {
                $0.tomlText
            }
    }

    private static func keys(
        _ old: Configuration, _ new: Configuration
    ) -> [ConfigurationChange] {
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

    /// The `[[listener]]` tables as one change: allowed clients take effect immediately, everything
    /// else after a restart.
    private static func listeners(
        _ old: Configuration.Listen, _ new: Configuration.Listen
    ) -> [ConfigurationChange] {
        guard old.tables != new.tables else { return [] }
        let isSamePlaces = old.tables.map(\.place) == new.tables.map(\.place)
        return [
            ConfigurationChange(
                path: "listener", old: text(old.tables), new: text(new.tables),
                effect: isSamePlaces ? .onReload : .onRestart)
        ]
    }

    /// An array of tables as one change, which takes effect immediately. A file that a table names
    /// may be all that differs.
    private static func tables<Table: Equatable>(
        _ path: String, _ old: [Table], _ new: [Table], _ text: (Table) -> String
    ) -> [ConfigurationChange] {
        guard old != new else { return [] }
        func all(_ tables: [Table]) -> String {
            "[" + tables.map(text).joined(separator: ", ") + "]"
        }
        return [
            ConfigurationChange(path: path, old: all(old), new: all(new), effect: .onReload)
        ]
    }

    private static func text(_ tables: [Configuration.ListenerTable]) -> String {
        "[" + tables.map(\.tomlText).joined(separator: ", ") + "]"
    }
}
