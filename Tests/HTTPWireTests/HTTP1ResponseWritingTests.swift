import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@Suite struct HTTP1ResponseWritingTests {
    @Test func `end-to-end fields of a response are forwarded byte for byte`() {
        let lines = "DATE: x\nset-cookie: a=b\nSet-Cookie:  c=d \\t\nX:\\xff\nContent-Length: 5\n\n"
        let sent = Forwarding.response("HTTP/1.1 200 OK\n\(lines)")
        #expect(sent.text == "HTTP/1.1 200 OK\n\(lines)")
        #expect(sent.body == .exactly(5))
    }

    @Test(arguments: [
        ("HTTP/1.0 200 OK", "HTTP/1.1 200 OK"), ("HTTP/1.1 404", "HTTP/1.1 404 "),
        ("HTTP/1.1 299 a  b \\xe9", "HTTP/1.1 299 a  b \\xe9"),
    ])
    func `a forwarded status line has the proxy's version and the server's code and reason`(
        line: String, sent: String
    ) {
        #expect(
            Forwarding.response("\(line)\nContent-Length: 0\n\n").text
                == "\(sent)\nContent-Length: 0\n\n"
        )
    }

    @Test
    func `spaces before colons, bare LF and folded lines are repaired in a forwarded response`() {
        let sent = Forwarding.response(
            "HTTP/1.1 200 OK\\nA : b\\nB:  x \\nC: d\n  e\nContent-Length \\t: 0\\n\\n"
        )
        #expect(
            sent.text
                == "HTTP/1.1 200 OK\nA: b\nB:  x\nC: d e\nContent-Length: 0\n\n"
        )
    }

    @Test(arguments: [
        "Connection: keep-alive", "Keep-Alive: timeout=5", "Proxy-Connection: close",
        "Connection: X\nX: 1", "Upgrade: h2,h2c\nConnection: Upgrade", "TE: trailers",
        "x: 1\nconnection: ,X,", "Connection: close",
    ])
    func `hop-by-hop fields of a response are not forwarded`(lines: String) {
        #expect(
            Forwarding.response("HTTP/1.1 200 OK\nA: b\n\(lines)\nContent-Length: 0\n\n").text
                == "HTTP/1.1 200 OK\nA: b\nContent-Length: 0\n\n"
        )
    }

    @Test func `naming Content-Length in Connection does not remove it from a response`() {
        #expect(
            Forwarding.response(
                "HTTP/1.1 200 OK\nConnection: Content-Length\nContent-Length: 5\n\n"
            ).text
                == "HTTP/1.1 200 OK\nContent-Length: 5\n\n"
        )
    }

    @Test(arguments: ["42, 42", "42\nA: b\nContent-Length: 42", "42 ,42,"])
    func `a Content-Length that repeats the same value is forwarded once`(lengths: String) {
        let sent = Forwarding.response("HTTP/1.1 200 OK\nContent-Length: \(lengths)\n\n")
        let rest = lengths.contains("A") ? "A: b\n" : ""
        #expect(sent.text == "HTTP/1.1 200 OK\nContent-Length: 42\n\(rest)\n")
        #expect(sent.body == .exactly(42))
    }

    @Test
    func `a chunked response is forwarded as chunked with Transfer-Encoding at its old position`() {
        let sent = Forwarding.response("HTTP/1.1 200 OK\ntransfer-encoding: Chunked\nA: b\n\n")
        #expect(sent.text == "HTTP/1.1 200 OK\ntransfer-encoding: Chunked\nA: b\n\n")
        #expect(sent.body == .chunked)
    }

    @Test
    func `a chunked response to an HTTP/1.0 client is sent without chunks and ended by closing`() {
        let sent = Forwarding.response(
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nA: b\n\n",
            version: .http10,
            persistent: false
        )
        #expect(sent.text == "HTTP/1.1 200 OK\nA: b\nConnection: close\n\n")
        #expect(sent.body == .untilClose)
    }

    @Test(arguments: ["", "Transfer-Encoding: identity\n"])
    func `a response with neither Content-Length nor chunks is sent with Connection: close`(
        coding: String
    ) {
        let sent = Forwarding.response("HTTP/1.1 200 OK\n\(coding)A: b\n\n", persistent: true)
        #expect(sent.text == "HTTP/1.1 200 OK\nA: b\nConnection: close\n\n")
        #expect(sent.body == .untilClose)
    }

    @Test(arguments: ["gzip", "chunked, identity", "x-own, gzip"])
    func `a transfer coding that the proxy does not decode is named to HTTP/1.1 clients only`(
        coding: String
    ) {
        let lines = "HTTP/1.1 200 OK\nTransfer-Encoding: \(coding)\n"
        let sent = Forwarding.response(lines + "A: b\n\n", persistent: true)
        #expect(sent.text == lines + "A: b\nConnection: close\n\n")
        let old = Forwarding.response(lines + "\n", version: .http10, persistent: false)
        #expect(old.text == "HTTP/1.1 200 OK\nConnection: close\n\n")
    }

    @Test
    func `in the last response on a connection, the server's Connection field is set to close`() {
        #expect(
            Forwarding.response(
                "HTTP/1.1 200 OK\nCONNECTION: keep-alive\nContent-Length: 0\n\n",
                persistent: false
            ).text == "HTTP/1.1 200 OK\nCONNECTION: close\nContent-Length: 0\n\n"
        )
        #expect(
            Forwarding.response(
                "HTTP/1.1 200 OK\nConnection:  Close\nContent-Length: 0\n\n",
                persistent: false
            ).text == "HTTP/1.1 200 OK\nConnection:  Close\nContent-Length: 0\n\n"
        )
    }

    @Test(arguments: [
        ("Content-Length: 1000000000", "Content-Length: 1000000000\n"),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked\n"),
        ("Content-Length: 5\nTransfer-Encoding: chunked", ""), ("Content-Length: x", ""),
        ("Content-Length: 5, 5", "Content-Length: 5\n"),
        ("Content-Length: 010", "Content-Length: 10\n"),
        ("Transfer-Encoding: gzip", ""),
        ("A: b", "A: b\n"),
    ])
    func `a 304 or a response to HEAD keeps only valid framing fields`(line: String, sent: String) {
        for (start, method) in [("200 OK", HTTPMethod.head), ("304 x", .get)] {
            let response = Forwarding.response("HTTP/1.1 \(start)\n\(line)\n\n", to: method)
            #expect(response.text == "HTTP/1.1 \(start)\n\(sent)\n")
            #expect(response.body == BodyLength.none)
        }
    }

    @Test func `Transfer-Encoding in a response to HEAD is not forwarded to an HTTP/1.0 client`() {
        #expect(
            Forwarding.response(
                "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n",
                to: .head,
                version: .http10
            ).text == "HTTP/1.1 200 OK\n\n"
        )
    }

    @Test(arguments: ["204 No Content", "100 Continue", "103 Early Hints"])
    func `a 1xx or 204 response is forwarded without framing fields`(start: String) {
        for line in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
            #expect(
                Forwarding.response("HTTP/1.1 \(start)\n\(line)\nLink: x\n\n").text
                    == "HTTP/1.1 \(start)\nLink: x\n\n"
            )
        }
    }

    @Test
    func `a 101 or a successful response to CONNECT has no framing fields and no close option`() {
        #expect(
            Forwarding.response(
                "HTTP/1.1 200 OK\nContent-Length: 5\nTransfer-Encoding: chunked\nA: b\n\n",
                to: .connect,
                persistent: false
            ).text == "HTTP/1.1 200 OK\nA: b\n\n"
        )
        #expect(
            Forwarding.response(
                "HTTP/1.1 101 x\nUpgrade: websocket\nConnection: upgrade, x\nX: y\n\n",
                persistent: false
            ).text == "HTTP/1.1 101 x\nUpgrade: websocket\nConnection: Upgrade\n\n"
        )
    }

    @Test func `an interim response is never forwarded with the close option`() {
        #expect(
            Forwarding.response("HTTP/1.1 103 x\nConnection: close\nLink: y\n\n", persistent: false)
                .text == "HTTP/1.1 103 x\nLink: y\n\n"
        )
    }

    @Test func `a 426 response is forwarded with its Upgrade and Connection fields`() {
        #expect(
            Forwarding.response(
                "HTTP/1.1 426 x\nUpgrade: TLS/1.0\nConnection: Upgrade\nContent-Length: 0\n\n"
            ).text
                == "HTTP/1.1 426 x\nUpgrade: TLS/1.0\nConnection: Upgrade\nContent-Length: 0\n\n"
        )
    }

    @Test
    func `a forwarded response gets a Via with the received version and the proxy's pseudonym`() {
        var options = ForwardedResponse.Options()
        options.viaPseudonym = "proxyd"
        #expect(
            Forwarding.response("HTTP/1.0 204 x\nA: b\n\n", options: options).text
                == "HTTP/1.1 204 x\nA: b\nVia: 1.0 proxyd\n\n"
        )
    }
}
