import ProxydParameterCoding
import Testing

struct JSONWebTokenTests {
    /// The example of RFC 7519 §3.1.
    private static let example =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// The unsecured example of RFC 7519 §6.1.
    private static let unsecured =
        "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."

    @Test func `the examples of RFC 7519 are parsed as JSON Web Tokens`() throws {
        let token = try #require(JSONWebToken(Self.example))
        #expect(token.algorithm == "HS256" && !token.isEncrypted)
        #expect(token.time("exp") == 1_300_819_380)
        #expect(token.time("nbf") == nil)
        guard case .object(let members)? = token.claims else {
            Issue.record("no claims")
            return
        }
        #expect(members.map(\.name) == ["iss", "exp", "http://example.com/is_root"])
        #expect(JSONWebToken(Self.unsecured)?.algorithm == "none")
    }

    @Test func `only the header of an encrypted JSON Web Token is read`() throws {
        let header = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ"
        let token = try #require(JSONWebToken("\(header).a.b.c.d"))
        #expect(token.isEncrypted && token.claims == nil && token.algorithm == "RSA-OAEP")
    }

    @Test(arguments: [
        "", ".", "..", "a.b.c", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJub25lIn0.e30",
        "eyJ0eXAiOiJKV1QifQ.e30.", "W10.e30.", "eyJhbGciOjF9.e30.", "eyJhbGciOiJub25lIn0.é.",
        "eyJhbGciOiJub25lI!0.e30.",
    ])
    func `strings with too few segments or an invalid header are not parsed as JSON Web Tokens`(
        text: String
    ) {
        #expect(JSONWebToken(text)?.algorithm ?? "" == (text.contains("é") ? "none" : ""))
    }

    @Test func `JSON Web Token claims that are not an object, and times out of range, are ignored`()
        throws
    {
        let array = try #require(JSONWebToken("eyJhbGciOiJub25lIn0.W10."))
        #expect(array.claims == nil)
        // {"exp":1e300,"iat":"x","nbf":12.5}
        let odd = try #require(
            JSONWebToken(
                "eyJhbGciOiJub25lIn0.eyJleHAiOjFlMzAwLCJpYXQiOiJ4IiwibmJmIjoxMi41fQ."))
        #expect(odd.time("exp") == nil && odd.time("iat") == nil && odd.time("nbf") == 12)
    }

    @Test func `JSON Web Tokens are found inside any text, and each is listed once`() {
        let text = "Bearer \(Self.example), {\"t\":\"\(Self.unsecured)\"}\r\n\(Self.example)"
        let found = JSONWebToken.all(in: Array(text.utf8).span, countMax: 10)
        #expect(found.map(\.text) == [Self.example, Self.unsecured])
        #expect(JSONWebToken.all(in: Array(text.utf8).span, countMax: 1).count == 1)
        let long = [UInt8](repeating: UInt8(ascii: "e"), count: 1 << 20)
        #expect(JSONWebToken.all(in: long.span, countMax: 10) == [])
    }
}
