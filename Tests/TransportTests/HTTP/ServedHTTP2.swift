import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire

@testable import ProxydTransport

/// An HTTP/2 connection of a rig's server. Confined to the rig's loop.
final class ServedHTTP2: HTTP2LinkOwner {
    /// A request that came.
    struct Request {
        let id: StreamID
        let head: RequestHead
        var body: [UInt8] = []
        var trailers: HeaderFields?

        var path: String { head.targetText }
    }

    /// Its number among the server's connections, from 1.
    let number: Int
    let link: HTTP2Link
    /// Codes of the client's resets.
    private(set) var resets: [HTTP2ErrorCode] = []
    private(set) var priorities: [String] = []
    private var requests: [StreamID: Request] = [:]
    /// Streams of other protocols.
    private var streams: [StreamID: HTTP2ByteStream] = [:]
    private unowned let rig: TransportRig
    var onReset: (HTTP2ErrorCode) -> Void = { _ in }
    var onPriority: (String) -> Void = { _ in }

    init(
        _ number: Int, _ stream: SocketStream, _ options: HTTP2Connection.Options,
        _ rig: TransportRig
    ) {
        self.number = number
        self.rig = rig
        link = HTTP2Link(.server, over: stream, options: options)
        link.owner = self
        stream.delegate = link
    }

    func answer(
        _ request: Request, _ body: String, status: Int = 200, fields: [(String, String)] = [],
        trailers: [(String, String)]? = nil
    ) {
        let head = ResponseHead(status: status, reason: "", fields: HeaderFields(fields))
        link.send(ForwardedResponse(head: head, body: .untilClose), on: request.id)
        link.send(body: Array(body.utf8).span, on: request.id)
        link.end(request.id, trailers: trailers.map { HeaderFields($0) })
    }

    func inform(_ request: Request, _ status: Int) {
        let head = ResponseHead(status: status, reason: "", fields: HeaderFields())
        link.send(informational: ForwardedResponse(head: head, body: .none), on: request.id)
    }

    /// Agrees to another protocol.
    func agree(_ request: Request) -> HTTP2ByteStream {
        let head = ResponseHead(status: 200, reason: "", fields: HeaderFields())
        link.send(ForwardedResponse(head: head, body: .untilClose), on: request.id)
        let stream = HTTP2ByteStream(request.id, of: link, .otherProtocol) {}
        streams[request.id] = stream
        return stream
    }

    // MARK: HTTP2LinkOwner

    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>) {
        switch event {
        case .request(let id, let head, _):
            let request = Request(id: id, head: head)
            requests[id] = request
            if head.isExtendedConnect { rig.onStream(self, request) }
        case .body(let id, let range):
            if let stream = streams[id] { return stream.receive(input.extracting(range)) }
            input.extracting(range).withUnsafeBufferPointer {
                requests[id]?.body.append(contentsOf: $0)
            }
        case .trailers(let id, let fields): requests[id]?.trailers = fields
        case .end(let id):
            if let stream = streams[id] { return stream.receivedEnd() }
            if let request = requests[id] { rig.onStream(self, request) }
        case .reset(let id, let code, let isOurs):
            streams[id]?.broke(
                StreamError(kind: .reset, message: "\(code)"), reset: (code, isOurs))
            resets.append(code)
            onReset(code)
        case .priorityUpdate(_, let value):
            priorities.append(String(decoding: value, as: UTF8.self))
            onPriority(String(decoding: value, as: UTF8.self))
        default: break
        }
    }

    func link(_ link: HTTP2Link, didDrain id: StreamID) { streams[id]?.drained() }
    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure) {}
}
