import ProxydHTTPModel
import ProxydRedaction
import ProxydRedactionTestSupport
import Testing

struct RedactionTests {
    private let redaction = Redaction()

    @Test(arguments: [
        ("Authorization", "Basic QTpC", "Basic REDACTED"), ("AUTHORIZATION", "x", "REDACTED"),
        ("Cookie", "a=b; c=d", "a=REDACTED; c=REDACTED"), ("Accept", "a", "a"), ("Cookie", "", ""),
    ])
    func `redaction hides credentials in header fields but keeps auth schemes and cookie names`(
        name: String, value: String, shown: String
    ) {
        #expect(redaction.value(Array(value.utf8), ofField: name) == Array(shown.utf8))
    }

    @Test(arguments: [
        ("token=a&b=c&&x", "token=REDACTED&b=c&&x"), ("t%6Fken=a", "t%6Fken=REDACTED"),
        ("Password=", "Password="), ("token", "token"), ("", ""),
        ("a=token&%zz=%&%74oken=b=c", "a=token&%zz=%&%74oken=REDACTED"),
    ])
    func `redaction changes only the secret values in queries and forms`(
        pairs: String, shown: String
    ) {
        let form = HeaderFields([("Content-Type", "application/x-www-form-urlencoded")])
        #expect(redaction.body(Array(pairs.utf8), fields: form) == Array(shown.utf8))
        #expect(redaction.target(Array("/p?\(pairs)".utf8)) == Array("/p?\(shown)".utf8))
    }

    @Test(arguments: [
        ("http://u:s@h/p", "http://REDACTED@h/p"), ("h://u@h:x", "h://REDACTED@h:x"),
        ("http://u:s@t@h?a=b@c", "http://REDACTED@h?a=b@c"), ("u:s@h/p", "REDACTED@h/p"),
        ("/to?a=http://u:s@h/&b=c@d", "/to?a=REDACTED&b=c@d"),
        ("/x://h/://u:s@h", "/x://h/://REDACTED@h"), ("http://h/a@b", "http://h/a@b"),
        ("/a@b?c=http://h&d=e@f", "/a@b?c=http://h&d=e@f"), ("a@b", "a@b"), ("://", "://"),
        ("http://u:s@", "http://REDACTED@"), ("http://h#u:s@", "http://h#u:s@"),
    ])
    func `user names and passwords in URLs are redacted`(target: String, shown: String) {
        #expect(redaction.target(Array(target.utf8)) == Array(shown.utf8))
    }

    @Test
    func `the user can choose exactly which fields and parameters are redacted, ignoring case`() {
        let own = Redaction(onlyFields: ["X-Mine"], parameters: ["MINE"])
        #expect(own.value([0x61], ofField: "x-mine") == Array(Redaction.placeholder.utf8))
        #expect(own.hidesParameter(named: "mine"))
        #expect(!own.hidesField(named: "authorization"))
    }
}

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

    @Test
    func `redaction hides every credential in the test corpus, whatever its spelling or location`()
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
