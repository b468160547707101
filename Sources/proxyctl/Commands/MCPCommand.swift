internal import Capture
internal import ProxydAgents
internal import ProxydCaptureModel
internal import ProxydCentralStore
internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydProcessSetup
internal import ProxydSystem
internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// `proxyctl mcp`: serves AI agents over standard input and output.
struct MCPCommand: FileReading {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an AI agent read what was recorded.",
        discussion: """
            Speaks the Model Context Protocol over standard input and output; agents start it \
            themselves. It works beside a running daemon and without one, and ends when its input \
            ends. By default an agent can only read, and credentials are removed from everything \
            it gets.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reading: ReadOptions
    @OptionGroup var agents: AgentOptions

    func run() throws {
        let location = try reading.location(global)
        try MCPRun(location, try agents.policy()).serve()
    }
}

/// What agents may see and do; nothing but reading without credentials by default.
struct AgentOptions: ParsableArguments {
    @Flag(
        name: .customLong("allow-sql"),
        help: "Let agents run read-only SQL, which reads around the removal of credentials.")
    var allowsSQL = false
    @Option(
        name: .customLong("allow-replay"),
        help: ArgumentHelp(
            "Let agents send requests to these hosts again: api.test, *.test, 10.0.0.0/8, each "
                + "with or without a port; repeatable.", valueName: "host"))
    var replayHosts: [String] = []
    @Flag(name: .customLong("allow-annotations"), help: "Let agents change notes, tags and pins.")
    var allowsAnnotations = false
    @Option(
        name: [.customLong("export-to"), .customLong("export-directory")],
        help: ArgumentHelp("Let agents export into this directory.", valueName: "dir"))
    var exportDirectory: String?
    @Flag(name: .customLong("show-secrets"), help: "Show credentials to agents.")
    var showsSecrets = false
    @Option(
        name: .customLong("redact-header"),
        help: ArgumentHelp("Also hide the values of this field; repeatable.", valueName: "name"))
    var fieldNames: [String] = []
    @Option(
        name: .customLong("redact-parameter"),
        help: ArgumentHelp(
            "Also hide the values of this parameter; repeatable.", valueName: "name"))
    var parameterNames: [String] = []

    func validate() throws {
        if (fieldNames + parameterNames).contains("") {
            throw ValidationError("a name to hide must not be empty")
        }
        if showsSecrets, !(fieldNames + parameterNames).isEmpty {
            throw ValidationError("--show-secrets hides nothing, so no names can be added")
        }
        _ = try patterns()
    }

    var isUsed: Bool {
        allowsSQL || allowsAnnotations || showsSecrets || exportDirectory != nil
            || !(replayHosts + fieldNames + parameterNames).isEmpty
    }

    func policy() throws -> AgentPolicy {
        var policy = AgentPolicy()
        policy.allowsSQL = allowsSQL
        policy.allowsAnnotations = allowsAnnotations
        policy.showsSecrets = showsSecrets
        policy.hiddenNames = HiddenNames(fields: fieldNames, parameters: parameterNames)
        policy.exportDirectory = try exportDirectory.map(AgentOptions.existing)
        let patterns = try patterns()
        if !patterns.isEmpty {
            policy.allowsReplay = { host, port in
                patterns.contains { $0.matches(host: host, port: port) }
            }
        }
        return policy
    }

    private func patterns() throws -> [HostPattern] {
        do throws(ConfigurationValueError) {
            var patterns: [HostPattern] = []
            for text in replayHosts { patterns.append(try HostPattern(text)) }
            return patterns
        } catch {
            throw ValidationError("--allow-replay: \(error.message)")
        }
    }

    /// The absolute path of a directory that exists, so that an agent can find its files.
    private static func existing(_ path: String) throws -> String {
        var facts = stat()
        guard let absolute = realpath(path, nil), stat(path, &facts) == 0,
            facts.st_mode & S_IFMT == S_IFDIR
        else { throw CommandFailure("--export-to: there is no directory \(path)", code: .usage) }
        defer { free(absolute) }
        return String(cString: absolute)
    }
}

/// A conversation with an agent over standard input and output, with one JSON message per line.
struct MCPRun {
    private static let chunkByteCount = 64 << 10

    private let server: MCPServer

    init(_ location: StoreLocation, _ policy: AgentPolicy) {
        OwnerIdentity.assume(of: location.directory.path)
        server = MCPServer(.of(location, policy))
    }

    /// Answers until standard input ends.
    func serve() throws {
        Signals.unblock()
        let environment = Environment.current
        let output = Mutex(environment.output)
        let conversation = AgentConversation(server) { answer in
            output.withLock {
                $0.write(answer + [0x0A])
                $0.flush()
            }
        }
        guard conversation.start() else {
            throw CommandFailure("the system refuses to start a thread (see ulimit -u)")
        }
        var lines = LineCutter(byteCountMax: MCPServer.messageByteCountMax)
        while let chunk = MCPRun.read(environment.inputDescriptor) {
            for line in lines.receive(chunk.span) { MCPRun.deliver(line, to: conversation) }
        }
        if let last = lines.finish() { MCPRun.deliver(last, to: conversation) }
        conversation.finish()
    }

    private static func deliver(_ element: SplitElement, to conversation: AgentConversation) {
        guard case .bytes(let line) = element else { return conversation.refuseLongLine() }
        // Blank lines are not messages.
        if line.contains(where: { $0 > 0x20 }) { conversation.receive(line) }
    }

    /// The next bytes; nil at the end of the input.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkByteCount) { buffer, used in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, count)
            }
            if count > 0 { return chunk }
            if count < 0, errno == EINTR { continue }
            return nil
        }
    }
}

extension AgentServices {
    /// What agents need from the store of a data directory and its daemon.
    static func of(_ location: StoreLocation, _ policy: AgentPolicy) -> AgentServices {
        var services = AgentServices(
            openStore: { try location.reader(asksDaemon: false) },
            storeIdentity: { location.identity }, now: { SystemClock.wallNow() })
        services.commitEnded = { location.commitEnded() }
        services.actions = .of(location)
        services.policy = policy
        services.version = ProgramVersion.number
        services.sql = { statement, onColumns, onRow in
            guard let central = location.central else {
                return try AgentStatement(statement, location.directory).run(onColumns, onRow)
            }
            do throws(StoreError) {
                try central.sql(statement) {
                    onColumns($0)
                } onRow: {
                    onRow($0.map(SQLJSONPrinter.json))
                }
            } catch {
                throw AnswerProblem(error)
            }
        }
        return services
    }
}
