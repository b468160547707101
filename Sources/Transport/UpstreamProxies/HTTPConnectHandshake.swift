public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Asks an HTTP proxy for a tunnel (RFC 9110 §9.3.6).
///
///     begin ─▶ CONNECT sent ─(1xx)▶ … ─(2xx)▶ established
///                                     └(else)▶ refused
public struct HTTPConnectHandshake: ProxyHandshake {
    /// The request's target, which Digest authentication needs: `host:port`.
    public let target: [UInt8]
    private let request: [UInt8]
    private var decoder: ResponseDecoder
    private var isOver = false

    /// Creates a request for a tunnel to a server. `fields` may contain Proxy-Authorization and
    /// others.
    public init(
        host: String, port: UInt16, fields: HeaderFields = HeaderFields(),
        headByteCountMax: Int = 65_536
    ) throws(ProxyHandshakeError) {
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let target = Array("\(shown):\(port)".utf8)
        guard !host.isEmpty, FieldValidator.isRequestTarget(target.span),
            !host.utf8.contains(where: { "/?#@".utf8.contains($0) })
        else { throw .badDestination }
        var all = HeaderFields()
        all.append(name: Array("Host".utf8), value: target)
        for line in fields.lines where line.name != .host {
            let name = Array(fields.bytes[line.nameRange])
            let value = Array(fields.bytes[line.valueRange])
            guard FieldValidator.isToken(name.span), FieldValidator.isFieldValue(value.span) else {
                throw .badCredential
            }
            all.append(name: name, value: value)
        }
        self.target = target
        request = RequestHead(method: .connect, target: target, fields: all).bytes
        var limits = WireLimits()
        limits.responseHeadByteCountMax = headByteCountMax
        decoder = ResponseDecoder(limits: limits)
    }

    /// Creates a request for a tunnel to a server, with a name and password for Basic
    /// authentication that are sent without waiting for a challenge.
    public init(
        host: String, port: UInt16, password: ProxyPassword
    ) throws(ProxyHandshakeError) {
        guard let value = password.basicValue else { throw .badCredential }
        var fields = HeaderFields()
        fields.append(name: Array("Proxy-Authorization".utf8), value: value)
        try self.init(host: host, port: port, fields: fields)
    }

    /// Returns the request to send.
    public mutating func begin() -> [UInt8] {
        decoder.expectResponse(toMethod: .connect)
        return request
    }

    /// Takes bytes from the proxy.
    public mutating func receive(
        _ bytes: Span<UInt8>
    ) throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        guard !isOver else { throw .malformedResponse }
        var offset = 0
        isOver = true
        do {
            while true {
                switch try decoder.decode(bytes, from: &offset) {
                case .informational: continue
                case .head(let head, _) where (200..<300).contains(head.status):
                    let leftover = bytes.extracting(offset..<bytes.count)
                    return .established(leftover: leftover.withUnsafeBufferPointer(Array.init))
                case .head(let head, _): return .refused(head)
                case .needsMoreInput, .body, .trailers, .end:
                    isOver = false
                    return .needsMoreInput
                }
            }
        } catch {
            throw .malformedResponse
        }
    }
}
