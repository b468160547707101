internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// A message of JSON-RPC 2.0 from a client.
enum RPCMessage {
    case request(RPCRequest)
    case notification(method: String, parameters: JSONValue)
    /// A response; it is ignored, because this server sends no requests.
    case response

    /// The most levels of arrays and objects in a message.
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
        default:
            throw RPCRejection(
                RPCError(.invalidRequest, "id must be a string or an integer"))
        }
    }
}

/// A request that waits for an answer.
struct RPCRequest {
    /// A string or an integer.
    let id: JSONValue
    let method: String
    /// An object.
    let parameters: JSONValue

    /// The protocol version that the request states; nil in the era of `initialize`.
    var statedVersion: JSONValue? { parameters["_meta"]?[MetaKey.protocolVersion] }
}

/// A message that is answered with an error.
struct RPCRejection: Error {
    let error: RPCError
    /// The ID of the request, or nil if it is unknown.
    let id: JSONValue?

    init(_ error: RPCError, _ id: JSONValue? = nil) {
        self.error = error
        self.id = id
    }

    var response: JSONValue { error.response(to: id ?? .null) }
}
