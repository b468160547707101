import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTLS
import ProxydTransport

/// One connection of a test's server of WebSockets. Confined to its loop.
final class WebSocketTestConnection: DuplexStreamDelegate {
    private let server: WebSocketTestServer
    private let manner: WebSocketTestServer.Manner
    private var decoder = RequestDecoder()
    private var isOpen = false
    private var reader = WebSocketFrameReader()
    private var header: WebSocketFrameHeader?
    private var payload: [UInt8] = []
    private var secured: TLSStream?
    /// What waits while the client reads nothing.
    private var waiting: ArraySlice<WebSocketTestServer.Step> = []

    init(_ server: WebSocketTestServer, _ manner: WebSocketTestServer.Manner) {
        self.server = server
        self.manner = manner
    }

    func secure(_ stream: SocketStream, with context: TLSServerContext) {
        let tls = TLSStream(
            server: context, over: stream, alpn: ["http/1.1"], handshakeTimeoutNs: 60_000_000_000
        ) { [self] outcome in
            if case .success = outcome { secured?.delegate = self } else { stream.close() }
            secured = nil
        }
        secured = tls
        tls.start()
    }

    /// The connection is a stream that was opened elsewhere.
    func begin(on stream: any DuplexStream) {
        isOpen = true
        stream.delegate = self
        run(manner.first, on: stream)
    }

    func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        var offset = 0
        while !isOpen {
            guard let part = try? decoder.decode(bytes, from: &offset) else {
                return stream.abort()
            }
            switch part {
            case .needsMoreInput: return
            case .head(let head, _): open(head, on: stream)
            default: break
            }
            if !stream.isOpen { return }
        }
        read(bytes, from: &offset, on: stream)
    }

    private func open(_ head: RequestHead, on stream: any DuplexStream) {
        server.note(head)
        if let answer = manner.answer(head) { return stream.write(answer) }
        var text =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(WebSocketTestServer.proof(of: head))\r\n"
        for (name, value) in manner.fields(head) { text += "\(name): \(value)\r\n" }
        isOpen = true
        var bytes = Array((text + "\r\n").utf8)
        for case .frame(let opcode, let payload) in manner.first {
            WebSocketFrameWriter.write(opcode, payload.span, maskingKey: nil, into: &bytes)
        }
        stream.write(bytes)
        if !manner.reads { stream.pauseReading() }
        run(manner.first.filter { if case .frame = $0 { false } else { true } }, on: stream)
    }

    private func read(
        _ bytes: Span<UInt8>, from offset: inout Int, on stream: any DuplexStream
    ) {
        while stream.isOpen {
            switch reader.next(bytes, from: &offset) {
            case .needsMoreInput: return
            case .header(let next):
                // A client masks (RFC 6455 §5.1).
                guard next.maskingKey != nil else { return stream.abort() }
                header = next
                payload = []
            case .payload(let range, let isLast):
                reader.append(range, of: bytes, to: &payload)
                guard isLast, let header else { continue }
                let frame = WebSocketTestServer.Frame(
                    opcode: header.opcode, payload: payload, isCompressed: header.isCompressed)
                server.note(frame)
                run(manner.react(frame), on: stream)
            }
        }
    }

    private func run(_ steps: [WebSocketTestServer.Step], on stream: any DuplexStream) {
        waiting += steps
        while stream.isOpen, !stream.isCongested, let step = waiting.popFirst() {
            switch step {
            case .frame(let opcode, let payload):
                var bytes: [UInt8] = []
                WebSocketFrameWriter.write(opcode, payload.span, maskingKey: nil, into: &bytes)
                server.noteHanded(bytes.count)
                stream.write(bytes)
            case .raw(let bytes): stream.write(bytes)
            case .end: stream.close()
            case .reset:
                stream.flush()
                stream.abort()
            }
        }
    }

    func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { stream.close() }
    func streamDidDrain(_ stream: any DuplexStream) { run([], on: stream) }
    func stream(_ stream: any DuplexStream, didFail error: StreamError) {}
}
