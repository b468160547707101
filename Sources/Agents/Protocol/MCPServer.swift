public import ProxydCaptureModel
internal import ProxydExchangeContent
public import ProxydHTTPModel
internal import ProxydParameterCoding

/// Answers messages of the Model Context Protocol, in both of its eras. Remembers nothing between
/// messages, and does no I/O beyond that of its tools.
public struct MCPServer: Sendable {
    /// The most bytes of a message that are read.
    public static let messageByteCountMax = 16 << 20

    private let services: AgentServices
    private let tools: ToolCatalog
    private let resources: ResourceCatalog

    /// Creates a server.
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
        if ["tools/call", "resources/read"].contains(request.method) {
            services.commitEnded()
        }
        switch request.method {
        case "server/discover": return discovered
        case "ping": return []
        case "tools/list": return [("tools", tools.list)]
        case "tools/call": return try tools.call(request.parameters, cancellation)
        case "resources/list": return [("resources", resources.list)]
        case "resources/templates/list":
            return [("resourceTemplates", ResourceCatalog.templates)]
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
