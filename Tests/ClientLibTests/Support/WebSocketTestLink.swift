import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTransport

/// A connection of HTTP/2 on which extended CONNECTs open WebSockets (RFC 8441). Confined to its
/// loop.
final class WebSocketTestLink: HTTP2LinkOwner {
    private let server: WebSocketTestServer
    private let manner: WebSocketTestServer.Manner
    private var streams: [StreamID: HTTP2ByteStream] = [:]

    init(_ server: WebSocketTestServer, _ manner: WebSocketTestServer.Manner) {
        self.server = server
        self.manner = manner
    }

    /// Begins on a connection whose client has agreed on HTTP/2.
    func begin(on stream: any DuplexStream) {
        var options = HTTP2Connection.Options(.server)
        options.settings.allowsExtendedConnect = true
        let link = HTTP2Link(.server, over: stream, options: options)
        link.owner = self
        stream.delegate = link
    }

    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>) {
        switch event {
        case .request(let id, let head, _): open(head, on: id, link)
        case .body(let id, let range): streams[id]?.receive(input.extracting(range))
        case .end(let id): streams[id]?.receivedEnd()
        case .reset(let id, _, _): streams[id]?.broke(StreamError(kind: .reset, message: "reset"))
        default: break
        }
    }

    private func open(_ head: RequestHead, on id: StreamID, _ link: HTTP2Link) {
        server.note(head)
        guard head.connectProtocol == "websocket" else { return link.reset(id, .refusedStream) }
        let response = ResponseHead(
            status: 200, reason: "", fields: HeaderFields(manner.fields(head)))
        link.send(ForwardedResponse(head: response, body: .untilClose), on: id)
        let stream = HTTP2ByteStream(id, of: link, .otherProtocol) { [weak self] in
            self?.streams[id] = nil
        }
        streams[id] = stream
        WebSocketTestConnection(server, manner).begin(on: stream)
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) { streams[id]?.drained() }
    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {}
}
