import ProxydHTTPModel
import ProxydTransport
import Testing

struct HTTPConnectHandshakeTests {
    private func handshake() throws -> HTTPConnectHandshake {
        let fields = HeaderFields([("Proxy-Authorization", "Basic QTpC"), ("Host", "other")])
        return try HTTPConnectHandshake(host: "example.com", port: 443, fields: fields)
    }

    @Test func `CONNECT to an upstream proxy carries the target in Host and the configured fields`()
        throws
    {
        var handshake = try handshake()
        #expect(
            ASCII.text(handshake.begin()) == "CONNECT example.com:443 HTTP/1.1\r\n"
                + "Host: example.com:443\r\nProxy-Authorization: Basic QTpC\r\n\r\n")
        var literal = try HTTPConnectHandshake(host: "::1", port: 1)
        #expect(
            ASCII.text(literal.begin()).hasPrefix("CONNECT [::1]:1 HTTP/1.1\r\nHost: [::1]:1\r\n"))
    }

    @Test func `in CONNECT to an upstream proxy, the password is sent as Basic credentials`() throws
    {
        let password = ProxyPassword(user: "Aladdin", password: "open sesame")
        var handshake = try HTTPConnectHandshake(host: "h", port: 1, password: password)
        #expect(
            ASCII.text(handshake.begin()).hasSuffix(
                "\r\nProxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n"))
        #expect(!"\(password)".contains("sesame") && !String(reflecting: password).contains("ses"))
    }

    @Test(arguments: [("a:b", "c"), ("a", "b\n"), ("a\0", "b")])
    func `credentials for an upstream proxy that Basic cannot encode are rejected`(
        user: String, password: String
    ) {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try HTTPConnectHandshake(
                host: "h", port: 1, password: ProxyPassword(user: user, password: password))
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 204 x\r\n\r\n", "HTTP/1.1 200\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nA: b\r\n\r\nHTTP/1.1 299 x\r\n\r\n",
        // A length means nothing here (RFC 9110 §9.3.6).
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func `a 2xx from an upstream proxy opens the tunnel, and bytes after it come from the server`(
        response: String
    ) throws {
        for leftover in ["", "hello", "HTTP/1.1 407 No\r\n\r\n"] {
            let outcomes = HandshakePlay.all(
                try handshake(), [Array((response + leftover).utf8)])
            for outcome in outcomes {
                #expect(outcome.end == .success(.established(leftover: Array(leftover.utf8))))
            }
        }
    }

    @Test(arguments: [302, 403, 407, 502])
    func `a final response other than 2xx from an upstream proxy refuses the tunnel`(status: Int)
        throws
    {
        let response =
            "HTTP/1.1 \(status) No\r\nProxy-Authenticate: Basic realm=x\r\n"
            + "Content-Length: 2\r\n\r\nno"
        for outcome in HandshakePlay.all(try handshake(), [Array(response.utf8)]) {
            guard case .success(.refused(let head)) = outcome.end else {
                Issue.record("not refused: \(outcome.end)")
                continue
            }
            #expect(head.status == status)
            #expect(head.fields["Proxy-Authenticate"] == "Basic realm=x")
        }
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "\u{5}\u{0}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n",
    ])
    func `a non-HTTP response from an upstream proxy to CONNECT is an error`(text: String)
        throws
    {
        for outcome in HandshakePlay.all(try handshake(), [Array(text.utf8)]) {
            #expect(outcome.end == .failure(.malformedResponse))
        }
    }

    @Test func `endless interim responses to CONNECT from an upstream proxy are an error`() throws {
        let text = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000)
        let outcome = HandshakePlay.run(try handshake(), [Array(text.utf8)])
        #expect(outcome.end == .failure(.malformedResponse))
    }

    @Test func `an oversized response head from an upstream proxy is an error`() throws {
        let handshake = try HTTPConnectHandshake(host: "h", port: 1, headByteCountMax: 1_000)
        let bytes = Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 2_000))".utf8)
        let outcomes = HandshakePlay.all(handshake, [bytes])
        for outcome in outcomes { #expect(outcome.end == .failure(.malformedResponse)) }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "SSH-2.0\r\n",
    ])
    func `a finished CONNECT handshake with an upstream proxy accepts no further input`(
        text: String
    ) throws {
        var handshake = try handshake()
        _ = handshake.begin()
        _ = try? handshake.receive(Array(text.utf8).span)
        #expect(throws: ProxyHandshakeError.malformedResponse) {
            try handshake.receive(Array("HTTP/1.1 200 OK\r\n\r\n".utf8).span)
        }
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a/b", "u@h", "é"])
    func `a host name that cannot be written in CONNECT to an upstream proxy is rejected`(
        host: String
    ) {
        #expect(throws: ProxyHandshakeError.badDestination) {
            try HTTPConnectHandshake(host: host, port: 1)
        }
    }

    @Test func `a field value with a line break is rejected in CONNECT to an upstream proxy`() {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try HTTPConnectHandshake(
                host: "h", port: 1, fields: HeaderFields([("A", "b\r\nC: d")]))
        }
    }
}
