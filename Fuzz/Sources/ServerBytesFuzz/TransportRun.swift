internal import ProxydEventLoops
internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import StreamSupport
internal import ProxydTransport
internal import WireSupport

/// Requests one after the other to one server, over connections that are kept where they may be.
final class TransportRun {
    private static let requestCountMax = 8

    private let transport: HTTPTransport
    private let connector: FuzzConnector
    private let limits: WireLimits
    private let method: HTTPMethod
    private let body: BodyLength
    private let cuts: UInt8
    private var steps: ArraySlice<StreamScript.Step>
    private var delegates: [CheckedDelegate] = []
    private var current: ClientExchange?
    /// Whether the present request's body was ended: nothing may be sent behind it.
    private var isBodyEnded = false

    init(loop: EventLoop, settings: UInt8, cuts: UInt8, script: StreamScript) {
        self.cuts = cuts
        steps = script.steps[...]
        limits = WireLimits.chosen(by: settings)
        method = [HTTPMethod.get, .head, .put, .post][Int(settings & 0x03)]
        body = settings & 0x04 == 0 ? .none : .chunked
        var options = HTTPTransport.Options()
        options.wireLimits = limits
        connector = FuzzConnector(loop: loop)
        transport = HTTPTransport(loop: loop, connector: connector, options: options)
        request()
    }

    /// Takes the next step; false when that was the last and everything is checked.
    func step() -> Bool {
        if let next = steps.popFirst() {
            take(next)
            while connector.streams.contains(where: { $0.deliver() }) {}
            return true
        }
        finish()
        return false
    }

    /// Sends the next request where none is under way.
    private func request() {
        guard delegates.last?.isOver ?? true, delegates.count < TransportRun.requestCountMax else {
            return
        }
        let framing = body == .chunked ? "Transfer-Encoding: chunked\r\n" : ""
        let head = "\(method.rawValue) / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n"
        let request = OutgoingRequest(
            target: ConnectTarget(host: "a", port: 80, tls: nil),
            message: ForwardedRequest(text: Array(head.utf8), method: method, body: body))
        let delegate = CheckedDelegate()
        delegates.append(delegate)
        isBodyEnded = false
        current = transport.send(request, delegate: delegate)
    }

    private func take(_ step: StreamScript.Step) {
        let server = connector.streams.last
        switch step {
        case .clientSends(let bytes):
            if body == .chunked, !isBodyEnded { current?.sendBody(bytes.span) }
        case .clientEnds:
            isBodyEnded = true
            current?.finishBody(trailers: nil)
        case .clientBreaks: giveUp()
        case .clientReads(true): current?.resumeReceiving()
        case .clientReads(false): current?.pauseReceiving()
        case .serverSends(let bytes, let isOldest):
            let sender = isOldest ? connector.streams.first { $0.isOpen } : server
            sender?.receive(Cuts.pieces(of: bytes, choice: cuts))
        case .serverEnds(let isClean): server?.receiveEnd(isClean: isClean)
        case .serverBreaks: server?.fail()
        // A body is sent here whether there is room or not.
        case .serverReads: break
        case .connects: connector.succeed()
        case .connectFails: connector.fail(.connectionRefused)
        case .timePasses, .recorderIsFull: request()
        case .drains: transport.closeIdle()
        }
    }

    private func giveUp() {
        delegates.last?.isCancelled = true
        current?.cancel()
        current = nil
    }

    private func finish() {
        checkResponses()
        giveUp()
        transport.abortIdle()
        for delegate in delegates { delegate.switched?.abort() }
        require(transport.connectionCount == 0, "a connection is left over")
        require(connector.streams.allSatisfy { !$0.isOpen }, "a connection is left open")
        require(!connector.isWaitedFor, "an attempt to connect is left over")
        for server in connector.streams { check(server) }
    }

    /// What a server got are our requests, whole but for the last.
    private func check(_ server: FuzzStream) {
        for event in WireTranscript(RequestReader(), pieces: [server.written]).events {
            switch event {
            case .head(let head, _):
                require(head.method == method, "a server is asked something else")
            case .failed(let error):
                require(error.kind == .closedEarly, "a server gets no request: \(error)")
            default: break
            }
        }
    }

    /// Responses that are complete are the messages that a server sent, in their order.
    private func checkResponses() {
        var messages: [WireMessage<ResponseHead>] = []
        for server in connector.streams {
            let reader = ResponseReader(method: method, limits: limits)
            let events = WireTranscript(reader, pieces: [server.delivered]).events
            messages += WireMessage.complete(in: events)
        }
        for delegate in delegates where delegate.isComplete {
            require(
                messages.contains { $0.head == delegate.head && $0.body == delegate.body },
                "a response is handed over that no server sent")
        }
    }
}
