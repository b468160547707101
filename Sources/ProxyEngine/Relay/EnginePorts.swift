internal import ProxydCivilTime
internal import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydMessages
internal import ProxydTransport
internal import Glibc

/// What the exchanges of one loop need of the engine. Confined to the loop.
final class EnginePorts: ExchangePorts {
    let trafficActor: (any TrafficActor)?
    private let loop: EventLoop
    private let settings: LoopSettings
    private let transport: HTTPTransport

    init(
        loop: EventLoop, settings: LoopSettings, transport: HTTPTransport,
        actor: (any TrafficActor)?
    ) {
        self.loop = loop
        self.settings = settings
        self.transport = transport
        self.trafficActor = actor
    }

    var now: Int64 { loop.now }
    var timeouts: ExchangeTimeouts { settings.timeouts }

    func open(
        _ request: consuming OutgoingRequest, _ prepared: PreparedConnection?,
        for machine: ExchangeMachine
    ) -> any ServerExchange {
        guard settings.hasRoutes else { return send(request, prepared, for: machine) }
        return send(machine.client.connection.routed(request, prepared), prepared, for: machine)
    }

    private func send(
        _ request: consuming OutgoingRequest, _ prepared: PreparedConnection?,
        for machine: ExchangeMachine
    ) -> ClientExchange {
        let client = machine.client
        if request.message.head.fields.authenticateConnection { client.bind(to: request.target) }
        return transport.send(
            request, prepared: prepared, affinity: client.affinity, frames: machine.tap.frames,
            delegate: machine)
    }

    func target(of url: RawURL) -> ConnectTarget { settings.configuration.target(of: url) }

    // MARK: Actors

    func ask(_ question: ActorQuestion, of machine: ExchangeMachine) {
        guard let actorState = machine.actorState else { return }
        switch question {
        case .connection(let connection):
            actorState.trafficActor.connect(connection, decision(machine) { $0.decide($1) })
        case .request(let message, let body):
            actorState.exchangeActor?.request(message, body, decision(machine) { $0.decide($1) })
        case .response(let message, let body):
            actorState.exchangeActor?.response(message, body, decision(machine) { $0.decide($1) })
        }
    }

    private func decision<Verdict>(
        _ machine: ExchangeMachine, _ decide: @escaping (ExchangeMachine, Verdict) -> Void
    ) -> Decision<Verdict> {
        let decision = Decision<Verdict>(on: loop, noting: machine.tap.record) {
            [weak machine] verdict in
            if let machine { decide(machine, verdict) }
        }
        machine.actorState?.openDecision = decision
        return decision
    }

    func flow(
        _ pace: any PaceActor, _ direction: PaceDirection, of machine: ExchangeMachine
    ) -> PacedFlow {
        let half: ExchangeHalf = direction == .upstream ? .request : .response
        return PacedFlow(
            pace, direction, on: loop, note: machine.tap.record,
            deliver: { [weak machine] in machine?.receive(paced: $0, of: half) },
            setPaused: { [weak machine] in
                machine?.setPaused(.undecided, $0, sourceOf: half)
            },
            breakOff: { [weak machine] in machine?.end($0, $1) })
    }

    // MARK: Heads of responses

    func forwarded(_ head: ResponseHead, _ body: BodyLength) -> ForwardedResponse {
        var options = ForwardedResponse.Options()
        options.viaPseudonym = settings.configuration.viaPseudonym
        if settings.configuration.addsDate { options.date = DateField.now() }
        return ForwardedResponse(head: head, body: body, options: options)
    }

    var changesHeads: Bool { settings.configuration.removesAltSvc }

    func changed(_ head: ResponseHead, _ references: BackReferences?) -> ResponseHead? {
        let replaced = references?.replaced(in: head)
        guard settings.configuration.removesAltSvc else { return replaced }
        let seen = replaced ?? head
        let positions = seen.fields.positions(named: "Alt-Svc")
        guard !positions.isEmpty else { return replaced }
        var fields = seen.fields
        for position in positions.reversed() { fields.removeLine(at: position) }
        return seen.changed(fields: fields)
    }
}

/// To the server, the proxy is the client.
extension ClientExchange: ServerExchange {
    var target: ConnectTarget { request.target }
}

extension ExchangeMachine: ClientExchangeDelegate {
    func exchange(_ exchange: ClientExchange, didSendHead bytes: [UInt8], notes: ForwardingNotes) {
        tap.noteForwarding(notes, head: bytes)
    }

    func exchange(_ exchange: ClientExchange, didConnect facts: ConnectionFacts, isReused: Bool) {
        connected(exchange, facts, isReused: isReused)
    }

    func exchange(_ exchange: ClientExchange, didReceiveInformational head: ResponseHead) {
        receive(informational: head)
    }

    func exchange(_ exchange: ClientExchange, didReceive head: ResponseHead, body: BodyLength) {
        receive(head, body, from: exchange)
    }

    func exchange(_ exchange: ClientExchange, didReceiveBody bytes: Span<UInt8>) {
        receive(responseBody: bytes)
    }

    func exchange(_ exchange: ClientExchange, didReceiveTrailers trailers: HeaderFields) {
        receive(responseTrailers: trailers)
    }

    func exchangeDidEnd(_ exchange: ClientExchange) { serverEnded(exchange) }

    func exchange(_ exchange: ClientExchange, didFail failure: ExchangeFailure) {
        serverFailed(exchange, failure)
    }

    func exchangeDidDrain(_ exchange: ClientExchange) { serverDrained() }

    func exchange(
        _ exchange: ClientExchange, didSwitchTo stream: any DuplexStream, head: ResponseHead,
        early: Span<UInt8>
    ) {
        serverSwitched(exchange, to: stream, head, early: early.array)
    }
}

/// The value of the Date field for a response that has none (RFC 9110 §6.6.1).
enum DateField {
    static func now() -> String { CivilTime(secondsSinceEpoch: Int64(time(nil))).imfFixdate }
}

/// What the HTTP layers of one loop serve requests with. Confined to the loop.
final class HTTPParts {
    let access: UserAccess
    let pages: InfoPages
    let ports: any ExchangePorts

    init(access: UserAccess, pages: InfoPages, ports: any ExchangePorts) {
        self.access = access
        self.pages = pages
        self.ports = ports
    }
}
