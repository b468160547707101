internal import ProxydCentralStore
internal import ProxydPostgresLink
internal import ProxydProcessSetup
internal import ArgumentParser

/// Creates the schema of a team.
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

/// Adds what a newer version stores to the tables of a central store.
struct UpgradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade", abstract: "Add the columns of this version to a central store.",
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

/// Makes the bodies of some days searchable.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Index the bodies of a day, so that filters find text in them quickly.",
        discussion: """
            Filters find the same without it, but read each body. The index doubles what bodies \
            take, so a day is indexed only on request; what is delivered for it later is searched \
            without the index until the command runs again. The login must be a member of the \
            team's role owner.
            """)

    @Option(help: ArgumentHelp("A day in UTC, as 2026-11-26; may be repeated.", valueName: "day"))
    var day: [String]

    @Option(help: ArgumentHelp("The database and schema.", valueName: "uri"))
    var store: String?

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "Remove the index of the day instead.")
    var drop = false

    func validate() throws {
        guard !day.isEmpty else { throw ValidationError("name a day by --day") }
        for day in day where !IndexCommand.isDay(day) {
            throw ValidationError("--day takes a day such as 2026-11-26")
        }
    }

    private static func isDay(_ text: String) -> Bool {
        let lengths = text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count)
        return lengths == [4, 2, 2]
            && text.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }
    }

    func run() throws {
        do throws(CentralError) {
            let location = try ConfigurationFiles(environment: ProcessEnvironment.current())
                .location(store, configuration.config)
            let connection = try PostgresConnection(location, program: "proxyship")
            try CentralMigrator(connection).check()
            for day in day { try run(day, connection) }
        } catch {
            ShippingLog.write(error.message)
            throw ExitCode.failure
        }
    }

    private func run(_ day: String, _ connection: PostgresConnection) throws(CentralError) {
        let indexer = BodyIndexer(connection, day: day)
        guard !drop else {
            try indexer.drop()
            return print("\(day): the index was removed")
        }
        let outcome = try indexer.index()
        print(
            "\(day): \(outcome.textCount) bodies of \(outcome.exchangeCount) exchanges indexed, "
                + "\(outcome.leftOutCount) binary or long ones left out")
    }
}
