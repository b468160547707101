import Foundation
import ProxydEventLoops
import ProxydHTTPModel
import ProxydTLS
import ProxydTransport

@testable import ProxydProxyEngine

/// Plays a conversation against the engine's layers without a socket or a waiting moment: what
/// comes from clients and servers is said by the script, what the engine does is in the transcript.
///
/// The script runs on an event loop, as the layers do, and hands its findings out as values, so
/// that expectations are made in the test itself.
final class Playbook {
    let sink: RecordingSink
    let transcript: Transcript
    let proxy: LoopProxy
    let connector: ScriptedConnector
    /// What acts on the traffic; nil where nothing does.
    let actor: ScriptedActor?
    let loop: EventLoop
    private(set) var client: ScriptedStream
    private(set) var servers: [ScriptedStream] = []
    /// How many bytes of what is said arrive at a time.
    var pieceByteCount: Int

    private init(
        loop: EventLoop, pieceByteCount: Int, leaves: LeafCertificateCache,
        configuration: EngineConfiguration, actor: ScriptedActor?, listener: ServedListener,
        authenticator: (any ClientAuthenticator)?
    ) {
        self.actor = actor
        self.loop = loop
        self.pieceByteCount = pieceByteCount
        sink = RecordingSink()
        transcript = Transcript()
        connector = ScriptedConnector(transcript: transcript)
        var options = HTTPTransport.Options()
        options.wireLimits = configuration.wireLimits
        options.connectionFrames = configuration.http2Frames.detail
        proxy = LoopProxy(
            loop: loop, sink: sink,
            transport: HTTPTransport(loop: loop, connector: connector, options: options),
            leaves: leaves,
            pages: InfoPages(certificatePEM: [], certificateDER: [], fingerprint: "AB:CD"),
            configuration: configuration, identifier: nil, actor: actor,
            authenticator: authenticator)
        client = ScriptedStream("client", loop: loop, transcript: transcript, peerPort: 50_000)
        proxy.accept(client, at: listener)
    }

    /// Plays a script and returns what it returns. Pieces of `pieceByteCount` bytes drip-feed.
    static func play<Value: Sendable>(
        pieceByteCount: Int = .max, configuration: EngineConfiguration = EngineConfiguration(),
        actor: ScriptedActor? = nil, at listener: ServedListener = ServedListener(),
        authenticator: (any ClientAuthenticator)? = nil,
        _ script: @escaping @Sendable (Playbook) -> Value
    ) throws -> Value {
        try play(
            pieceByteCount: pieceByteCount, configuration: configuration, actor: actor,
            at: listener, authenticator: authenticator, { _ in },
            then: { (book, _) in script(book) })
    }

