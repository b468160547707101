import Foundation
import ProxydConfigurationText
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydRules
import Synchronization
import Testing

/// One exchange that is taken through rules, message by message, as the engine does it.
struct RuleExchange {
    /// A message as it was on the wire.
    struct Wire {
        let head: [UInt8]
        let body: [UInt8]

        var text: String { String(decoding: head + body, as: UTF8.self) }
    }

    let rules: RuleSet
    private let usage: CountedUsage
    private(set) var run: RuleRun
    private(set) var applied: [AppliedRule] = []
    private(set) var tags: [String] = []
    private(set) var throttle: RuleThrottle?
    private(set) var delays: [RulePhase: Int] = [:]
    private(set) var sent: Wire?
    private(set) var destination: RawURL?
    /// The upstream proxy that rules chose.
    private(set) var upstream: String?
    private(set) var received: Wire?
    private(set) var end: String?
    private var request: (message: ForwardedRequest, body: [UInt8])
    var asked: ForwardedRequest { request.message }
    /// Whether a body was held back.
    private(set) var heldBodies: Set<RulePhase> = []

    init(_ rules: RuleSet, _ request: [UInt8], hits: [String: Int] = [:]) throws {
        self.rules = rules
        usage = CountedUsage(rules, hits)
        let (head, length, body) = try WireReader.request(request)
        guard case .forward(let url) = try EffectiveTarget.resolve(head, via: .proxy) else {
            throw NotARequest()
        }
        self.request = (ForwardedRequest(head: head, url: url, body: length), body)
        let connection = RuledConnection(
            client: "127.0.0.1:5000", process: "curl", host: url.host, port: url.port,
            scheme: url.scheme, startedAtNs: 0)
        run = RuleRun(rules, connection, usage: usage)
    }

    struct NotARequest: Error {}

    /// Takes it as far as a server would have to answer.
    mutating func send(
        serve: (FileMapping, ForwardedRequest) -> RuleAnswer? = { _, _ in nil },
        mock: (MockCall) -> MockServed? = { _ in .forwarded("no captures") }
    ) {
        let connected = run.connect()
        note(connected.notes, .connect)
        if case .named(let reference) = connected.upstream { upstream = reference.name }
        if let block = connected.block { return finish(block) }
        var step = run.request(request.message, body: .coming)
        while true {
            switch step {
            case .wantsBody: step = requestWithBody()
            case .serve(let files): step = run.resume(serve(files, request.message))
            case .mock(let call):
                if let served = mock(call) {
                    step = run.resume(served)
                } else {
                    step = requestWithBody()
                }
            case .decided(let decision): return take(decision)
            }
        }
    }

    private mutating func requestWithBody() -> RequestStep {
        heldBodies.insert(.request)
        // The engine has asked the client for it.
        request.message.options.isExpectationMet = true
        return run.request(request.message, body: .whole(request.body))
    }

    private mutating func take(_ decision: RequestDecision) {
        note(decision.notes, .request)
        switch decision.ending {
        case .answer(let answer):
            let message = ForwardedResponse(
                head: answer.head, body: .exactly(UInt64(answer.body.count)))
            receive(message, answer.body)
        case .block(let block): finish(block)
        case nil:
            var head: [UInt8] = []
            HTTP1HeadWriter.write(decision.message, into: &head)
            sent = Wire(head: head, body: decision.body ?? request.body)
            destination = decision.message.url
        }
    }

    /// Takes a server's answer, as bytes.
    mutating func answer(_ response: [UInt8]) throws {
        let method = request.message.head.method
        let (head, length, body) = try WireReader.response(response, to: method)
        receive(ForwardedResponse(head: head, body: length), body)
    }

    private mutating func receive(_ message: ForwardedResponse, _ body: [UInt8]) {
        let method = request.message.head.method
        var step = run.response(message, to: method, body: .coming)
        if case .wantsBody = step {
            heldBodies.insert(.response)
            step = run.response(message, to: method, body: .whole(body))
        }
        guard case .decided(let decision) = step else { return }
        note(decision.notes, .response)
        if let block = decision.block { return finish(block) }
        var head: [UInt8] = []
        let recipient = HTTP1Recipient(
            version: .http11, requestMethod: method, isPersistent: true)
        HTTP1HeadWriter.write(decision.message, to: recipient, into: &head)
        received = Wire(head: head, body: decision.body ?? flowing(body, decision.lines))
    }

    /// A body as it goes on that was not held back.
    private mutating func flowing(_ body: [UInt8], _ lines: LineEditor?) -> [UInt8] {
        guard var lines else { return body }
        var output: [UInt8] = []
        lines.receive(body.span, into: &output)
        lines.finish(into: &output)
        applied += lines.applied
        return output
    }

    private mutating func finish(_ block: RuleBlock) {
        switch block {
        case .status(let status):
            let answer = RuleAnswer(status: status)
            var head: [UInt8] = []
            HTTP1HeadWriter.write(
                ForwardedResponse(head: answer.head, body: .exactly(0)),
                to: HTTP1Recipient(
                    version: .http11, requestMethod: request.message.head.method,
                    isPersistent: true),
                into: &head)
            received = Wire(head: head, body: [])
        case .close: end = "close"
        case .reset: end = "reset"
        case .hang: end = "hang"
        }
    }

    private mutating func note(_ notes: PhaseNotes, _ phase: RulePhase) {
        applied += notes.applied
        tags += notes.tags
        if let (_, network) = notes.throttle { throttle = network }
        delays[phase, default: 0] += notes.delays.map(\.milliseconds).reduce(0, +)
    }
}

/// Counts hits, beginning with some.
final class CountedUsage: RuleUsage {
    private let rules: RuleSet
    private let counts: Mutex<[Int: Int]>

    init(_ rules: RuleSet, _ hits: [String: Int] = [:]) {
        self.rules = rules
        let counts = rules.rules.enumerated().map { ($0, hits[$1.name] ?? 0) }
        self.counts = Mutex(Dictionary(uniqueKeysWithValues: counts))
    }

    func claim(_ rule: Int) -> Bool {
        counts.withLock { counts in
            let count = counts[rule] ?? 0
            if let most = rules.rules[rule].hitCountMax, count >= most { return false }
            counts[rule] = count + 1
            return true
        }
    }
}

/// Reads whole messages.
enum WireReader {
    static func request(_ bytes: [UInt8]) throws -> (RequestHead, BodyLength, [UInt8]) {
        var decoder = RequestDecoder()
        return try read(bytes) {
            (input, offset) throws(WireError) in try decoder.decode(input, from: &offset)
        }
    }

    static func response(
        _ bytes: [UInt8], to method: HTTPMethod
    ) throws -> (ResponseHead, BodyLength, [UInt8]) {
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: method)
        return try read(bytes) {
            (input, offset) throws(WireError) in try decoder.decode(input, from: &offset)
        }
    }

    private static func read<Head>(
        _ bytes: [UInt8],
        _ decode: (Span<UInt8>, inout Int) throws(WireError) -> Decoded<Head>
    ) throws -> (Head, BodyLength, [UInt8]) {
        var found: (Head, BodyLength)?
        var body: [UInt8] = []
        var offset = 0
        while true {
            switch try decode(bytes.span, &offset) {
            case .head(let head, let length): found = (head, length)
            case .body(let range): body += bytes[range]
            case .needsMoreInput, .end:
                guard let found else { throw RuleExchange.NotARequest() }
                return (found.0, found.1, body)
            case .informational, .trailers: continue
            }
        }
    }
}
