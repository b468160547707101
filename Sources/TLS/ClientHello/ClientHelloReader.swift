/// Looks for a ClientHello in the first bytes of a connection as they arrive. Each byte is read
/// once, however small the pieces.
public struct ClientHelloReader: Sendable {
    private enum State {
        case gathering(HandshakeRecords)
        case done(ClientHello.Peek)
    }

    private var state = State.gathering(HandshakeRecords())

    /// Creates a reader at the first byte of a connection.
    public init() {}

    /// Inspects `bytes`, which are all bytes so far, including those of earlier calls. After any
    /// result other than `needMore`, the result does not change.
    public mutating func read(_ bytes: Span<UInt8>) -> ClientHello.Peek {
        guard case .gathering(var records) = state else { return verdict }
        state = .done(.notTLS)
        switch records.gather(bytes) {
        case .needMore: state = .gathering(records)
        case .notTLS: break
        case .unacceptable: state = .done(.unacceptable)
        case .message(let message):
            var parser = ClientHelloParser(message)
            state = .done(parser.parse().map(ClientHello.Peek.hello) ?? .unacceptable)
        }
        return verdict
    }

    /// Whether the bytes so far can still become a ClientHello.
    public var isUnderWay: Bool { verdict == .needMore }

    private var verdict: ClientHello.Peek {
        switch state {
        case .gathering: .needMore
        case .done(let peek): peek
        }
    }
}
