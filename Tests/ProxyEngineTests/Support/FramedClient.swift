import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages

@testable import ProxydProxyEngine
@testable import ProxydTransport

/// A client's stream of no version of HTTP, one of several on a connection. What the client gets is
/// in the transcript; what it sends the test says.
final class FramedClientStream: ClientStream {
    let streamID: StreamID?
    let connection: ClientConnection
    let namesServers = true
    let affinity: ConnectionAffinity
    private let transcript: Transcript
    private var pauses: PauseReasons = []
    private var machine: ExchangeMachine?
    var isCongested = false

    /// A stream on which a request comes.
    init(
        _ number: UInt32, _ method: HTTPMethod, _ path: String, body: BodyLength = .none,
        on connection: FramedClient
    ) {
        streamID = StreamID(rawValue: number)
        self.connection = connection.connection
        affinity = connection.affinity
        transcript = connection.transcript
        let head = RequestHead(
            method: method, target: Array(path.utf8),
            fields: HeaderFields([(name: "Host", value: "h")]))
        let url = RawURL(scheme: "http", host: "h", port: 80, origin: Array(path.utf8))
        let tap = connection.connection.openTap(firstByteAt: connection.connection.now)
        tap.begin(url: url, head: head)
        let machine = ExchangeMachine(client: self, ports: connection.ports, tap: tap)
        self.machine = machine
        machine.start(
            OutgoingRequest(
                head: head, url: url, body: body, maxForwards: .absent, via: .proxy,
                settings: connection.connection.settings), prepared: nil)
        if body == .none { machine.requestEnded() }
    }

    private var name: String { "client/\(streamID?.rawValue ?? 0)" }

    // MARK: What the client says

    func sends(_ text: String) { machine?.receive(body: Array(text.utf8).span) }
    func ends() { machine?.requestEnded() }
    func resets() { machine?.clientVanished() }

    func drains() {
        isCongested = false
        machine?.clientDrained()
    }

    // MARK: ClientStream

    func setPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        let was = pauses
        if isPaused { pauses.insert(reason) } else { pauses.remove(reason) }
        guard was.isEmpty != pauses.isEmpty else { return }
        transcript.note("\(name) \(pauses.isEmpty ? "resumed" : "paused")")
    }

    func pauseForRecorder() -> Bool { false }
    func bind(to target: ConnectTarget) { transcript.note("\(name) bound") }
    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure? { nil }

    func send(informational response: borrowing ForwardedResponse) {
        transcript.note("\(name) < \(response.head.status)")
    }

    func send(_ response: borrowing ForwardedResponse, isLast: Bool) {
        transcript.note("\(name) < \(response.head.status)")
    }

    func send(body bytes: Span<UInt8>) {
        let text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        transcript.note("\(name) < \(text)")
    }

    func endBody(trailers: HeaderFields?) {}
    func end() { leave("end") }
    var requestMethod: HTTPMethod { .get }
    func recordedHead(of response: ForwardedResponse) -> ResponseHead { response.head }
    func answer(_ response: LocalResponse) { leave("\(response.status) of our own") }
    func forwardReset(_ code: HTTP2ErrorCode) -> Bool { false }

    func cutShort(_ cause: CutCause) { leave(cause == .clientGone ? "gone" : "reset") }
    func endUnanswered() { leave("unanswered") }
    func agreedProtocol(in response: ResponseHead) -> String? { nil }

    func switchProtocols(
        _ response: borrowing ForwardedResponse, joining server: any DuplexStream,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?
    ) {}

    private func leave(_ how: String) {
        transcript.note("\(name) < \(how)")
        machine = nil
    }
}

/// What the streams of one client connection share.
struct FramedClient {
    let ports: EnginePorts
    let transcript: Transcript
    let connection: ClientConnection
    let affinity: ConnectionAffinity

    init(_ book: Playbook) {
        let settings = book.proxy.settings
        ports = EnginePorts(
            loop: book.loop, settings: settings, transport: book.proxy.transport, actor: book.actor)
        transcript = book.transcript
        connection = ClientConnection(
            among: book.proxy.clients, settings: settings,
            recorder: LoopRecorder(loop: book.loop, sink: book.sink, settings: settings),
            peer: book.client.peerAddress, local: book.client.localAddress,
            arrival: ConnectionRecord.Arrival(listener: "", mode: .proxy))
        affinity = ConnectionAffinity(client: connection.id)
    }

    func request(
        _ number: UInt32, _ path: String, method: HTTPMethod = .get, body: BodyLength = .none
    ) -> FramedClientStream {
        FramedClientStream(number, method, path, body: body, on: self)
    }
}
