internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// A message of JSON-RPC 2.0 from a client.
enum RPCMessage {
    case request(RPCRequest)
    case notification(method: String, parameters: JSONValue)
    /// A response; it is ignored, because this server sends no requests.
    case response

    private static let depthMax = 64

    /// Parses a message. Throws what to answer, with the ID of the request if that is known.
    init(_ bytes: [UInt8]) throws(RPCRejection) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            var limits = JSONLimits()
            limits.depthMax = RPCMessage.depthMax
            value = try JSONReader(limits: limits).read(bytes)
        } catch {
            throw RPCRejection(RPCError(.notJSON, "the message is not JSON: \(error)"))
        }
        try self.init(value)
    }

    private init(_ value: JSONValue) throws(RPCRejection) {
        guard case .object = value else {
            throw RPCRejection(
                RPCError(.invalidRequest, "a message must be one object; there are no batches"))
        }
        let id = try RPCMessage.id(value)
        guard value["jsonrpc"]?.text == "2.0" else {
            throw RPCRejection(RPCError(.invalidRequest, "jsonrpc must be \"2.0\""), id)
        }
        guard let method = value["method"]?.text else {
            guard value["method"] == nil, value["result"] != nil || value["error"] != nil else {
                throw RPCRejection(RPCError(.invalidRequest, "method must be a string"), id)
            }
            self = .response
            return
        }
        let parameters = value["params"] ?? .object([])
        guard case .object = parameters else {
            throw RPCRejection(RPCError(.invalidRequest, "params must be an object"), id)
        }
        guard let id else {
            self = .notification(method: method, parameters: parameters)
            return
        }
        self = .request(RPCRequest(id: id, method: method, parameters: parameters))
    }

    /// The ID of a request; nil for a notification.
    private static func id(_ value: JSONValue) throws(RPCRejection) -> JSONValue? {
        switch value.members.first(where: { $0.name == "id" })?.value {
        case nil: return nil
        case .string(let text)?: return .string(text)
        case .number(let digits)? where Int64(digits) != nil: return .number(digits)
        default: throw RPCRejection(RPCError(.invalidRequest, "id must be a string or an integer"))
        }
    }
}

struct RPCRequest {
    /// A string or an integer.
    let id: JSONValue
    let method: String
    let parameters: JSONValue

    /// The protocol version that the request states; nil in the era of `initialize`.
    var statedVersion: JSONValue? { parameters["_meta"]?[MetaKey.protocolVersion] }
}

/// A message that is answered with an error.
struct RPCRejection: Error {
    let error: RPCError
    /// Nil if it is unknown.
    let id: JSONValue?

    init(_ error: RPCError, _ id: JSONValue? = nil) {
        self.error = error
        self.id = id
    }

    var response: JSONValue { error.response(to: id ?? .null) }
}

/// An error response of JSON-RPC 2.0, for messages that are invalid themselves. What fails inside
/// a tool is a `ToolProblem`.
struct RPCError: Error, Hashable {
    /// The codes of JSON-RPC, and those of the Model Context Protocol: -32020 and below.
    enum Code: Int {
        case notJSON = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParameters = -32602
        case headerMismatch = -32020
        case unsupportedVersion = -32022
    }

    let code: Code
    let message: String
    var data: JSONValue?

    init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    static func unsupported(_ version: String) -> RPCError {
        RPCError(
            .unsupportedVersion, "this protocol version is not supported",
            data: .members([
                ("supported", .strings(ProtocolVersion.all)),
                ("requested", .string(String(version.prefix(100)))),
            ]))
    }

    var httpStatus: Int { code == .unknownMethod ? 404 : 400 }

    /// The response to the request with this ID, which is null if it is unknown.
    func response(to id: JSONValue) -> JSONValue {
        var error: [(String, JSONValue)] = [
            ("code", .integer(code.rawValue)), ("message", .string(message)),
        ]
        if let data { error.append(("data", data)) }
        return .members([("jsonrpc", .string("2.0")), ("id", id), ("error", .members(error))])
    }
}

/// The revisions of the Model Context Protocol, in two eras: since 2026-07-28 each request states
/// its version, and nothing is remembered between requests; before, `initialize` negotiated one.
enum ProtocolVersion {
    static let current = "2026-07-28"
    /// The versions that `initialize` can agree on, newest first.
    static let negotiated = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// Newest first.
    static let all = [current] + negotiated

    /// The version for a client that asked for one with `initialize`.
    static func negotiated(for wanted: String?) -> String {
        wanted.flatMap { negotiated.contains($0) ? $0 : nil } ?? negotiated[0]
    }
}

/// The keys of `_meta` that the protocol defines.
enum MetaKey {
    static let protocolVersion = "io.modelcontextprotocol/protocolVersion"
    static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    static let serverInfo = "io.modelcontextprotocol/serverInfo"
}

/// The header fields of a request over HTTP, which repeat parts of its body so that gateways can
/// route it. A request whose fields and body differ is refused (Streamable HTTP, 2026-07-28).
struct HTTPEnvelope {
    /// The parameter that `Mcp-Name` repeats, by method.
    private static let named = [
        "tools/call": "name", "prompts/get": "name", "resources/read": "uri",
    ]

    private let fields: HeaderFields

    init(_ fields: HeaderFields) { self.fields = fields }

    func check(_ request: RPCRequest) throws(RPCError) {
        guard let version = request.statedVersion else { return try checkNegotiated() }
        try check("MCP-Protocol-Version", is: version.text)
        try check("Mcp-Method", is: request.method)
        if let parameter = HTTPEnvelope.named[request.method],
            let name = request.parameters[parameter]?.text
        {
            try check("Mcp-Name", is: name)
        }
    }

    /// In the era of `initialize` only the version is repeated, by every request after it.
    private func checkNegotiated() throws(RPCError) {
        guard let version = fields["MCP-Protocol-Version"] else { return }
        guard ProtocolVersion.all.contains(version) else { throw .unsupported(version) }
        guard version != ProtocolVersion.current else {
            throw RPCError(.invalidParameters, "params._meta must state \(MetaKey.protocolVersion)")
        }
    }

    private func check(_ name: String, is wanted: String?) throws(RPCError) {
        guard let wanted, let value = fields[name], HTTPEnvelope.decoded(value) == wanted else {
            throw RPCError(.headerMismatch, "the field \(name) does not match the body")
        }
    }

    /// Values that are not valid in a field come as `=?base64?…?=`; nil if that is not Base64.
    private static func decoded(_ value: String) -> String? {
        let (start, end) = ("=?base64?", "?=")
        guard value.hasPrefix(start), value.hasSuffix(end),
            value.utf8.count >= start.utf8.count + end.utf8.count
        else { return value }
        let text = value.dropFirst(start.count).dropLast(end.count)
        return Base64.bytes(String(text)).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
