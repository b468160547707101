import ProxydHTTPModel
import ProxydRedaction
import ProxydRedactionTestSupport
import Testing

/// Credentials and what sounds like them, in every spelling and every place.
struct CorpusTests {
    /// What is left of a case.
    private static func shown(_ sample: SecretCase) -> String {
        let update = sample.update(ExchangeID(rawValue: 1))
        let redaction = Redaction()
        let bodies = BodyRedactor(redaction), heads = HeadRedactor(redaction)
        var shown: [UInt8] = []
        let request = change(update.requestBody, update.requestHead?.fields, bodies)
        let response = change(update.responseBody, update.responseHead?.fields, bodies)
        shown += update.requestHead.map { heads.request($0, request.change).bytes } ?? []
        shown += update.responseHead.map { heads.response($0, response.change).bytes } ?? []
        shown += request.bytes + response.bytes
        for message in update.messages {
            guard case .bytes(let bytes) = message.content else { continue }
            switch MessageRedactor(redaction).change(bytes, message.kind, isWhole: true) {
            case .unchanged: shown += bytes
            case .replaced(let bytes), .leftOut(let bytes): shown += bytes
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    private static func change(
        _ body: ExchangeUpdate.BodyProgress, _ fields: HeaderFields?, _ bodies: BodyRedactor
    ) -> (change: BodyChange, bytes: [UInt8]) {
        let body = Body(body.appended)
        let change = bodies.change(body, fields, isOpaque: false)
        return (change, change.applied(to: body).kept)
    }

    @Test func `redaction hides every corpus credential, in any spelling and part of an exchange`()
    {
        #expect(SecretCorpus.all.count >= 400)
        for sample in SecretCorpus.all {
            let shown = CorpusTests.shown(sample)
            #expect(!shown.contains(sample.word), "\(sample)\n→ \(shown)")
        }
    }

    @Test func `redaction does not hide text that only resembles a credential`() {
        #expect(LookAlikes.all.count >= 100)
        for sample in LookAlikes.all {
            let shown = CorpusTests.shown(sample)
            #expect(shown.contains(sample.word), "\(sample)\n→ \(shown)")
        }
    }
}
