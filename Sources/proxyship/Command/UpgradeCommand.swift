internal import ArgumentParser
internal import ProxydCentralStore
internal import ProxydPostgresLink
internal import ProxydProcessSetup

/// Adds what a newer version keeps to the tables of a central store.
struct UpgradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Add the columns of this version to a central store.",
        discussion: """
            It takes a moment, however full the store is. Programs of older versions go on \
            delivering and reading beside it; what they deliver has no values in the new columns. \
            The login must be a member of the team's role owner. It does nothing if the store has \
            all columns.
            """)

    @Option(help: ArgumentHelp("The database and schema.", valueName: "uri"))
    var store: String?

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        do throws(CentralError) {
            let location = try ConfigurationFiles(environment: ProcessEnvironment.current())
                .location(store, configuration.config)
            let connection = try PostgresConnection(location, program: "proxyship")
            let hasChanged = try CentralMigrator(connection).upgrade()
            print(hasChanged ? "the store was upgraded" : "the store has all columns already")
        } catch {
            ShippingLog.write(error.message)
            throw ExitCode.failure
        }
    }
}
