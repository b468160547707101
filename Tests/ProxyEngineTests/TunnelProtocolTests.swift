import ProxydTLS
import Testing

@testable import ProxydProxyEngine

/// What a client speaks inside a tunnel, told by its first bytes.
struct TunnelProtocolTests {
    /// A TLS 1.2 hello with nothing but a server name in it.
    static func hello(_ serverName: String) -> [UInt8] {
        func sized(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(bytes.count >> (8 * $0) & 0xFF) } + bytes
        }
        let name = [0] + sized(Array(serverName.utf8), 2)
        let extensions = [0, 0] + sized(sized(name, 2), 2)
        let body: [UInt8] =
            [3, 3] + Array(repeating: 7, count: 32) + [0] + [0, 2, 0x13, 1] + [1, 0]
            + sized(extensions, 2)
        return [0x16, 3, 1] + sized([1] + sized(body, 3), 2)
    }

    private func detected(_ bytes: [UInt8]) -> TunnelProtocol {
        var reader = ClientHelloReader()
        return TunnelProtocol.detect(bytes.span, &reader)
    }

    @Test(arguments: ["h.example", "xn--bcher-kva.example", "under_score.example", "1.0x.example"])
    func `a server name in a ClientHello is used if it is a host name`(name: String) {
        #expect(detected(Self.hello(name)) == .tls(serverName: name, alpn: []))
    }

    @Test(arguments: [
        "h.example:443", "a b", "*.example", "h/x", "[::1]", "127.0.0.1", "127.0.0.1.", "127.1",
        "2130706433", "0x7F000001", "0x7f.1", "a.0x", ".",
    ])
    func `an invalid server name in a ClientHello counts as absent`(name: String) {
        #expect(detected(Self.hello(name)) == .tls(serverName: nil, alpn: []))
    }

    @Test
    func `blank lines before a request in a tunnel are skipped unless there are thousands`() {
        #expect(detected(Array("\r\n \t\r\n".utf8)) == .undecided)
        #expect(detected(Array("\r\n\r\nGET / HTTP/1.1\r\n".utf8)) == .http)
        #expect(detected(Array(repeating: 0x0A, count: 9_000)) == .opaque)
    }

    @Test(arguments: [
        "GET\n", "GET\r\n", "GET\t/\r\n", "GET /\n", "GET / \n", "GET\u{0B}/\n", "GET\u{0C}/ x\n",
        "POST\n\n", "get / http/1.1\n", "Get /x\n", "get http://h/\r\n", "gEt https://h/\n",
        "x / HTTP/9\n", "\n\nDELETE\n", "GET/\n", "FOO\n/x HTTP/1.1\r\n", "foo \r\n\t/ http/1.0\n",
        "FOO /x\n", "FOO-BAR http://h/x \r\n", "get\t/x",
    ])
    func `text in a tunnel that resembles an HTTP request line is detected as HTTP`(text: String) {
        #expect(detected(Array(text.utf8)) == .http)
    }

    @Test(arguments: [
        "get key\r\n", "set key 0 0 1\r\n", "EHLO x\r\n", "GETEX key\r\n", "* 1\r\n",
        "gets /key\r\n", "use /tube\r\n", "SET /key v\r\n", "PING\r\nEHLO x\r\n",
        "SSH-2.0-x\r\n\0\0", "*1\r\n$4\r\nPING\r\n", "0032git-upload-pack /x.git\0host=h\0",
    ])
    func `commands of other text protocols in a tunnel are detected as opaque data`(text: String) {
        #expect(detected(Array(text.utf8)) == .opaque)
    }

    @Test(arguments: [
        "G", "GET", "\r\nPROPFIN", "get", "FOO", "foo ", "FOO /x", "FOO x y", "FOO\r", "FOO\n/x",
    ])
    func `a partial request line in a tunnel is recognized as the beginning of a request`(
        text: String
    ) {
        #expect(detected(Array(text.utf8)) == .undecided)
        let isBegun = TunnelProtocol.isRequestBegun(Array(text.utf8).span)
        #expect(isBegun)
    }

    /// A line of one word may be all that its protocol has to say.
    @Test(arguments: [
        "", "\r\n", "PING\r\n", "SSH-2.0-x\r\n", "BINDING\n\n", "*1\r\n$4", "<?xml ", "{\"a\": 1}",
        "hello, world",
    ])
    func `ambiguous first bytes in a tunnel are not treated as the beginning of a request line`(
        text: String
    ) {
        #expect(detected(Array(text.utf8)) == .undecided)
        let isBegun = TunnelProtocol.isRequestBegun(Array(text.utf8).span)
        #expect(!isBegun)
    }

    @Test func `a tunnel's protocol stays undecided until its ClientHello has arrived completely`()
    {
        let hello = Self.hello("h.example")
        for count in 1..<hello.count {
            let part = Array(hello[..<count])
            #expect(detected(part) == .undecided)
        }
    }
}
