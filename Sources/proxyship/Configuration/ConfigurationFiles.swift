internal import Capture
internal import Glibc
internal import ProxydCentralStore
internal import ProxydConfigurationText
internal import ProxydPostgresLink

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

    /// The data directory of the configuration, or else the standard one.
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
