internal import Capture
internal import ProxydControl
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration

/// The daemon's settings for servers, for requests that are sent without it.
enum ServerRulesAccess {
    /// Returns the settings of the running daemon. If none is running, or it is too old to report
    /// them, reads the file `configurationFile`, or the one that a daemon would read.
    static func rules(
        _ directory: DataDirectory, configurationFile: String?
    ) throws -> ServerRules {
        if let told = try daemonRules(directory) { return told }
        let locator = ConfigurationLocator(environment: Environment.current.variables)
        do throws(ConfigurationError) {
            let file = locator.configurationFile(flag: configurationFile)
            return ServerRules(try Configuration.load(file: file))
        } catch {
            throw CommandFailure(error.description)
        }
    }

    private static func daemonRules(_ directory: DataDirectory) throws -> ServerRules? {
        guard let client = try StoreWriter.daemon(directory) else { return nil }
        let message: ServerRulesMessage
        do throws(ControlError) {
            message = try client.serverRules()
        } catch {
            if error.kind == .badMessage { return nil }
            throw CommandFailure(error.message)
        }
        do throws(ConfigurationValueError) {
            return try ServerRules(
                extraCAFiles: message.extraCAFiles, unverifiedHosts: message.unverifiedHosts,
                deniedNetworks: message.deniedNetworks)
        } catch {
            throw CommandFailure("cannot read the daemon's settings for servers: \(error.message)")
        }
    }
}
