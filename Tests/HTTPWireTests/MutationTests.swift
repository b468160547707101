import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// Valid messages with random damage, from fixed seeds: nothing traps, cutting changes nothing, and
/// what is forwarded is valid.
@Suite struct MutationTests {
    private static let seeds = Array(UInt64(1)...UInt64(8))
    private static let roundCount = 250

    private static let messages: [WireVector] = WireVectorFile.all.filter { $0.bytes.count < 400 }

    @Test(arguments: seeds)
    func `a damaged HTTP message is parsed the same however its bytes are split`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<Self.roundCount {
            let vector = Self.messages[random.below(Self.messages.count)]
            let bytes = Damage.apply(to: vector.bytes, using: &random)
            let damaged = vector.with(bytes)
            let whole = damaged.transcript([bytes[...]])
            let pieces = Cuts.pieces(bytes, of: 1 + random.below(9))
            #expect(damaged.transcript(Cuts.drip(bytes)) == whole, "\(bytes)")
            #expect(damaged.transcript(pieces) == whole, "\(bytes)")
        }
    }

    @Test(arguments: seeds)
    func `a damaged message that is accepted is forwarded as a valid message with the same meaning`(
        seed: UInt64
    ) {
        var random = SplitMix(seed: seed &* 977)
        let receiver = Receiver.origin(scheme: "http", host: "a.test", port: 80)
        for _ in 0..<Self.roundCount {
            let vector = Self.messages[random.below(Self.messages.count)]
            let bytes = Damage.apply(to: vector.bytes, using: &random)
            if vector.isResponse {
                Self.checkResponse(bytes)
            } else {
                Self.checkRequest(bytes, via: receiver)
            }
        }
    }

    private static func checkRequest(_ bytes: [UInt8], via receiver: Receiver) {
        var decoder = RequestDecoder()
        var offset = 0
        guard case .head(let head, let body)? = try? decoder.decode(bytes.span, from: &offset),
            case .forward(let url)? = try? EffectiveTarget.resolve(head, via: receiver)
        else { return }
        var output: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedRequest(head: head, url: url, body: body), into: &output)
        var again = RequestDecoder()
        offset = 0
        guard case .head(let sent, let sentBody)? = try? again.decode(output.span, from: &offset)
        else {
            Issue.record("\(WireText.escaped(bytes)) gave \(WireText.escaped(output))")
            return
        }
        #expect(offset == output.count && sentBody == body)
        #expect(sent.method == head.method && Array(sent.target) == url.origin)
        #expect(sent.fields.lines.filter { $0.name == .host }.count == 1)
        var twice: [UInt8] = []
        HTTP1HeadWriter.write(
            ForwardedRequest(head: sent, url: url, body: sentBody), into: &twice)
        #expect(twice == output)
    }

    private static func checkResponse(_ bytes: [UInt8]) {
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: .get)
        var offset = 0
        guard
            case .head(let head, let body)? = try? decoder.decode(bytes.span, from: &offset)
        else { return }
        var output: [UInt8] = []
        let client = HTTP1Recipient(version: .http11, requestMethod: .get, isPersistent: true)
        HTTP1HeadWriter.write(
            ForwardedResponse(head: head, body: body), to: client, into: &output)
        var again = ResponseDecoder()
        again.expectResponse(toMethod: .get)
        offset = 0
        guard case .head(let sent, let sentBody)? = try? again.decode(output.span, from: &offset)
        else {
            Issue.record("\(WireText.escaped(bytes)) gave \(WireText.escaped(output))")
            return
        }
        #expect(offset == output.count && sentBody == body && sent.status == head.status)
        #expect(!sent.wasRepaired)
    }
}

extension WireVector {
    fileprivate func with(_ bytes: [UInt8]) -> WireVector {
        WireVector(
            title: title,
            isResponse: isResponse,
            methods: methods,
            endsThere: endsThere,
            bytes: bytes,
            events: []
        )
    }
}
