import ClientLib
import ProxydHTTPModel
import Testing

struct ChallengeTests {
    private func parse(_ line: String) -> [String] {
        AuthenticationChallenge.parse(line.utf8).map { challenge in
            ([challenge.scheme] + (challenge.token68.map { ["<\($0)>"] } ?? [])
                + challenge.parameters.map { "\($0.name)=\(ASCII.text($0.value))" })
                .joined(separator: "|")
        }
    }

    @Test(arguments: [
        ("Basic", ["Basic"]), ("Basic realm=\"a\"", ["Basic|realm=a"]),
        ("Basic realm=a", ["Basic|realm=a"]), ("basic REALM = \"a\"", ["basic|REALM=a"]),
        ("Basic realm=\"a, b=\\\"c\\\\\"", ["Basic|realm=a, b=\"c\\"]),
        ("Basic realm=\"\"", ["Basic|realm="]),
        (
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\","
                + " Basic realm=\"simple\"",
            ["Newauth|realm=apps|type=1|title=Login to \"apps\"", "Basic|realm=simple"]
        ),
        ("Negotiate, Basic realm=x", ["Negotiate", "Basic|realm=x"]),
        ("Negotiate YII+/a==, NTLM", ["Negotiate|<YII+/a==>", "NTLM"]),
        ("NTLM abc", ["NTLM|<abc>"]),
        (" , ,Basic realm=a,,  charset=\"UTF-8\" , ", ["Basic|realm=a|charset=UTF-8"]),
        (
            "Digest realm=a,nonce=\"b\",qop=\"auth, auth-int\",Basic realm=\"c\"",
            ["Digest|realm=a|nonce=b|qop=auth, auth-int", "Basic|realm=c"]
        ),
        ("Basic realm=\"unfinished, Digest", ["Basic|realm=unfinished, Digest"]),
        ("Basic realm=\"a\\", ["Basic|realm=a\\"]), ("realm=\"x\"", []), ("", []),
        ("@@, Basic", ["Basic"]),
        ("\"a, b\", Basic", ["Basic"]), ("Basic a b=c", ["Basic", "a|b=c"]),
    ])
    func `a WWW-Authenticate value is parsed into challenges with their parameters`(
        line: String, expected: [String]
    ) {
        #expect(parse(line) == expected)
    }

    @Test
    func `challenges are collected from all WWW-Authenticate or all Proxy-Authenticate fields`() {
        let fields = HeaderFields([
            ("WWW-Authenticate", "Basic realm=a"), ("Proxy-Authenticate", "Basic realm=p"),
            ("www-authenticate", "Digest realm=b"),
        ])
        #expect(AuthenticationChallenge.all(in: fields).compactMap(\.realm) == ["a", "b"])
        #expect(
            AuthenticationChallenge.all(in: fields, from: .proxy).compactMap(\.realm) == ["p"])
    }

    @Test func `challenge parameters keep bytes that are not ASCII`() {
        let line = Array("Basic realm=\"".utf8) + [0xE9, 0xFF, 0x22]
        #expect(AuthenticationChallenge.parse(line).first?.value("Realm") == [0xE9, 0xFF])
    }

    @Test
    func `parsing random bytes as challenges does not crash or return too many challenges`() {
        let alphabet: [UInt8] = Array("\"\\,= aB:".utf8) + [0, 0xFF]
        var state: UInt64 = 1
        for _ in 0..<2_000 {
            let line = (0..<40).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            #expect(AuthenticationChallenge.parse(line).count <= 40)
        }
        let many = Array(repeating: "a", count: 100_000).joined(separator: ",")
        #expect(AuthenticationChallenge.parse(many.utf8).count < 100)
    }
}
