internal import ArgumentParser
internal import ProxydCentralStore
internal import ProxydPostgresLink
internal import ProxydProcessSetup

/// Makes the schema of a team.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a team's schema, roles and tables, or print the SQL that does.",
        discussion: """
            The database is the one of shipping.store in the configuration, or --store. It runs \
            with the rights of who connects: making roles needs CREATEROLE, and the extension \
            pg_trgm a right that the database's owner has.
            """)

    @Option(help: "The team; its schema has this name.")
    var team: String

    @Option(help: ArgumentHelp("The database.", valueName: "uri"))
    var store: String?

    @OptionGroup var configuration: ConfigurationOption

    @Option(help: ArgumentHelp("Keep exchanges only so long, in days.", valueName: "days"))
    var retentionAgeDays: Int?

    @Flag(name: .customLong("print"), help: "Print the SQL instead of running it.")
    var printsOnly = false

    func validate() throws {
        if let days = retentionAgeDays, !ShippingConfiguration.retentionDays.contains(days) {
            throw ValidationError("--retention-age-days takes 1 to 36500")
        }
    }

    func run() throws {
        guard let sql = TeamSchema.sql(team: team, retentionAgeDays: retentionAgeDays) else {
            throw ValidationError(
                "a team is named by lower-case letters, digits and underscores, and starts with "
                    + "a letter")
        }
        guard !printsOnly else { return print(sql) }
        do throws(CentralError) {
            let connection = try PostgresConnection(
                try ConfigurationFiles(environment: ProcessEnvironment.current())
                    .location(store, configuration.config), program: "proxyship")
            try connection.execute(sql)
            print("the schema \(team) is ready")
        } catch {
            ShippingLog.write(error.message)
            throw ExitCode.failure
        }
    }
}
