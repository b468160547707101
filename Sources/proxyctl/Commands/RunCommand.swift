internal import Capture
internal import ProxydCaptureModel
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydPresentation
internal import ProxydSystem
internal import ArgumentParser

/// `proxyctl run`: starts a program whose traffic is recorded.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a command that uses the proxy and trusts its authority.",
        discussion: """
            The command gets an environment with http_proxy, https_proxy and the variables for \
            trusted certificates of curl, OpenSSL, Python, Ruby, git, cargo, Node, Deno and Java. \
            It uses the running daemon of the data directory; if there is none, proxyd runs as \
            long as the command does. The exit code is that of the command, 126 or 127 if it \
            cannot be started.

            --tag marks everything that proxyd records while the command runs, also of other \
            clients: 'run --tag before -- make test', later 'run --tag after -- make test', and \
            'compare tag=before tag=after' shows what has changed.
            """)

    @OptionGroup var global: GlobalOptions
    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp(
            "Add a tag to what is recorded meanwhile; may be repeated.", valueName: "name"))
    var tags: [String] = []
    @Argument(parsing: .postTerminator, help: "The command and its arguments.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("give a command: proxyctl run -- COMMAND …") }
        if tags.contains("") { throw ValidationError("a tag must not be empty") }
    }

    func run() throws {
        let directory = try global.dataDirectory()
        let point = try LaunchPoint(directory)
        defer { point.end() }
        Report.warn("\(command[0]) uses \(point.description); data in \(directory.path)")
        let span = tags.isEmpty ? nil : RecordedSpan(directory)
        let exitCode = try point.program.run(command)
        do {
            try span?.tag(tags)
        } catch {
            // The exit code is that of the command.
            guard exitCode != 0 else { throw error }
            Report.warn("nothing was tagged: \(error)")
        }
        if exitCode != 0 { throw CommandFailure(nil, code: .init(rawValue: exitCode)) }
    }
}

/// What a daemon records from the moment in which this is made.
struct RecordedSpan {
    private let directory: DataDirectory
    private let startedAtNs = SystemClock.wallNow()
    private let last: ExchangeID

    /// - Parameter directory: That of a running daemon: no file is created there.
    init(_ directory: DataDirectory) {
        self.directory = directory
        DaemonFlush.commitEnded(directory)
        let newest = try? StoreReader(directory: directory).lastExchangeID()
        last = newest ?? ExchangeID(rawValue: 0)
    }

    /// Adds tags to what was recorded until now, and says to how much.
    func tag(_ tags: [String]) throws {
        try DaemonFlush.wait(for: directory)
        let reader: any ExchangeReading = try StoreOpener.reader(directory)
        var changes: [AnnotationChange] = []
        try reader.forEachRow(matching: .everything, .after(last)) { row in
            // An exchange that was under way before may be stored only now.
            if row.startedAtNs >= startedAtNs {
                changes.append(AnnotationChange(id: row.id, addedTags: tags))
            }
            return true
        }
        if !changes.isEmpty { try StoreChanger.open(directory).annotate(changes) }
        let count = Quantity.count(changes.count, "exchange")
        Report.warn("tagged \(count): \(tags.joined(separator: ", "))")
    }
}

/// `proxyctl browser`: starts a browser whose traffic is recorded.
struct BrowserCommand: ParsableCommand {
    /// The browsers with a profile of their own.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case chromium
        case firefox
    }

    static let configuration = CommandConfiguration(
        commandName: "browser",
        abstract: "Start a browser that uses the proxy and trusts its authority.",
        discussion: """
            The browser has an empty profile of its own, which is deleted when it ends; the user's \
            own profile is neither used nor changed. Arguments after -- go to the browser: \
            addresses to open, or options such as --headless. It uses the running daemon of the \
            data directory; if there is none, proxyd runs as long as the browser does.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(
        help: ArgumentHelp(
            "chromium or firefox. (default: the first that is installed)", valueName: "browser"))
    var kind: Kind?
    @Argument(parsing: .postTerminator, help: "Arguments for the browser.")
    var arguments: [String] = []

    func run() throws {
        let installed = try InstalledBrowser(kind)
        let directory = try global.dataDirectory()
        let point = try LaunchPoint(directory)
        defer { point.end() }
        let profile = try BrowserProfile(installed.kind, point, directory)
        Report.warn("\(installed.path) uses \(point.description); data in \(directory.path)")
        let command = [installed.path] + profile.arguments + arguments
        let exitCode = try point.program.run(command, adding: profile.variables)
        if exitCode != 0 { throw CommandFailure(nil, code: .init(rawValue: exitCode)) }
    }
}

/// A browser in the search path.
struct InstalledBrowser {
    let kind: BrowserCommand.Kind
    let path: String

    private static let names: [(BrowserCommand.Kind, [String])] = [
        (
            .chromium,
            [
                "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
                "brave-browser", "microsoft-edge",
            ]
        ),
        (.firefox, ["firefox", "firefox-esr", "librewolf"]),
    ]

    /// Finds a browser of a kind, or of any kind.
    init(_ wanted: BrowserCommand.Kind?) throws {
        let runner = Environment.current.runner
        for (kind, names) in InstalledBrowser.names where wanted.map({ $0 == kind }) ?? true {
            guard let path = names.lazy.compactMap(runner.find).first else { continue }
            self.kind = kind
            self.path = path
            return
        }
        throw CommandFailure(
            "\(wanted?.rawValue ?? "neither chromium nor firefox") is not installed: "
                + "apt-get install \(wanted == .firefox ? "firefox-esr" : "chromium")",
            code: .notFound)
    }
}
