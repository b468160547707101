internal import Capture
internal import ProxydConfigurationText
internal import ProxydFilter

/// What `proxyship.toml` says.
struct ShippingConfiguration {
    /// The data directory of the store to deliver; nil for the standard one.
    var dataDirectory: String?
    /// Where the central store is.
    var store: String?
    /// The name that people see before the numbers of this store's exchanges.
    var name: String?
    /// Whether credentials are removed before anything leaves the machine.
    var redacts = true
    /// Which exchanges are delivered; nil for all.
    var filter: Filter?
    /// How long the team keeps exchanges, in days; nil forever.
    var retentionAgeDays: Int?

    /// How long exchanges may be kept, in days.
    static let retentionDays = 1...36_500

    /// Reads the text of a configuration file.
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
            table.report(
                "shipping.filter, column \(error.column): \(error.message)", at: "filter")
        }
    }

    /// The longest name, in bytes.
    static let nameByteCountMax = 63

    /// Names stand before a colon in `STORE:NUMBER`, and in filters.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameByteCountMax
            && name.utf8.allSatisfy {
                ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x41 && $0 <= 0x5A)
                    || ($0 >= 0x30 && $0 <= 0x39) || [0x2D, 0x2E, 0x5F].contains($0)
            }
    }
}
