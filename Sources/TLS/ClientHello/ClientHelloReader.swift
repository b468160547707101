/// Looks for a client's hello in the first bytes of a connection, as they come. However small the
/// pieces, each byte is read once.
public struct ClientHelloReader: Sendable {
    private enum State {
        case gathering(HandshakeRecords)
        case done(ClientHello.Peek)
    }

    private var state = State.gathering(HandshakeRecords())

    /// Begins with the first byte of a connection.
    public init() {}

    /// Looks at `bytes`: all that came so far, those of earlier calls included. Once the answer is
    /// another than `needMore`, it stays.
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

    /// Whether nothing that was read so far tells against a hello.
    public var isUnderWay: Bool { verdict == .needMore }

    private var verdict: ClientHello.Peek {
        switch state {
        case .gathering: .needMore
        case .done(let peek): peek
        }
    }
}
