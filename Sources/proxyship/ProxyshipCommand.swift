internal import Capture
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydConfigurationText
internal import ProxydPostgresLink
internal import ProxydProcessSetup
internal import ArgumentParser
internal import Glibc

@main
struct ProxyshipCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxyship",
        abstract: "Delivers the exchanges that proxyd recorded to a central PostgreSQL store.",
        discussion: """
            The configuration file is --config, otherwise $XDG_CONFIG_HOME/proxyd/proxyship.toml,
            otherwise /etc/proxyd/proxyship.toml. Passwords are taken from ~/.pgpass or the file
            named by PGPASSFILE. SIGTERM and SIGINT stop after the current batch.
            """,
        version: Version.report,
        subcommands: [InitCommand.self, UpgradeCommand.self, IndexCommand.self, ServeCommand.self])

    @OptionGroup var configuration: ConfigurationOption

    @Flag(help: "Deliver everything and exit.")
    var once = false

    @Flag(help: "Say whether the central store can be reached and how much waits, and exit.")
    var status = false

    @Flag(help: "Let a copied store count as a store of its own, from now on.")
    var newIdentity = false

    /// EX_CONFIG of sysexits.h: there is a mistake in the configuration.
    static let configurationExit = ExitCode(78)

    func run() throws {
        StandardStreams.open()
        let files = ConfigurationFiles(environment: ProcessEnvironment.current())
        let signals = StopSignals()
        let plan = try plan(files)
        do throws(ShippingError) {
            if status {
                try StatusReport(plan: plan).write()
            } else {
                try Shipper(plan, signals).run()
            }
        } catch {
            ShippingLog.write(error.message)
            throw ExitCode.failure
        }
    }

    private func plan(_ files: ConfigurationFiles) throws -> Shipper.Plan {
        do {
            let configuration = try files.read(self.configuration.config)
            guard let directory = files.dataDirectory(configuration) else {
                throw ConfigurationError(
                    problems: [
                        ConfigurationProblem(
                            location: "data_dir", message: "missing, and HOME is not set")
                    ])
            }
            let location = try PostgresLocation(configuration.store ?? "")
            let name = configuration.name ?? MachineIdentity.hostName() ?? "proxyd"
            return Shipper.Plan(
                directory: directory, location: location, name: name,
                configuration: configuration, endsWhenDone: once, takesNewIdentity: newIdentity)
        } catch let error as ConfigurationError {
            for problem in error.problems { ShippingLog.write(problem.description) }
        } catch let error as CentralError {
            ShippingLog.write("shipping.store: \(error.message)")
        }
        throw ProxyshipCommand.configurationExit
    }
}

/// The option of the program and its commands. It is one group because the program takes its own
/// options wherever they are in the command line.
struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config: String?
}

/// `--status`: whether the central store can be reached, and how much is waiting.
struct StatusReport {
    let plan: Shipper.Plan

    /// Writes the report to standard output; fails if the central store cannot be reached.
    func write() throws(ShippingError) {
        let reader = try local { () throws(StoreError) in
            try StoreReader(directory: plan.directory)
        }
        let known = try local { () throws(StoreError) in try reader.deliveryState() }
        print("store      \(plan.directory.path)")
        print("name       \(plan.name)")
        var through = known.deliveredThrough ?? 0
        let reached = Result { () throws(ShippingError) in try centralState(known) }
        if case .success(let state?) = reached { through = state.throughID }
        let waiting = try local { () throws(StoreError) in
            try reader.exchangeCount(after: through)
        }
        print("waiting    \(waiting)")
        print("lost       \(known.undeliveredLost)")
        switch reached {
        case .success(let state?):
            print("delivered  \(state.delivered) as \(state.name), through \(state.throughID)")
            print("too old    \(state.skipped)")
            print("central    reachable")
        case .success(nil): print("central    reachable, nothing delivered yet")
        case .failure(let error):
            print("central    not reachable")
            throw error
        }
    }

    private func centralState(_ known: DeliveryState) throws(ShippingError) -> ShipperState? {
        try central { () throws(CentralError) in
            let connection = try PostgresConnection(plan.location, program: "proxyship")
            try CentralMigrator(connection).check()
            guard let storeID = known.storeID else { return nil }
            return try ShipperRegistry(connection).state(storeID: storeID, name: plan.name)
        }
    }
}

enum Version {
    /// The output of `--version`.
    static var report: String {
        """
        proxyship \(ProgramVersion.number)
        libpq \(PostgresLibrary.version)
        SQLite \(StoreLibrary.version)
        """
    }
}
