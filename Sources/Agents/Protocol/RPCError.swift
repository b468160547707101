internal import ProxydExchangeContent
internal import ProxydParameterCoding

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

    /// The status of an HTTP response with this error.
    var httpStatus: Int { code == .unknownMethod ? 404 : 400 }

    /// The response to the request with this ID, which is null if it is unknown.
    func response(to id: JSONValue) -> JSONValue {
        var error: [(String, JSONValue)] = [
            ("code", .integer(code.rawValue)), ("message", .string(message)),
        ]
        if let data { error.append(("data", data)) }
        return .members([
            ("jsonrpc", .string("2.0")), ("id", id), ("error", .members(error)),
        ])
    }
}
