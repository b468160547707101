internal import ArgumentParser
internal import ProxydCentralStore
internal import ProxydPostgresLink
internal import ProxydProcessSetup

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

    @Option(
        help: ArgumentHelp(
            "A day in UTC, as 2026-11-26; may be repeated.", valueName: "day"))
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
