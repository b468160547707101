internal import ProxydConfigurationText

/// One key of the configuration file and the property it sets.
package struct ConfigurationKey: Sendable {
    /// Where a value is kept.
    typealias Property<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    /// When a changed value takes effect.
    package enum Effect: Sendable {
        /// After SIGHUP.
        case onReload
        /// After a restart.
        case onRestart
    }

    /// `table.key`, or `key` at the top level.
    let path: String
    /// When a changed value takes effect.
    let effect: Effect
    /// Sets the property from a value in the file.
    let read: @Sendable (TOMLNode, inout Configuration) throws(ConfigurationValueError) -> Void
    /// The property as TOML.
    let tomlText: @Sendable (Configuration) -> String

    /// A key that accepts every value of its type, except those that `check` rejects.
    init<Value: ConfigurationValue>(
        _ path: String,
        _ property: Property<Value>,
        _ effect: Effect,
        check: @escaping @Sendable (Value) throws(ConfigurationValueError) -> Void = { _ in }
    ) {
        self.path = path
        self.effect = effect
        read = { (node, configuration) throws(ConfigurationValueError) in
            let value = try Value(toml: node)
            try check(value)
            configuration[keyPath: property] = value
        }
        tomlText = { $0[keyPath: property].tomlText }
    }

    /// A key that accepts the integers in a range.
    init(
        _ path: String,
        _ property: Property<Int>,
        _ range: ClosedRange<Int>,
        _ effect: Effect
    ) {
        self.init(path, property, effect) { (number) throws(ConfigurationValueError) in
            guard range.contains(number) else {
                throw ConfigurationValueError(
                    "expected \(range.lowerBound) to \(range.upperBound), found \(number)"
                )
            }
        }
    }

    /// Rejects a path that would depend on the directory where the daemon was started, or that the
    /// system would cut at a NUL.
    static func requireAbsolute(_ path: String) throws(ConfigurationValueError) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ConfigurationValueError("expected an absolute path, found \"\(path)\"")
        }
    }
}
