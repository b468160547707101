import ProxydHTTPModel
import Testing

@testable import ProxydTransport

/// Challenges as servers write them, and as none should (RFC 9110 §11.6.1).
struct HTTPChallengeTests {
    /// Each challenge as `scheme token68 name=value …`.
    private func parsed(_ text: String) -> [String] {
        HTTPChallenge.parse(Array(text.utf8)).map { challenge in
            let parameters = challenge.parameters.map {
                "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))"
            }
            return ([challenge.scheme] + [challenge.token68].compactMap { $0 } + parameters)
                .joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("Basic realm=\"a\"", ["Basic realm=a"]), ("basic Realm=a", ["basic Realm=a"]),
        ("Basic", ["Basic"]), ("NTLM, Negotiate", ["NTLM", "Negotiate"]),
        ("Negotiate abc+/==", ["Negotiate abc+/=="]),
        (
            "NTLM TlRM, Basic realm=a",
            ["NTLM TlRM", "Basic realm=a"]
        ),
        // The example of RFC 9110 §11.6.1.
        (
            "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, "
                + "title=\"Login to \\\"apps\\\"\"",
            ["Basic realm=simple", "Newauth realm=apps type=1 title=Login to \"apps\""]
        ),
        ("Digest realm = \"a\" , nonce= b", ["Digest realm=a nonce=b"]),
        ("Digest a=\"x, Basic realm=y\", b=1", ["Digest a=x, Basic realm=y b=1"]),
        (" , ,Basic realm=a,, ,x=1,", ["Basic realm=a x=1"]), ("A b=, c=\"\"", ["A b= c="]),
        // What no server should write ends nothing.
        ("", []), (",", []), ("=, \"", []), ("realm=a, Basic", ["Basic"]), ("@ Basic", []),
        ("@, Basic realm=a", ["Basic realm=a"]), ("\"a, b\" c, Basic", ["Basic"]),
        ("Basic realm=\"a", ["Basic realm=a"]), ("Basic realm=\"a\\", ["Basic realm=a\\"]),
        ("Basic realm=\"a\\\\\\\"", ["Basic realm=a\\\""]), ("A b=c d=e", ["A b=c d=e"]),
        ("A ==, B", ["B"]), ("A b c", ["A", "b c"]),
    ])
    func `even malformed HTTP auth challenges are parsed into schemes with a token or parameters`(
        _ text: String, _ wanted: [String]
    ) {
        #expect(parsed(text) == wanted)
    }

    @Test func `HTTP auth challenges are read from all header fields of a name, whatever its case`()
    {
        let fields = HeaderFields([
            ("proxy-authenticate", "Basic realm=a"), ("WWW-Authenticate", "Digest"),
            ("Proxy-Authenticate", "NTLM, Negotiate"),
        ])
        #expect(
            HTTPChallenge.all(in: fields, named: "Proxy-Authenticate").map(\.scheme)
                == ["Basic", "NTLM", "Negotiate"])
        #expect(HTTPChallenge.all(in: fields, named: "Authenticate").isEmpty)
    }

    @Test func `scheme and parameter names in HTTP auth challenges are case-insensitive`() throws {
        let challenge = try #require(
            HTTPChallenge.parse(Array("dIgEsT ReAlM=a, realm=b".utf8)).first)
        #expect(challenge.isScheme("digest") && !challenge.isScheme("basic"))
        #expect(challenge.text("REALM") == "a" && challenge.text("rea") == nil)
    }

    @Test func `the number of HTTP auth challenges and parameters that are parsed is limited`() {
        let many = String(repeating: "A,", count: 10_000)
        #expect(HTTPChallenge.parse(Array(many.utf8)).count <= 65)
        let parameters = "A " + String(repeating: "b=1,", count: 10_000)
        let found = HTTPChallenge.parse(Array(parameters.utf8))
        #expect(found.count == 1 && (found.first?.parameters.count ?? 0) <= 257)
    }

    @Test func `parsing an HTTP auth challenge that is cut off at any byte does not crash`() {
        let line = Array("A b=\"\\\"c\", D e=f, G h==, \"i\\".utf8)
        for end in 0...line.count {
            for start in 0...end { _ = HTTPChallenge.parse(line[start..<end]) }
        }
        for byte in UInt8.min ... .max {
            _ = HTTPChallenge.parse([byte])
            _ = HTTPChallenge.parse([0x41, byte, 0x62, 0x3D, byte])
        }
    }

    @Test(arguments: [
        ("Digest realm=a, nonce=b", true), ("Digest realm=a", false), ("Digest nonce=b", false),
        ("Basic realm=a, nonce=b", false), ("Digest realm=a, nonce=b, algorithm=SHA-1", false),
        ("Digest realm=a, nonce=b, algorithm=sha-256-SESS", true),
        ("Digest realm=a, nonce=b, algorithm=-sess", false),
        ("Digest realm=a, nonce=b, qop=token", false), ("Digest realm=a, nonce=b, qop=\"\"", false),
        ("Digest realm=a, nonce=b, qop=\"AUTH-INT\"", true),
        ("Digest realm=a, nonce=b, qop=\"x,auth y\"", true),
    ])
    func `a Digest challenge is usable only with realm, nonce and a known algorithm and qop`(
        _ text: String, _ isOne: Bool
    ) throws {
        let challenge = try #require(HTTPChallenge.parse(Array(text.utf8)).first)
        #expect((DigestChallenge(challenge) != nil) == isOne)
    }

    @Test func `the stale, domain and algorithm parameters of a Digest challenge are parsed`()
        throws
    {
        let text =
            "Digest realm=a, nonce=b, stale=TRUE, domain=\"/a  http://b.test/\", algorithm=SHA-256"
        let challenge = try #require(HTTPChallenge.parse(Array(text.utf8)).first)
        let digest = try #require(DigestChallenge(challenge))
        #expect(digest.isStale && digest.domain == ["/a", "http://b.test/"])
        let weak = try #require(
            HTTPChallenge.parse(Array("Digest realm=a, nonce=b, stale=1".utf8)).first)
        let other = try #require(DigestChallenge(weak))
        #expect(!other.isStale && other.domain.isEmpty)
        #expect(digest.strength > other.strength)
    }
}
