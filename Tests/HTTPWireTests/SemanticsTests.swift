import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct SemanticsTests {
    private func request(_ lines: String, version: String = "1.1") throws -> RequestHead {
        try HeadParser.parseRequestHead(WireText.bytes("GET / HTTP/\(version)\n\(lines)\n"))
    }

    private func response(_ lines: String, version: String = "1.1") throws -> ResponseHead {
        try HeadParser.parseResponseHead(WireText.bytes("HTTP/\(version) 200 OK\n\(lines)\n"))
    }

    @Test(arguments: [
        ("", "1.1", true), ("Connection: close\n", "1.1", false), ("", "1.0", false),
        ("Connection: ,, CLOSE ,\n", "1.1", false), ("Connection: keep-alive\n", "1.0", false),
        ("Connection: x\nConnection: Close\n", "1.1", false), ("Connection: closed\n", "1.1", true),
        ("Proxy-Connection: close\n", "1.1", true),
    ])
    func `a request's version and Connection field decide if the client connection stays open`(
        lines: String, version: String, expected: Bool
    ) throws {
        #expect(try request(lines, version: version).isPersistent == expected)
    }

    @Test(arguments: [
        ("", "1.1", true), ("Connection: close\n", "1.1", false), ("", "1.0", false),
        ("Connection: Keep-Alive\n", "1.0", true),
        ("Connection: keep-alive, close\n", "1.0", false),
    ])
    func `a response's version and Connection field decide if the server connection stays open`(
        lines: String, version: String, expected: Bool
    ) throws {
        #expect(try response(lines, version: version).isPersistent == expected)
    }

    @Test func `Expect: 100-continue has an effect only in an HTTP/1.1 request`() throws {
        #expect(try request("Expect: 100-continue\n").expectsContinue)
        #expect(try request("expect: x, 100-Continue\n").expectsContinue)
        #expect(try !request("Expect: 100-continue\n", version: "1.0").expectsContinue)
        #expect(try !request("Expect: x\n").expectsContinue)
    }

    @Test
    func `an Upgrade field has an effect only if Connection names it and the message is HTTP/1.1`()
        throws
    {
        let both = "Upgrade: websocket, h2c\nConnection: keep-alive, upgrade\nUpgrade: x/1\n"
        #expect(try request(both).upgradeProtocols == ["websocket", "h2c", "x/1"])
        #expect(try request(both).forwardedUpgradeProtocols == ["websocket", "x/1"])
        #expect(try request("Upgrade: websocket\n").upgradeProtocols == [])
        #expect(try request("Connection: upgrade\n").upgradeProtocols == [])
        #expect(try request(both, version: "1.0").upgradeProtocols == [])
        #expect(try response("Upgrade: a\nConnection: Upgrade\n").upgradeProtocols == ["a"])
    }

    @Test func `the options of all Connection lines are collected in lower case`() throws {
        let lines = "Connection: A ,, b\nX: y\nCONNECTION:\nconnection: C\n"
        #expect(try request(lines).connectionTokens == ["a", "b", "c"])
        #expect(try response(lines).connectionTokens == ["a", "b", "c"])
        #expect(try request("").connectionTokens == [])
    }

    @Test(arguments: [
        ("0", UInt64(0)), ("5", 5), ("", nil), ("x", nil), ("-1", nil), ("5 5", nil),
        ("18446744073709551616", UInt64(Int64.max)),
    ])
    func `Max-Forwards is ignored if it is not a number and clamped if it is too large`(
        value: String, expected: UInt64?
    ) throws {
        #expect(try request("Max-Forwards: \(value)\n").maxForwards == expected)
        #expect(try request("").maxForwards == nil)
    }
}
