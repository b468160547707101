internal import ProxydEventLoops
internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import StreamSupport
internal import ProxydTransport
internal import WireSupport

@testable internal import ProxydProxyEngine

/// One client's connection through the engine's layers, as a script has it.
final class LayerRun {
    private let proxy: LoopProxy
    private let sink: CheckedSink
    private let connector: FuzzConnector
    private let client: FuzzStream
    private let limits: WireLimits
    private let cuts: UInt8
    private var steps: ArraySlice<StreamScript.Step>

    init(loop: EventLoop, settings: UInt8, cuts: UInt8, script: StreamScript) {
        self.cuts = cuts
        steps = script.steps[...]
        limits = WireLimits.chosen(by: settings)
        let configuration = LayerRun.configuration(settings, limits)
        var options = HTTPTransport.Options()
        options.wireLimits = limits
        sink = CheckedSink(keptByteCountMax: configuration.bodyCaptureByteCountMax)
        connector = FuzzConnector(loop: loop)
        proxy = LoopProxy(
            loop: loop, sink: sink,
            transport: HTTPTransport(loop: loop, connector: connector, options: options),
            leaves: SampleAuthority.leaves,
            pages: InfoPages(certificatePEM: [], certificateDER: [], fingerprint: "AB:CD"),
            configuration: configuration, identifier: nil)
        client = FuzzStream(loop: loop, peerPort: 50_000)
        proxy.accept(client)
    }

    private static func configuration(
        _ settings: UInt8, _ limits: WireLimits
    ) -> EngineConfiguration {
        var configuration = EngineConfiguration()
        configuration.wireLimits = limits
        if settings & 0x01 != 0 { configuration.viaPseudonym = "proxyd" }
        configuration.addsDate = settings & 0x02 != 0
        if settings & 0x04 != 0 { configuration.interception = { _, _ in .passThrough } }
        if settings & 0x08 != 0 { configuration.isConnectPortAllowed = { $0 == 443 } }
        if settings & 0x10 != 0 { configuration.bodyIdleTimeoutNs = 60_000_000_000 }
        configuration.slowsClientsWhenCongested = settings & 0x20 == 0
        if settings & 0x40 != 0 { configuration.bodyCaptureByteCountMax = 16 }
        return configuration
    }

    /// Takes the next step; false when that was the last and everything is checked.
    func step() -> Bool {
        if let next = steps.popFirst() {
            take(next)
            settle()
            return true
        }
        finish()
        return false
    }

    // MARK: Steps

    private func take(_ step: StreamScript.Step) {
        let server = connector.streams.last
        switch step {
        case .clientSends(let bytes): client.receive(Cuts.pieces(of: bytes, choice: cuts))
        case .clientEnds: client.receiveEnd(isClean: true)
        case .clientBreaks: client.fail()
        case .clientReads(let isReading): client.setPeerReading(isReading)
        case .serverSends(let bytes, let isOldest):
            let sender = isOldest ? connector.streams.first { $0.isOpen } : server
            sender?.receive(Cuts.pieces(of: bytes, choice: cuts))
        case .serverEnds(let isClean): server?.receiveEnd(isClean: isClean)
        case .serverBreaks: server?.fail()
        case .serverReads(let isReading): server?.setPeerReading(isReading)
        case .connects: connector.succeed()
        case .connectFails: connector.fail(.connectionRefused)
        case .timePasses(let seconds):
            proxy.clients.sweep(now: proxy.now + seconds * 1_000_000_000)
        case .recorderIsFull(let isFull): sink.setCongested(isFull)
        case .drains:
            // As `LoopProxy.drain` does, without the time after which it ends everything.
            proxy.transport.closeIdle()
            proxy.clients.drainAll()
        }
    }

    /// Hands over what has arrived until nothing is left that anybody reads.
    private func settle() {
        while client.deliver() || connector.streams.contains(where: { $0.deliver() }) {}
    }

    // MARK: The end

    private func finish() {
        let isTunnel = sink.rows.contains(where: \.isSwitched)
        if !isTunnel, !hasTLS { checkKeptServers() }
        proxy.clients.terminateAll()
        proxy.transport.abortIdle()
        require(proxy.clients.count == 0, "a client connection is left over")
        require(proxy.transport.connectionCount == 0, "a server connection is left over")
        require(!client.isOpen, "the client's connection is left open")
        require(connector.streams.allSatisfy { !$0.isOpen }, "a server's connection is left open")
        require(!connector.isWaitedFor, "an attempt to connect is left over")
        let rows = sink.rows
        require(rows.allSatisfy { $0.state != .active }, "an exchange never ends")
        LayerChecks(
            rows: rows, client: client, servers: connector.streams, limits: limits
        ).run()
    }

    /// Whether the client speaks TLS in a tunnel.
    private var hasTLS: Bool {
        LayerChecks.tunnelled(client.delivered, limits: limits)?.first == 0x16
    }

    /// A server connection that is open and not in use has got whole requests only.
    private func checkKeptServers() {
        guard proxy.clients.count == 0 else { return }
        for server in connector.streams where server.isOpen {
            let events = WireTranscript(RequestReader(), pieces: [server.written]).events
            let heads = events.filter { if case .head = $0 { true } else { false } }.count
            let ends = events.filter { if case .end = $0 { true } else { false } }.count
            require(heads == ends, "a connection is kept in the middle of a request: \(events)")
        }
    }
}
