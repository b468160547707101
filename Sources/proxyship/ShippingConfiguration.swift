internal import Capture
internal import ProxydCentralStore
internal import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydPostgresLink
internal import Glibc

/// The contents of `proxyship.toml`.
struct ShippingConfiguration {
    /// The data directory of the store to deliver; nil for the default one.
    var dataDirectory: String?
    /// Where the central store is.
    var store: String?
    /// The name shown before the numbers of this store's exchanges.
    var name: String?
    /// Whether credentials are removed before anything leaves the machine.
    var redacts = true
    /// Which exchanges are delivered; nil for all.
    var filter: Filter?
    /// How long the team keeps exchanges, in days; nil forever.
    var retentionAgeDays: Int?

    /// How long exchanges may be kept, in days.
    static let retentionDays = 1...36_500

    static func read(
        _ text: String, file: String
    ) throws(ConfigurationError) -> ShippingConfiguration {
        try TableReader.read(text, file: file) { top in
            var configuration = ShippingConfiguration()
            configuration.dataDirectory = top.value("data_dir", as: String?.self) ?? nil
            if var table = top.table("shipping") {
                configuration.read(&table)
                table.finish()
            }
            return configuration
        }
    }

    private mutating func read(_ table: inout TableReader) {
        store = table.required("store")
        name = table.value("name", as: String.self)
        redacts = table.value("redact") ?? redacts
        if let name, !ShippingConfiguration.isName(name) {
            table.report(
                "shipping.name: expected letters, digits, dots, hyphens and underscores", at: "name"
            )
        }
        readFilter(&table)
        retentionAgeDays = table.value("retention_age_days")
        if let days = retentionAgeDays, !ShippingConfiguration.retentionDays.contains(days) {
            table.report(
                "shipping.retention_age_days: expected 1 to 36500", at: "retention_age_days")
        }
    }

    private mutating func readFilter(_ table: inout TableReader) {
        guard let text = table.value("filter", as: String.self), !text.isEmpty else { return }
        do {
            filter = try Filter.parse(text)
        } catch {
            table.report("shipping.filter, column \(error.column): \(error.message)", at: "filter")
        }
    }

    static let nameByteCountMax = 63

    /// Names precede a colon in `STORE:NUMBER`, and appear in filters.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameByteCountMax
            && name.utf8.allSatisfy {
                ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x41 && $0 <= 0x5A)
                    || ($0 >= 0x30 && $0 <= 0x39) || [0x2D, 0x2E, 0x5F].contains($0)
            }
    }
}

/// Finds the configuration and the data directory.
struct ConfigurationFiles {
    let environment: [String: String]

    /// The file named by `--config`, or else the first that exists of
    /// `$XDG_CONFIG_HOME/proxyd/proxyship.toml` and `/etc/proxyd/proxyship.toml`.
    func read(_ flag: String?) throws(ConfigurationError) -> ShippingConfiguration {
        guard let file = flag ?? standard.first(where: { access($0, F_OK) == 0 }) else {
            throw ConfigurationError(
                problems: [
                    ConfigurationProblem(
                        location: standard.last ?? "proxyship.toml",
                        message: "there is no configuration; name one with --config")
                ])
        }
        do {
            return try ShippingConfiguration.read(
                try ConfigurationFile.contents(of: file), file: file)
        } catch let error as ConfigurationError {
            throw error
        } catch let error as ConfigurationValueError {
            throw ConfigurationError(error, of: file)
        } catch {
            throw ConfigurationError(problems: [])
        }
    }

    private var standard: [String] {
        let home = environment["HOME"].map { $0 + "/.config" }
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
        return [base, "/etc"].compactMap { $0 }.map { $0 + "/proxyd/proxyship.toml" }
    }

    /// The configured data directory, or else the default one.
    func dataDirectory(_ configuration: ShippingConfiguration) -> DataDirectory? {
        configuration.dataDirectory.map(DataDirectory.init(path:))
            ?? DataDirectory.standard(environment: environment)
    }

    /// The database that `--store` names, or else `shipping.store` of the configuration.
    func location(_ store: String?, _ file: String?) throws(CentralError) -> PostgresLocation {
        if let store { return try PostgresLocation(store) }
        let unnamed = CentralError.location("name the database by --store or shipping.store")
        guard file != nil || standard.contains(where: { access($0, F_OK) == 0 }) else {
            throw unnamed
        }
        let configuration: ShippingConfiguration
        do throws(ConfigurationError) {
            configuration = try read(file)
        } catch {
            throw .location(error.problems.map(\.description).joined(separator: "; "))
        }
        guard let configured = configuration.store else { throw unnamed }
        return try PostgresLocation(configured)
    }
}
