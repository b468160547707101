internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport

/// Reads the header of the PROXY protocol with which each connection of some listeners starts, and
/// passes the connection to the listener's first layer.
final class PROXYHeaderReader: DuplexStreamDelegate, ClientLayer {
    private let stream: any DuplexStream
    private let connection: ClientConnection
    /// Makes the listener's first layer.
    private let next: () -> any ClientLayer
    private var received: [UInt8] = []
    private var firstByteAt: Int64?
    private var hasLeft = false

    private(set) var deadline: Int64
    var registryIndex = -1

    init(
        stream: any DuplexStream, connection: ClientConnection,
        next: @escaping () -> any ClientLayer
    ) {
        self.stream = stream
        self.connection = connection
        self.next = next
        deadline = connection.now &+ connection.configuration.headTimeoutNs
    }

    var idleSince: Int64? { firstByteAt == nil ? connection.acceptedAt : nil }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        guard !hasLeft else { return }
        if firstByteAt == nil { firstByteAt = connection.now }
        bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) }
        // Whoever is not trusted could claim to be anyone.
        guard
            connection.configuration.isPROXYHeaderTrusted(connection.peer, connection.listenerName)
        else { return fail(.proxyHeaderForged) }
        do throws(PROXYHeaderError) {
            switch try PROXYHeader.read(received.span) {
            case .needsMoreInput: break
            case .header(let header, let byteCount): proceed(header, byteCount: byteCount)
            }
        } catch {
            fail(.malformed(error))
        }
    }

    private func proceed(_ header: PROXYHeader, byteCount: Int) {
        if let addresses = header.addresses {
            connection.setAddresses(
                client: SocketAddress(addresses.source),
                destination: SocketAddress(addresses.destination))
        }
        hasLeft = true
        connection.clients.replace(
            self, with: next(), over: stream, unread: Unread(bytes: Array(received[byteCount...])))
    }

    // MARK: Endings

    private func fail(_ failure: ExchangeFailure) {
        guard !hasLeft else { return }
        let tap = connection.openTap(firstByteAt: firstByteAt ?? connection.now)
        tap.begin(malformed: HiddenCredentials.hidden(in: received))
        tap.end(.failed, failure: failure, at: connection.now)
        leave()
    }

    private func leave() {
        hasLeft = true
        deadline = .max
        connection.clients.remove(self)
        stream.close()
    }

    /// A connection without any byte is a health check, and is not recorded.
    private func end(_ failure: ExchangeFailure) {
        guard !hasLeft else { return }
        if firstByteAt == nil { leave() } else { fail(failure) }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { end(.proxyHeaderCut) }

    func streamDidDrain(_ stream: any DuplexStream) {}

    func stream(_ stream: any DuplexStream, didFail error: StreamError) { end(.proxyHeaderCut) }

    func deadlinePassed(now: Int64) { end(.proxyHeaderTimedOut) }

    func drain() { if firstByteAt == nil { end(.shutdown) } }

    func terminate(_ reason: TerminationReason) { end(.terminated(reason)) }
}

extension ExchangeFailure {
    fileprivate static func malformed(_ error: PROXYHeaderError) -> ExchangeFailure {
        ExchangeFailure(origin: .client, kind: .malformedRequest, message: error.description)
    }

    fileprivate static let proxyHeaderForged = ExchangeFailure(
        origin: .client, kind: .refused,
        message: "the client is not trusted to send a PROXY header: see the listener's "
            + "trusted networks")

    fileprivate static let proxyHeaderCut = ExchangeFailure(
        origin: .client, kind: .closedEarly,
        message: "the client closed the connection inside its PROXY header")

    fileprivate static let proxyHeaderTimedOut = ExchangeFailure(
        origin: .client, kind: .timedOut,
        message: "the client did not complete its PROXY header in time")
}
