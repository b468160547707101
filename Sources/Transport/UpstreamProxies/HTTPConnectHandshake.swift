public import ProxydHTTPModel
internal import ProxydHTTPWire

/// Asks an HTTP proxy for a tunnel (RFC 9110 §9.3.6).
///
///     begin ─▶ CONNECT sent ─(1xx)▶ … ─(2xx)▶ established
///                                     └(else)▶ refused
public struct HTTPConnectHandshake: ProxyHandshake {
    /// The request's target, as Digest has to know it: `host:port`.
    public let target: [UInt8]
    private let request: [UInt8]
    private var decoder: ResponseDecoder

    /// A tunnel to a server. Proxy-Authorization and the like come with the fields.
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
            let name = Array(fields.octets[line.nameRange])
            let value = Array(fields.octets[line.valueRange])
            guard FieldValidator.isToken(name.span), FieldValidator.isFieldValue(value.span) else {
                throw .badCredential
            }
            all.append(name: name, value: value)
        }
        self.target = target
        request = RequestHead(method: .connect, target: target, fields: all).octets
        var limits = WireLimits()
        limits.responseHeadByteCountMax = headByteCountMax
        decoder = ResponseDecoder(limits: limits)
    }

    /// The request.
    public mutating func begin() -> [UInt8] {
        decoder.expectResponse(toMethod: .connect)
        return request
    }

    /// Takes what the proxy sent.
    public mutating func receive(
        _ octets: Span<UInt8>
    ) throws(ProxyHandshakeError) -> ProxyHandshakeStep {
        var offset = 0
        do {
            while true {
                switch try decoder.decode(octets, from: &offset) {
                case .informational: continue
                case .head(let head, _) where (200..<300).contains(head.status):
                    let leftover = octets.extracting(offset..<octets.count)
                    return .established(leftover: leftover.withUnsafeBufferPointer(Array.init))
                case .head(let head, _): return .refused(head)
                case .needsMoreInput, .body, .trailers, .end: return .needsMoreInput
                }
            }
        } catch {
            throw .malformedResponse
        }
    }
}
