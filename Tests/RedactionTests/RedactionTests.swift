import ProxydHTTPModel
import ProxydRedaction
import Testing

struct RedactionTests {
    private let redaction = Redaction()

    @Test(arguments: [
        ("Authorization", "Basic QTpC", "Basic REDACTED"), ("AUTHORIZATION", "x", "REDACTED"),
        ("Cookie", "a=b; c=d", "a=REDACTED; c=REDACTED"), ("Accept", "a", "a"), ("Cookie", "", ""),
    ])
    func `redaction hides the credential in a field but keeps its scheme and cookie names`(
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

    @Test func `the user can choose which fields and parameters are redacted, in any letter case`()
    {
        let own = Redaction(onlyFields: ["X-Mine"], parameters: ["MINE"])
        #expect(own.value([0x61], ofField: "x-mine") == Array(Redaction.placeholder.utf8))
        #expect(own.hidesParameter(named: "mine"))
        #expect(!own.hidesField(named: "authorization"))
    }
}
