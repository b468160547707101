import ProxydEventLoops
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages
import ProxydTransport

@testable import ProxydProxyEngine

/// Plays one exchange against an `ExchangeMachine`: the test says what the client, the server, the
/// interceptor and the clock do, and `did` lists what the machine has put out since.
final class MachinePlay {
    let sink = RecordingSink()
    let machine: ExchangeMachine
    private let client: PlayedClient
    private let server: PlayedServer
    private let ports: PlayedPorts
    private let transcript: PlayTranscript
    private let actor = PlayedActor()

    /// - Parameter isActedOn: Whether an interceptor is asked about the exchange.
    init(
        _ method: HTTPMethod = .get, body: BodyLength = .none, isActedOn: Bool = false,
        isHTTP2: Bool = false
    ) throws {
        let transcript = PlayTranscript()
        self.transcript = transcript
        server = PlayedServer(transcript)
        ports = PlayedPorts(transcript, server, isActedOn ? actor : nil)
        client = try PlayedClient(transcript, sink, method, isHTTP2: isHTTP2)
        let tap = ExchangeTap(
            sink: sink, registry: TapRegistry(loop: nil), clientConnection: client.connection.id,
            timeline: Timeline(wallStart: 0, start: 0), keptByteCountMax: 1 << 20)
        let head = RequestHead(
            method: method, target: Array("/".utf8),
            fields: HeaderFields([(name: "Host", value: "h")]))
        let url = RawURL(scheme: "http", host: "h", port: 80, origin: Array("/".utf8))
        tap.begin(url: url, head: head)
        machine = ExchangeMachine(client: client, ports: ports, tap: tap)
        machine.start(
            OutgoingRequest(
                target: ConnectTarget(host: "h", port: 80, tls: nil),
                message: ForwardedRequest(head: head, url: url, body: body)),
            prepared: nil)
        if body == .none { machine.requestEnded() }
    }

    /// What the machine has put out since the last call.
    func did() -> [String] {
        defer { transcript.lines = [] }
        return transcript.lines
    }

    var row: RecordingSink.Recorded? { sink.rows.first }

    /// Whether a question to the interceptor is open.
    var isAsking: Bool { machine.actorState?.openDecision != nil }

    // MARK: Inputs

    func clientSends(_ text: String) { machine.receive(body: Array(text.utf8).span) }

    func serverAnswers(_ status: Int = 200, body: BodyLength = .none) {
        machine.receive(
            ResponseHead(status: status, reason: "R", fields: HeaderFields()), body, from: server)
    }

    func serverSends(_ text: String) { machine.receive(responseBody: Array(text.utf8).span) }

    func serverEnds() { machine.serverEnded(server) }

    func serverFails() {
        machine.serverFailed(
            server, ExchangeFailure(origin: .upstream, kind: .closedEarly, message: "lost"))
    }

    func passes(seconds: Int64) {
        ports.now += seconds * 1_000_000_000
        if ports.now >= machine.deadline { machine.deadlinePassed() }
    }

    func serverIsCongested(_ isCongested: Bool) {
        server.isCongested = isCongested
        if !isCongested { machine.serverDrained() }
    }

    func clientIsCongested(_ isCongested: Bool) {
        client.isCongested = isCongested
        if !isCongested { machine.clientDrained() }
    }

    /// Passes on what the interceptor is asked about, by a plan.
    func passes(_ plan: BodyPlan = .stream) {
        switch ports.asked.removeFirst() {
        case .connection: machine.decide(ConnectVerdict.pass())
        case .request(let message, _): machine.decide(.pass(message, plan))
        case .response(let message, _): machine.decide(.pass(message, plan))
        }
    }

    /// The interceptor decides in the moment in which the exchange ends.
    func decidesAtTheEnd(_ decide: @escaping (MachinePlay) -> Void) {
        actor.onEnd = { [unowned self] in decide(self) }
    }

    /// Answers the client, whatever the interceptor is asked about.
    func answers(_ text: String) {
        let answer = ExchangeAnswer(
            head: ResponseHead(status: 203, reason: "Mine", fields: HeaderFields()),
            body: Array(text.utf8))
        switch ports.asked.removeFirst() {
        case .connection: machine.decide(ConnectVerdict.answer(answer))
        case .request: machine.decide(MessageVerdict<ForwardedRequest>.answer(answer))
        case .response: machine.decide(MessageVerdict<ForwardedResponse>.answer(answer))
        }
    }
}

/// What the machine has put out, one line a step.
private final class PlayTranscript {
    var lines: [String] = []

    func note(_ line: String) { lines.append(line) }
}

/// The clock, the way to the server and to the interceptor.
private final class PlayedPorts: ExchangePorts {
    var now: Int64 = 0
    let timeouts = ExchangeTimeouts(
        bodyIdleNs: 10_000_000_000, responseNs: 60_000_000_000, halfClosedNs: 1_000_000_000)
    let trafficActor: (any TrafficActor)?
    var asked: [ActorQuestion] = []
    private let transcript: PlayTranscript
    private let server: PlayedServer

    init(_ transcript: PlayTranscript, _ server: PlayedServer, _ actor: PlayedActor?) {
        self.transcript = transcript
        self.server = server
        self.trafficActor = actor
    }

    func open(
        _ request: consuming OutgoingRequest, _ prepared: PreparedConnection?,
        for machine: ExchangeMachine
    ) -> any ServerExchange {
        transcript.note("server < \(request.message.head.method.rawValue)")
        return server
    }

    func target(of url: RawURL) -> ConnectTarget {
        ConnectTarget(host: url.host, port: url.port, tls: nil)
    }

