import ProxydHTTPModel
import Testing

@testable import ProxydTransport

/// Answers to Digest challenges: the examples of the RFCs, and what they say in other places.
struct DigestSessionTests {
    private func session(
        _ challenge: String, _ user: String, _ password: String, nonce: String = "c"
    ) throws -> DigestSession {
        let parsed = try #require(HTTPChallenge.parse(Array(challenge.utf8)).first)
        return DigestSession(
            try #require(DigestChallenge(parsed)), user: user, password: password,
            clientNonce: nonce)
    }

    private func answer(
        _ session: inout DigestSession, _ method: HTTPMethod = .get, _ target: String = "/x",
        body: [UInt8]? = nil
    ) throws -> HTTPChallenge {
        let value = session.authorization(
            method: method, target: Array(target.utf8), body: body)
        let bytes = try #require(value)
        return try #require(HTTPChallenge.parse(bytes).first)
    }

    /// RFC 7616 §3.9.1, RFC 2617 §3.5, RFC 2069 §2.4 with its erratum.
    @Test(arguments: [
        (
            "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=MD5, "
                + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\"", "Circle of Life",
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "8ca523f5e9506fed4657c9700eebdbec"
        ),
        (
            "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=SHA-256, "
                + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\"", "Circle of Life",
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        ),
        (
            "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", "
                + "nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"", "Circle Of Life", "0a4f113b",
            "6629fae49393a05397450978507c4ef1"
        ),
        (
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"",
            "CircleOfLife", "c", "1949323746fe6a43ef61f9606e7febea"
        ),
    ])
    func `the Digest examples of RFC 2069, 2617 and 7616 get their published responses`(
        _ challenge: String, _ password: String, _ nonce: String, _ response: String
    ) throws {
        var session = try session(challenge, "Mufasa", password, nonce: nonce)
        let answer = try self.answer(&session, .get, "/dir/index.html")
        #expect(answer.text("response") == response)
        #expect(answer.text("username") == "Mufasa" && answer.text("uri") == "/dir/index.html")
        let isLegacy = !challenge.contains("qop")
        #expect(answer.text("qop") == (isLegacy ? nil : "auth"))
        #expect(answer.text("nc") == (isLegacy ? nil : "00000001"))
        #expect(answer.text("cnonce") == (isLegacy ? nil : nonce))
    }

    /// The challenge of RFC 7616 §3.9.2, whose printed answer was made with another hash.
    @Test func `Digest sends a hashed user name if the challenge asks for it with userhash`() throws
    {
        let challenge =
            "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, "
            + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", "
            + "opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\", charset=UTF-8, "
            + "userhash=true"
        var session = try session(
            challenge, "J\u{E4}s\u{F8}n Doe", "Secret, or not?",
            nonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        let answer = try self.answer(&session, .get, "/doe.json")
        #expect(
            answer.text("username")
                == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(
            answer.text("response")
                == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
        #expect(answer.text("userhash") == "true" && answer.text("algorithm") == "SHA-512-256")
        #expect(answer.text("opaque") == "HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS")
    }

    @Test func `the Digest nonce count increases with each request and restarts with a new nonce`()
        throws
    {
        var session = try session("Digest realm=r, nonce=n1, qop=auth", "u", "p")
        var last: String?
        for _ in 1...17 { last = try self.answer(&session).text("nc") }
        #expect(last == "00000011")
        session.use(nonce: Array("n2".utf8))
        let answer = try self.answer(&session)
        #expect(answer.text("nonce") == "n2" && answer.text("nc") == "00000001")
    }

    /// RFC 7616 §3.4.2: the secret of a session is that of the nonce it began with.
    @Test func `an MD5-sess Digest session keeps its session key when the nonce changes`() throws {
        var session = try session(
            "Digest realm=r, nonce=n1, qop=auth, algorithm=MD5-sess", "u", "p")
        let first = try answer(&session, .post).text("response")
        #expect(first == "bc4e7b94cca6a5f716580ea0a88a5da0")
        let second = try answer(&session, .post).text("response")
        #expect(second == "820ecc9c1cf792d66a0f81c1cda14c54")
        session.use(nonce: Array("n2".utf8))
        let third = try answer(&session, .post).text("response")
        #expect(third == "4cb232490b2fc5316bdf3cfbc5a26444")
    }

    @Test
    func `a Digest challenge that offers only auth-int is answered only if the body is known`()
        throws
    {
        let challenge = "Digest realm=r, nonce=n, qop=\"auth-int\", algorithm=SHA-256"
        var session = try session(challenge, "u", "p")
        let put = HTTPMethod(rawValue: "PUT")
        let none = session.authorization(method: put, target: [0x2F], body: nil)
        #expect(none == nil)
        let answered = try answer(&session, put, body: Array("abc".utf8))
        #expect(answered.text("qop") == "auth-int")
        #expect(
            answered.text("response")
                == "202c1f935db5a533c6f7bb20892fd1c9670b431b827a47388f7c21bb7430ca7b")
        var empty = try self.session(challenge, "u", "p")
        let response = try answer(&empty, put, body: []).text("response")
        #expect(
            response == "8cb3c8aa9c85e4cd4936ebe0e610ab75fab9a1a9e7430eec9f10c7c4bcd5fb38")
    }

    @Test func `Digest sends a non-ASCII user name in the encoding of RFC 8187`() throws {
        var session = try session("Digest realm=r, nonce=n, qop=auth", "J\u{E4} \"x", "p")
        let value = session.authorization(method: .get, target: [0x2F], body: nil)
        let text = String(decoding: try #require(value), as: UTF8.self)
        #expect(text.hasPrefix("Digest username*=UTF-8''J%C3%A4%20%22x, realm=\"r\", "))
    }

    @Test func `quotes and backslashes in Digest parameters are escaped and parsed back`() throws {
        var session = try session(
            "Digest realm=\"a\\\"b\\\\c\", nonce=\"n\\\"\", opaque=\"\\\\\"", "u\"v", "p")
        let value = session.authorization(method: .get, target: [0x2F], body: nil)
        let text = String(decoding: try #require(value), as: UTF8.self)
        #expect(
            text.hasPrefix("Digest username=\"u\\\"v\", realm=\"a\\\"b\\\\c\", nonce=\"n\\\"\", "))
        let parsed = try #require(HTTPChallenge.parse(Array(text.utf8)).first)
        #expect(parsed.text("realm") == "a\"b\\c" && parsed.text("opaque") == "\\")
    }

    @Test func `Digest client nonces are unique`() {
        #expect(Set((0..<100).map { _ in DigestSession.randomNonce() }).count == 100)
    }
}
