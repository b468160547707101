public import ProxydCaptureModel
internal import ProxydExchangeContent
public import ProxydHTTPModel
public import ProxydOperations
public import ProxydParameterCoding
internal import ProxydSystem
internal import Synchronization

/// Answers messages of the Model Context Protocol, in both of its eras. Remembers nothing between
/// messages, and does no I/O beyond that of its tools.
public struct MCPServer: Sendable {
    public static let messageByteCountMax = 16 << 20

    private let services: AgentServices
    private let tools: ToolCatalog
    private let resources: ResourceCatalog

    public init(_ services: AgentServices) {
        self.services = services
        let store = AgentStore(services)
        tools = ToolCatalog(services, store)
        resources = ResourceCatalog(services, store)
    }

    // MARK: Messages

    /// Answers a message; nil if it needs no answer. May block; `cancellation` ends its reads.
    public func answer(_ message: [UInt8], cancellation: ReadCancellation) -> [UInt8]? {
        do throws(RPCRejection) {
            guard case .request(let request) = try RPCMessage(message) else { return nil }
            return MCPServer.text(answer(request, cancellation))
        } catch {
            return MCPServer.text(error.response)
        }
    }

    /// Answers the body of a POST. The answer to a notification has the status 202 and no body.
    public func answer(
        post body: [UInt8], _ fields: HeaderFields, cancellation: ReadCancellation
    ) -> (status: Int, body: [UInt8]) {
        do throws(RPCRejection) {
            guard case .request(let request) = try RPCMessage(body) else { return (202, []) }
            do throws(RPCError) {
                try HTTPEnvelope(fields).check(request)
                let result = try result(of: request, cancellation)
                return (200, MCPServer.text(MCPServer.response(result, to: request)))
            } catch {
                // Clients of the older era expect errors of JSON-RPC with status 200.
                let status = request.statedVersion == nil ? 200 : error.httpStatus
                return (status, MCPServer.text(error.response(to: request.id)))
            }
        } catch {
            return (error.error.httpStatus, MCPServer.text(error.response))
        }
    }

    /// The ID of the request that a message cancels, as JSON text; nil for other messages.
    static func cancelledID(_ message: RPCMessage) -> [UInt8]? {
        guard case .notification("notifications/cancelled", let parameters) = message else {
            return nil
        }
        return parameters["requestId"].map(text)
    }

    func answer(_ request: RPCRequest, _ cancellation: ReadCancellation) -> JSONValue {
        do throws(RPCError) {
            return MCPServer.response(try result(of: request, cancellation), to: request)
        } catch {
            return error.response(to: request.id)
        }
    }

    private static func response(_ result: JSONValue, to request: RPCRequest) -> JSONValue {
        .members([("jsonrpc", .string("2.0")), ("id", request.id), ("result", result)])
    }

    static func text(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONText.write(value, into: &bytes)
        return bytes
    }

    // MARK: Methods

    private func result(
        of request: RPCRequest, _ cancellation: ReadCancellation
    ) throws(RPCError) -> JSONValue {
        guard let version = request.statedVersion else {
            if request.method == "initialize" { return initialized(request.parameters) }
            return .members(try members(of: request, cancellation))
        }
        guard let version = version.text else {
            throw RPCError(.invalidParameters, "\(MetaKey.protocolVersion) must be a string")
        }
        guard version == ProtocolVersion.current else { throw .unsupported(version) }
        guard case .object? = request.parameters["_meta"]?[MetaKey.clientCapabilities] else {
            throw RPCError(.invalidParameters, "\(MetaKey.clientCapabilities) must be an object")
        }
        var members = [("resultType", JSONValue.string("complete"))]
        members += try self.members(of: request, cancellation)
        if let scope = MCPServer.cacheScopes[request.method] {
            members += [("ttlMs", .integer(scope.ttlMs)), ("cacheScope", .string(scope.name))]
        }
        members.append(("_meta", .members([(MetaKey.serverInfo, serverInfo)])))
        return .members(members)
    }

    /// How long clients may keep results, and for whom; results of other methods have neither.
    private static let cacheScopes: [String: (name: String, ttlMs: Int)] = [
        "server/discover": ("private", 60_000), "tools/list": ("private", 60_000),
        "prompts/list": ("private", 60_000), "resources/list": ("private", 60_000),
        "resources/templates/list": ("private", 60_000), "resources/read": ("private", 0),
    ]

    private func members(
        of request: RPCRequest, _ cancellation: ReadCancellation
    ) throws(RPCError) -> [(String, JSONValue)] {
        if ["tools/call", "resources/read"].contains(request.method) { services.commitEnded() }
        switch request.method {
        case "server/discover": return discovered
        case "ping": return []
        case "tools/list": return [("tools", tools.list)]
        case "tools/call": return try tools.call(request.parameters, cancellation)
        case "resources/list": return [("resources", resources.list)]
        case "resources/templates/list": return [("resourceTemplates", ResourceCatalog.templates)]
        case "resources/read": return try resources.read(request.parameters, cancellation)
        case "prompts/list": return [("prompts", PromptCatalog.list)]
        case "prompts/get": return try PromptCatalog.get(request.parameters)
        default: throw RPCError(.unknownMethod, "there is no method \(request.method.prefix(100))")
        }
    }

    private func initialized(_ parameters: JSONValue) -> JSONValue {
        let version = ProtocolVersion.negotiated(for: parameters["protocolVersion"]?.text)
        return .members([
            ("protocolVersion", .string(version)), ("capabilities", MCPServer.capabilities),
            ("serverInfo", serverInfo), ("instructions", .string(instructions)),
        ])
    }