    func ask(_ question: ActorQuestion, of machine: ExchangeMachine) {
        asked.append(question)
        machine.actorState?.openDecision = PlayedDecision(transcript)
        switch question {
        case .connection: transcript.note("ask about the connection")
        case .request(_, let body): transcript.note("ask about the request, \(body.text)")
        case .response(_, let body): transcript.note("ask about the response, \(body.text)")
        }
    }

    func flow(
        _ pace: any PaceActor, _ direction: PaceDirection, of machine: ExchangeMachine
    ) -> PacedFlow {
        preconditionFailure("the played interceptor has no pace")
    }

    func forwarded(_ head: ResponseHead, _ body: BodyLength) -> ForwardedResponse {
        ForwardedResponse(head: head, body: body)
    }

    let changesHeads = false
    func changed(_ head: ResponseHead, _ references: BackReferences?) -> ResponseHead? { nil }
}

private final class PlayedDecision: PendingDecision {
    private let transcript: PlayTranscript

    init(_ transcript: PlayTranscript) { self.transcript = transcript }

    func withdraw() { transcript.note("withdraw the question") }
}

/// Acts on everything; what it decides the test says. Proof of Sendable: a play has one thread.
private final class PlayedActor: TrafficActor, ExchangeActor, @unchecked Sendable {
    var onEnd: () -> Void = {}

    func actor(
        for exchange: ExchangeContext, _ request: borrowing ForwardedRequest
    ) -> (any ExchangeActor)? { self }

    func exchangeEnded() { onEnd() }
}

private final class PlayedServer: ServerExchange {
    let target = ConnectTarget(host: "h", port: 80, tls: nil)
    var isCongested = false
    let isUnanswered = false
    let resetCode: HTTP2ErrorCode? = nil
    let streamID: StreamID? = nil
    let endsBoundConnection = false
    let sentHeadAt: Int64? = nil
    let sentLastAt: Int64? = nil
    let firstByteAt: Int64? = nil
    let repairs: ResponseRepairs = []
    let refusedBytes: [UInt8] = []
    private let transcript: PlayTranscript

    init(_ transcript: PlayTranscript) { self.transcript = transcript }

    func sendBody(_ bytes: Span<UInt8>) { transcript.note("server < \(bytes.text)") }
    func finishBody(trailers: HeaderFields?) { transcript.note("server < end") }
    func send(priority value: [UInt8]) {}
    func pauseReceiving() { transcript.note("pause the server") }
    func resumeReceiving() { transcript.note("resume the server") }
    func bindConnection() {}
    func cancel(_ code: HTTP2ErrorCode) { transcript.note("cancel the server") }
}

private final class PlayedClient: ClientStream {
    let streamID: StreamID?
    let connection: ClientConnection
    let namesServers = true
    let affinity: ConnectionAffinity
    let requestMethod: HTTPMethod
    var isCongested = false
    private var pauses: PauseReasons = []
    private let transcript: PlayTranscript

    init(
        _ transcript: PlayTranscript, _ sink: RecordingSink, _ method: HTTPMethod, isHTTP2: Bool
    ) throws {
        self.transcript = transcript
        requestMethod = method
        streamID = isHTTP2 ? StreamID(rawValue: 1) : nil
        // A connection belongs to a loop, which no one runs here.
        let loop = try EventLoop()
        let settings = LoopSettings(EngineConfiguration())
        connection = ClientConnection(
            among: ClientRegistry(loop: loop, total: ClientTotal()), settings: settings,
            recorder: LoopRecorder(loop: loop, sink: sink, settings: settings),
            peer: SocketAddress(ipv4: 0x7F00_0001, port: 1),
            local: SocketAddress(ipv4: 0x7F00_0001, port: 2),
            arrival: ConnectionRecord.Arrival(listener: "", mode: .proxy))
        affinity = ConnectionAffinity(client: connection.id)
    }

    func setPaused(_ reason: PauseReasons, _ isPaused: Bool) {
        guard let isToPause = pauses.set(reason, isPaused) else { return }
        transcript.note(isToPause ? "pause the client" : "resume the client")
    }

    func pauseForRecorder() -> Bool { false }
    func bind(to target: ConnectTarget) {}
    func objection(to response: borrowing ForwardedResponse) -> ExchangeFailure? { nil }

    func send(informational response: borrowing ForwardedResponse) {
        transcript.note("client < \(response.head.status)")
    }

    func send(_ response: borrowing ForwardedResponse, isLast: Bool) {
        transcript.note("client < \(response.head.status)")
    }

    func send(body bytes: Span<UInt8>) { transcript.note("client < \(bytes.text)") }
    func endBody(trailers: HeaderFields?) {}
    func end() { transcript.note("client < end") }
    func answer(_ response: LocalResponse) { transcript.note("client < own \(response.status)") }
    func recordedHead(of response: ForwardedResponse) -> ResponseHead { response.head }
    func cutShort(_ cause: CutCause) { transcript.note("cut the client short") }
    func forwardReset(_ code: HTTP2ErrorCode) -> Bool { false }
    func endUnanswered() { transcript.note("end unanswered") }
    func agreedProtocol(in response: ResponseHead) -> String? { nil }

    func switchProtocols(
        _ response: borrowing ForwardedResponse, joining server: any DuplexStream,
        early: Span<UInt8>, tap: ExchangeTap, pace: (any PaceActor)?
    ) {}
}

extension BodySnapshot {
    fileprivate var text: String {
        switch self {
        case .coming: "body coming"
        case .whole(let bytes): "body \(String(decoding: bytes, as: UTF8.self))"
        case .tooLarge: "body too large"
        }
    }
}

extension Span<UInt8> {
    fileprivate var text: String {
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
