internal import ProxydConfigurationText
package import ProxydFilter

extension Configuration.Recording {
    /// The filter for exchanges to record, or nil for all.
    package var parsedFilter: Filter? {
        filter.isEmpty ? nil : try? Filter.parse(filter)
    }
}

extension ConfigurationKey {
    /// Rejects a filter that cannot be parsed, or that uses facts that are not known when recording
    /// of an exchange starts.
    static func requireEarlyFilter(_ text: String) throws(ConfigurationValueError) {
        guard !text.isEmpty else { return }
        let filter: Filter
        do throws(FilterError) {
            filter = try Filter.parse(text)
        } catch {
            throw ConfigurationValueError("column \(error.column): \(error.message)")
        }
        if let late = filter.looks.first(where: { $0.moment > .requestHead }) {
            throw ConfigurationValueError(
                "column \(late.column): \(late.name) is not known when an exchange starts")
        }
    }
}