    /// Plays two scripts; what the first one put off to the loop's next turn happens between them.
    /// The second one is given what the first one returns.
    static func play<First: Sendable, Value: Sendable>(
        pieceByteCount: Int = .max, configuration: EngineConfiguration = EngineConfiguration(),
        actor: ScriptedActor? = nil, at listener: ServedListener = ServedListener(),
        authenticator: (any ClientAuthenticator)? = nil,
        _ first: @escaping @Sendable (Playbook) -> First,
        then script: @escaping @Sendable (Playbook, First) -> Value
    ) throws -> Value {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutdown() }
        let leaves = try TestAuthority.leaves()
        let loop = group.next()
        let result = Handover<Value>()
        loop.execute {
            let book = Playbook(
                loop: loop, pieceByteCount: pieceByteCount, leaves: leaves,
                configuration: configuration, actor: actor, listener: listener,
                authenticator: authenticator)
            let found = first(book)
            let bound = LoopBound(book, loop: loop)
            loop.execute {
                let value = script(bound.value, found)
                bound.value.proxy.clients.terminateAll()
                result.give(value)
            }
        }
        return result.take()
    }

    /// Plays steps with what `begin` makes, each in a turn of the loop of its own: what a step has
    /// the engine put off to a dispatch's end happens before the next.
    static func play<Scene, Value: Sendable>(
        configuration: EngineConfiguration = EngineConfiguration(), actor: ScriptedActor? = nil,
        at listener: ServedListener = ServedListener(),
        authenticator: (any ClientAuthenticator)? = nil,
        begin: @escaping @Sendable (Playbook) -> Scene,
        steps: [@Sendable (Scene) -> Void], end: @escaping @Sendable (Scene) -> Value
    ) throws -> Value {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutdown() }
        let leaves = try TestAuthority.leaves()
        let loop = group.next()
        let result = Handover<Value>()
        loop.execute {
            let book = Playbook(
                loop: loop, pieceByteCount: .max, leaves: leaves, configuration: configuration,
                actor: actor, listener: listener, authenticator: authenticator)
            let bound = LoopBound((book: book, scene: begin(book)), loop: loop)
            turns(steps[...], of: bound, on: loop) { _ in
                let value = end(bound.value.scene)
                bound.value.book.proxy.clients.terminateAll()
                // What that leaves to be sent is sent first.
                loop.execute { withExtendedLifetime(bound) { result.give(value) } }
            }
        }
        return result.take()
    }

    private static func turns<Scene>(
        _ steps: ArraySlice<@Sendable (Scene) -> Void>,
        of bound: LoopBound<(book: Playbook, scene: Scene)>, on loop: EventLoop,
        end: @escaping @Sendable (Scene) -> Void
    ) {
        let step = steps.first ?? end
        loop.execute {
            step(bound.value.scene)
            if !steps.isEmpty { turns(steps.dropFirst(), of: bound, on: loop, end: end) }
        }
    }

    // MARK: What the script says

    func clientSends(_ text: String) {
        client.receive(Array(text.utf8), pieceByteCount: pieceByteCount)
    }

    func clientSends(_ bytes: [UInt8]) {
        client.receive(bytes, pieceByteCount: pieceByteCount)
    }

    /// Another client connects; what it sends and gets is its own.
    func accept(
        _ name: String, at listener: ServedListener = ServedListener()
    ) -> ScriptedStream {
        let stream = ScriptedStream(name, loop: loop, transcript: transcript, peerPort: 50_001)
        proxy.accept(stream, at: listener)
        return stream
    }

    /// The oldest attempt to connect succeeds.
    @discardableResult
    func connects() -> ScriptedStream {
        let name = servers.isEmpty ? "server" : "server\(servers.count + 1)"
        let stream = ScriptedStream(
            name, loop: loop, transcript: transcript, peerPort: UInt16(9000 + servers.count))
        servers.append(stream)
        connector.finish(
            .success(EstablishedConnection(stream: stream, timings: ConnectTimings())))
        return stream
    }

    func connectFails(_ kind: ExchangeFailure.Kind, _ message: String) {
        connector.finish(
            .failure(ExchangeFailure(origin: .upstream, kind: kind, message: message)))
    }

    /// A server, the newest where none is named, sends.
    func serverSends(_ text: String, from index: Int? = nil) {
        guard let server = index.map({ servers[$0] }) ?? servers.last else { return }
        server.receive(Array(text.utf8), pieceByteCount: pieceByteCount)
    }

    /// The newest server's stream, for a look at whether anyone still holds it.
    func forgetServer() -> ScriptedStream? { servers.popLast() }

    func serverEnds(isClean: Bool = true) { servers.last?.receiveEnd(isClean: isClean) }

    func serverBreaks() { servers.last?.fail() }

    func clientEnds() { client.receiveEnd(isClean: true) }

    func clientBreaks() { client.fail() }

    /// Time goes by: every deadline before `seconds` from now has passed.
    func passes(seconds: Int64) { passes(milliseconds: seconds * 1000) }

    func passes(milliseconds: Int64) {
        proxy.clients.sweep(now: loop.now + milliseconds * 1_000_000)
    }

    /// The time comes at which what is new of open exchanges is recorded.
    func recordingTicks() {
        // An exchange is left alone by the first tick that it sees.
        proxy.recorder.taps.tick()
        proxy.recorder.taps.tick()
    }

    /// What the engine did since the last look.
    func did() -> [String] { transcript.take() }
}

/// One value handed from a loop's thread to the test's.
private final class Handover<Value: Sendable>: @unchecked Sendable {
    // Proof: `value` is written before `ready` is signalled and read after it was waited for.
    private let ready = DispatchSemaphore(value: 0)
    private var value: Value?

    func give(_ value: Value) {
        self.value = value
        ready.signal()
    }

    func take() -> Value {
        ready.wait()
        guard let value else { preconditionFailure("signalled without a value") }
        return value
    }
}

/// One certificate authority for all playbooks of a run.
enum TestAuthority {
    private static let shared = Result {
        let path = FileManager.default.temporaryDirectory.path + "/proxyd-ca-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try LeafCertificateCache(authority: CertificateAuthority.loadOrCreate(in: path))
    }

    static func leaves() throws -> LeafCertificateCache { try shared.get() }
}

/// What happened in a playbook, one line a step, adjacent writes to one stream merged.
final class Transcript {
    private(set) var lines: [String] = []
    private var pending: (name: String, bytes: [UInt8])?

    func note(_ line: String) {
        finishWrite()
        lines.append(line)
    }

    func wrote(_ bytes: [UInt8], to name: String) {
        if pending?.name != name { finishWrite() }
        pending = (name, (pending?.bytes ?? []) + bytes)
    }

    /// The lines so far; the list begins anew.
    func take() -> [String] {
        finishWrite()
        defer { lines = [] }
        return lines
    }

    private func finishWrite() {
        guard let write = pending else { return }
        pending = nil
        lines.append("\(write.name) < \(Transcript.show(write.bytes))")
    }

    /// CR LF as `⏎`, other controls escaped, so that a message fits a line.
    static func show(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\r": continue
            case "\n": text += "⏎"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
