import CurlCommand
import Testing

struct RedactionTests {
    private let redaction = Redaction()

    @Test(arguments: [
        ("Authorization", "Basic QTpC", "Basic REDACTED"), ("AUTHORIZATION", "x", "REDACTED"),
        ("Cookie", "a=b; c=d", "REDACTED"), ("Accept", "a", "a"), ("Cookie", "", ""),
    ])
    func `a credential keeps its scheme and nothing else`(
        name: String, value: String, shown: String
    ) {
        #expect(redaction.value(Array(value.utf8), ofField: name) == Array(shown.utf8))
    }

    @Test(arguments: [
        ("token=a&b=c&&x", "token=REDACTED&b=c&&x"), ("t%6Fken=a", "t%6Fken=REDACTED"),
        ("Password=", "Password=REDACTED"), ("token", "token"), ("", ""),
        ("a=token&%zz=%&%74oken=b=c", "a=token&%zz=%&%74oken=REDACTED"),
    ])
    func `pairs stay as they are but for the secret values`(pairs: String, shown: String) {
        #expect(redaction.pairs(Array(pairs.utf8)) == Array(shown.utf8))
        #expect(redaction.target(Array("/p?\(pairs)".utf8)) == Array("/p?\(shown)".utf8))
    }

    @Test func `names are the user's to choose, in any case`() {
        let own = Redaction(fieldNames: ["X-Mine"], parameterNames: ["MINE"])
        #expect(own.value([0x61], ofField: "x-mine") == Array(Redaction.placeholder.utf8))
        #expect(own.hidesParameter(named: "mine"))
        #expect(!own.hidesField(named: "authorization"))
    }
}
