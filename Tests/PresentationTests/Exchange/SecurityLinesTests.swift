import ProxydHTTPModel
import ProxydParameterCoding
import Testing

@testable import ProxydPresentation

/// Certificates and tokens as text.
struct SecurityLinesTests {
    /// {"alg":"none"} {"exp":1700000000,"iat":1600000000,"sub":"ada"}
    private static let token =
        "eyJhbGciOiJub25lIn0.eyJleHAiOjE3MDAwMDAwMDAsImlhdCI6MTYwMDAwMDAwMCwic3ViIjoiYWRhIn0."
    private static let second: Int64 = 1_000_000_000
    private static let clock = WallTime(.utc)

    private func exchange(_ fields: [(name: String, value: String)], query: String = "") -> Exchange
    {
        let target = Array("/?\(query)".utf8)
        let request = Request(
            url: RawURL(scheme: "http", host: "h", port: 80, origin: target),
            head: RequestHead(method: .get, target: target, fields: HeaderFields(fields)))
        return Exchange(
            id: ExchangeID(rawValue: 1), state: .complete, request: request, response: nil,
            timeline: Timeline(wallStart: 0, start: 0))
    }

    @Test func `a JSON Web Token is shown with its location, its claims and its expiry`()
        throws
    {
        let found = FoundToken.all(
            in: exchange([(name: "Authorization", value: "Bearer \(Self.token)")]),
            requestBody: [], responseBody: Array("{\"t\":\"\(Self.token)\"}".utf8))
        #expect(found.map(\.place) == ["request authorization"])
        let token = try #require(found.first)
        let lines = token.lines(Self.clock, now: 1_700_003_600 * Self.second)
        #expect(
            lines.map(\.text) == [
                "request authorization  not verified", "  {", "    \"alg\": \"none\"", "  }",
                "  {", "    \"exp\": 1700000000,", "    \"iat\": 1600000000,",
                "    \"sub\": \"ada\"", "  }", "signature     none: anyone could have made it",
                "issued        2020-09-13 12:26:40  1,157 days ago",
                "good until    2023-11-14 22:13:20  1 h 0 m ago",
            ])
        #expect(lines.last?.runs.last?.style == .bad)
        let before = token.lines(Self.clock, now: 1_699_996_400 * Self.second)
        #expect(before.last?.text.hasSuffix("in 1 h 0 m") == true)
        #expect(before.last?.runs.last?.style == .plain)
    }

    /// Servers write such expiries for "never"; nanoseconds of 64 bits end in 2262.
    @Test(
        arguments: [
            ("exp", "9999999999", "good until    2286-11-20 17:46:39  in "),
            ("nbf", "9999999999", "good from     2286-11-20 17:46:39  in "),
            ("iat", "9999999999", "issued        2286-11-20 17:46:39  in "),
            ("exp", "5e10", "good until    3554-06-09 16:53:20  in "),
            ("exp", "-5e10", "good until    0385-07-25 07:06:40  "),
            ("iat", "-99999999999", "issued        -1199-02-15 14:13:21  "),
        ])
    func `a JSON Web Token with a time far in the past or future is shown with its date`(
        claim: String, time: String, line: String
    ) throws {
        let claims = Base64.text(Array("{\"\(claim)\":\(time)}".utf8))
        let text = "eyJhbGciOiJIUzI1NiJ9.\(claims.filter { $0 != "=" }).AAAA"
        let found = FoundToken.all(
            in: exchange([]), requestBody: Array(text.utf8), responseBody: [])
        for now in [0, 1_700_000_000 * Self.second, Int64.min, .max] {
            let lines = try #require(found.first).lines(Self.clock, now: now)
            #expect(lines.last?.text.hasPrefix(line) == true, "\(lines.map { $0.text })")
        }
    }

    @Test(arguments: [("W10", "not a readable JSON object"), ("_w8", "not a readable JSON object")])
    func `the claims of a JSON Web Token are shown as unreadable if they are not a JSON object`(
        claims: String, words: String
    ) throws {
        let found = FoundToken.all(
            in: exchange([]), requestBody: Array("eyJhbGciOiJub25lIn0.\(claims).".utf8),
            responseBody: [])
        let lines = try #require(found.first).lines(Self.clock, now: 0).map(\.text)
        #expect(lines.contains { $0.hasPrefix("claims") && $0.contains(words) }, "\(lines)")
    }

    @Test func `JSON Web Tokens are found in the query and the body of a request`() {
        let found = FoundToken.all(
            in: exchange([], query: "t=\(Self.token)"), requestBody: [], responseBody: [])
        #expect(found.map(\.place) == ["request query"])
        let body = FoundToken.all(
            in: exchange([]), requestBody: Array(Self.token.utf8), responseBody: [])
        #expect(body.map(\.place) == ["request body"])
    }

    private func certificate(until notAfter: Int64) -> CertificateFacts {
        CertificateFacts(
            subject: "CN=a.test", issuer: "CN=root", names: ["a.test", "10.0.0.1"],
            notBefore: 1_600_000_000, notAfter: notAfter, key: "RSA, 2048 bits",
            signature: "sha256WithRSAEncryption", serial: "0A", fingerprint: "AB:CD",
            isAuthority: false)
    }

    @Test func `a certificate is shown with its validity and the days left`() {
        let now = 1_700_000_000 * Self.second
        let lines = certificate(until: 1_700_000_000 + 86_400 * 90).lines(1, Self.clock, now: now)
        #expect(
            lines.map(\.text) == [
                "1  CN=a.test", "   issuer        CN=root", "   for           a.test, 10.0.0.1",
                "   valid from    2020-09-13 12:26:40",
                "   valid until   2024-02-12 22:13:20  90 days left",
                "   key           RSA, 2048 bits", "   signature     sha256WithRSAEncryption",
                "   serial        0A", "   sha-256       AB:CD",
            ])
        let soon = certificate(until: 1_700_000_000 + 86_400).lines(1, Self.clock, now: now)
        #expect(soon[4].text.hasSuffix("1 day left") && soon[4].runs.last?.style == .notice)
        let late = certificate(until: 1_699_999_999).lines(1, Self.clock, now: now)
        #expect(late[4].text.hasSuffix("expired") && late[4].runs.last?.style == .bad)
        // RFC 5280, section 4.1.2.5: the end of a certificate that has none.
        let endless = certificate(until: 253_402_300_799).lines(1, Self.clock, now: now)
        #expect(endless[4].text.hasPrefix("   valid until   9999-12-31 23:59:59  2,9"))
    }

    @Test(arguments: [Int64.min, .max])
    func `a certificate with an extreme expiry time is shown completely`(time: Int64) {
        for now in [Int64.min, 0, .max] {
            #expect(certificate(until: time).lines(1, Self.clock, now: now).count == 9)
        }
    }

    @Test func `the security section says if there are no certificates and no tokens`() {
        #expect(
            SecurityLines.lines([], [], Self.clock, now: 0).map(\.text) == [
                "certificates of the server", "  none were shown", "", "JSON Web Tokens",
                "  none were found",
            ])
    }
}