    private var discovered: [(String, JSONValue)] {
        [
            ("supportedVersions", .strings(ProtocolVersion.all)),
            ("capabilities", MCPServer.capabilities), ("instructions", .string(instructions)),
        ]
    }

    private var instructions: String { ServerInstructions.text(services.policy) }

    private var serverInfo: JSONValue {
        .members([
            ("name", .string("proxyd")), ("title", .string("proxyd captures")),
            ("version", .string(services.version)),
        ])
    }

    private static let capabilities = JSONValue.members([
        ("tools", .object([])), ("resources", .object([])), ("prompts", .object([])),
    ])
}

/// What agents need from the program that serves them.
public struct AgentServices: Sendable {
    /// Runs a read-only SQL statement: passes on the names of its columns once, then its rows until
    /// the second closure returns false. A `ReadCancellation` ends it. Throws an error message for
    /// the user.
    public typealias SQLRunner =
        @Sendable (
            _ statement: String, _ onColumns: ([String]) -> Void, _ onRow: ([JSONValue]) -> Bool
        ) throws -> Void

    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Tells the store's file apart from one that replaces it; nil if there is no file.
    public var storeIdentity: @Sendable () -> UInt64?
    /// Lets a running daemon commit what has ended, before a tool is called or a resource is read;
    /// returns soon in any case.
    public var commitEnded: @Sendable () -> Void = {}
    /// The current time in nanoseconds since 1970.
    public var now: @Sendable () -> Int64
    /// What the program can do; `policy` decides which of these actions agents may use.
    public var actions = HostActions()
    /// Nil if the store does not support SQL.
    public var sql: SQLRunner?
    public var policy = AgentPolicy()
    public var version = ""

    /// Creates services that only read, without credentials.
    public init(
        openStore: @escaping @Sendable () throws -> any ExchangeReading,
        storeIdentity: @escaping @Sendable () -> UInt64?, now: @escaping @Sendable () -> Int64
    ) {
        self.openStore = openStore
        self.storeIdentity = storeIdentity
        self.now = now
    }
}

/// What agents may see and do: by default, they read, and see no credentials.
public struct AgentPolicy: Sendable {
    public var showsSecrets = false
    /// Names of fields and parameters that are hidden besides those that always are.
    public var hiddenNames = HiddenNames()
    /// Whether SQL may be run; its results may show credentials despite the redaction.
    public var allowsSQL = false
    /// Whether a request may be sent again to a host and port; nil if none may.
    public var allowsReplay: (@Sendable (_ host: String, _ port: UInt16) -> Bool)?
    public var allowsAnnotations = false
    /// Nil if agents may not export.
    public var exportDirectory: String?

    public init() {}
}

/// A conversation in lines, as over standard input and output: answers requests one after the other
/// on a thread of its own, so that a request can be cancelled while it is being answered.
public final class AgentConversation: Sendable {
    private static let stackByteCount = 4 << 20
    /// The most requests that wait or are being answered; with that many, `receive` blocks.
    private static let waitingCountMax = 64

    private struct Waiting {
        let request: RPCRequest
        let cancellation: ReadCancellation
    }

    private struct State {
        var waiting: [Waiting] = []
        var answered: Waiting?
        var isFinished = false
    }

    private let server: MCPServer
    private let send: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())
    private let hasWork = Semaphore()
    private let hasRoom = Semaphore()
    private let isDone = Semaphore()

    /// - Parameter send: Writes an answer, without a line end; called from two threads.
    public init(_ server: MCPServer, send: @escaping @Sendable ([UInt8]) -> Void) {
        self.server = server
        self.send = send
        for _ in 0..<AgentConversation.waitingCountMax { hasRoom.signal() }
    }

    /// Starts answering; returns false if the system refuses to start a thread.
    public func start() -> Bool {
        startDetachedThread(stackByteCount: AgentConversation.stackByteCount) { self.run() }
    }

    /// Takes a line from the client, without its line end.
    public func receive(_ line: [UInt8]) {
        do throws(RPCRejection) {
            let message = try RPCMessage(line)
            if case .request(let request) = message {
                add(Waiting(request: request, cancellation: ReadCancellation()))
            } else if let id = MCPServer.cancelledID(message) {
                cancel(id)
            }
        } catch {
            send(MCPServer.text(error.response))
        }
    }

    public func refuseLongLine() {
        let error = RPCError(
            .invalidRequest, "a message may have at most \(MCPServer.messageByteCountMax) bytes")
        send(MCPServer.text(error.response(to: .null)))
    }

    /// Waits until all requests are answered, and ends the thread.
    public func finish() {
        state.withLock { $0.isFinished = true }
        hasWork.signal()
        isDone.wait()
    }

    private func add(_ waiting: Waiting) {
        hasRoom.wait()
        state.withLock { $0.waiting.append(waiting) }
        hasWork.signal()
    }

    /// Ends the reads of a request. A request that still waits is answered as cancelled.
    private func cancel(_ id: [UInt8]) {
        let found = state.withLock { state in
            (state.waiting + [state.answered].compactMap(\.self)).first {
                MCPServer.text($0.request.id) == id
            }
        }
        found?.cancellation.cancel()
    }

    private func run() {
        while let next = next() {
            send(MCPServer.text(server.answer(next.request, next.cancellation)))
            state.withLock { $0.answered = nil }
            hasRoom.signal()
        }
        isDone.signal()
    }

    /// Waits for the next request; nil after the last one.
    private func next() -> Waiting? {
        while true {
            let (next, isFinished) = state.withLock { state in
                let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                state.answered = next
                return (next, state.isFinished)
            }
            if let next { return next }
            if isFinished { return nil }
            hasWork.wait()
        }
    }
}
