internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydTLS
internal import ProxydTransport

/// One connection of a scripted server. Confined to the server's loop.
final class ServerConnection: DuplexStreamDelegate {
    private let server: ScriptedServer
    private let number: Int
    private let atHead: ScriptedServer.Script?
    private let atEnd: ScriptedServer.Script?
    private var decoder = RequestDecoder()
    private var current: ScriptedServer.Received?
    private var secured: TLSStream?

    init(
        server: ScriptedServer, number: Int, atHead: ScriptedServer.Script?,
        atEnd: ScriptedServer.Script?
    ) {
        self.server = server
        self.number = number
        self.atHead = atHead
        self.atEnd = atEnd
    }

    func secure(_ stream: SocketStream, with context: TLSServerContext, alpn: [String]) {
        let tls = TLSStream(
            server: context, over: stream, alpn: alpn, handshakeTimeoutNs: 60_000_000_000
        ) { [self] outcome in
            if case .success = outcome { secured?.delegate = self } else { stream.close() }
            secured = nil
        }
        secured = tls
        tls.start()
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        var offset = 0
        while stream.isOpen {
            guard let part = try? decoder.decode(bytes, from: &offset) else {
                return stream.abort()
            }
            switch part {
            case .needsMoreInput: return
            case .informational: break
            case .head(let head, _):
                current = server.note(head, connection: number)
                if let atHead, let current { run(atHead(current), on: stream) }
            case .body(let range):
                bytes.extracting(range).withUnsafeBufferPointer {
                    current?.body.append(contentsOf: $0)
                }
            case .trailers(let fields): current?.trailers = fields
            case .end: finish(on: stream)
            }
        }
    }

    private func finish(on stream: any DuplexStream) {
        guard let received = current else { return }
        current = nil
        server.noteWhole(received)
        if let atEnd { run(atEnd(received), on: stream) }
    }

    private func run(_ steps: [ScriptedServer.Step], on stream: any DuplexStream) {
        for step in steps where stream.isOpen {
            switch step {
            case .send(let bytes): stream.write(bytes)
            case .close: stream.close()
            case .reset:
                stream.flush()
                stream.abort()
            }
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { stream.close() }
    func streamDidDrain(_ stream: any DuplexStream) {}
    func stream(_ stream: any DuplexStream, didFail error: StreamError) {}
}
