internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

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
            throw RPCError(
                .invalidParameters, "params._meta must state \(MetaKey.protocolVersion)")
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
