import ClientLib
import ProxydHTTPModel
import Testing

struct HTTPConnectHandshakeTests {
    private func handshake() throws -> HTTPConnectHandshake {
        let fields = HeaderFields([("Proxy-Authorization", "Basic QTpC"), ("Host", "other")])
        return try HTTPConnectHandshake(host: "example.com", port: 443, fields: fields)
    }

    /// The last step, with the octets cut at `cut`.
    private func step(_ octets: [UInt8], cut: Int) throws -> ProxyHandshakeStep {
        var handshake = try handshake()
        _ = handshake.begin()
        let (first, second) = (Array(octets[..<cut]), Array(octets[cut...]))
        let step = try handshake.receive(first.span)
        if step == .needsMoreInput { return try handshake.receive(second.span) }
        guard case .established(let leftover) = step else { return step }
        return .established(leftover: leftover + second)
    }

    @Test func `it asks with its own Host and the fields given`() throws {
        var handshake = try handshake()
        #expect(
            ASCII.text(handshake.begin()) == "CONNECT example.com:443 HTTP/1.1\r\n"
                + "Host: example.com:443\r\nProxy-Authorization: Basic QTpC\r\n\r\n")
        var literal = try HTTPConnectHandshake(host: "::1", port: 1)
        #expect(
            ASCII.text(literal.begin()).hasPrefix("CONNECT [::1]:1 HTTP/1.1\r\nHost: [::1]:1\r\n"))
    }

    @Test func `a 2xx establishes, and what follows is the server's, cut anywhere`() throws {
        let octets = Array(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        for cut in 0...octets.count {
            #expect(try step(octets, cut: cut) == .established(leftover: Array("hello".utf8)))
        }
    }

    @Test func `one octet at a time is enough`() throws {
        var handshake = try handshake()
        _ = handshake.begin()
        var last = ProxyHandshakeStep.needsMoreInput
        for octet in "HTTP/1.0 204 x\r\n\r\n".utf8 {
            #expect(last == .needsMoreInput)
            let octets = [octet]
            last = try handshake.receive(octets.span)
        }
        #expect(last == .established(leftover: []))
    }

    @Test func `anything else refuses, cut anywhere`() throws {
        let octets = Array(
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 2\r\n\r\nno"
                .utf8)
        for cut in 0...octets.count {
            guard case .refused(let head) = try step(octets, cut: cut) else {
                Issue.record("not refused at \(cut)")
                continue
            }
            #expect(head.status == 407)
            #expect(AuthenticationChallenge.all(in: head.fields, from: .proxy).count == 1)
        }
    }

    @Test(arguments: ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "\u{5}\u{0}\r\n\r\n"])
    func `what is no HTTP is an error`(text: String) throws {
        #expect(throws: ProxyHandshakeError.malformedResponse) {
            try step(Array(text.utf8), cut: text.utf8.count)
        }
    }

    @Test func `a head without an end is an error`() throws {
        var handshake = try HTTPConnectHandshake(host: "h", port: 1, headByteCountMax: 1_000)
        _ = handshake.begin()
        let octets = Array("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 2_000))".utf8)
        #expect(throws: ProxyHandshakeError.malformedResponse) {
            try handshake.receive(octets.span)
        }
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a/b", "u@h", "é"])
    func `a name that cannot be said is refused`(host: String) {
        #expect(throws: ProxyHandshakeError.badDestination) {
            try HTTPConnectHandshake(host: host, port: 1)
        }
    }

    @Test func `a field cannot end the head`() {
        #expect(throws: ProxyHandshakeError.badCredential) {
            try HTTPConnectHandshake(
                host: "h", port: 1, fields: HeaderFields([("A", "b\r\nC: d")]))
        }
    }
}
