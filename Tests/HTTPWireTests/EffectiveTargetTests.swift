import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct EffectiveTargetTests {
    private let tunnel = Receiver.origin(scheme: "https", host: "a.test", port: 443)

    private func resolve(
        _ start: String,
        _ lines: String = "Host: a.test\n",
        via receiver: Receiver = .proxy
    ) -> String {
        do throws(WireError) {
            let head = try HeadParser.parseRequestHead(WireText.bytes("\(start)\n\(lines)\n"))
            switch try EffectiveTarget.resolve(head, via: receiver) {
            case .forward(let url): return "\(url)"
            case .tunnel(let host, let port): return "tunnel \(host) \(port)"
            case .proxyItself(let path): return "proxy \(path)"
            }
        } catch {
            return "\(error.kind) \(error.suggestedStatus)"
        }
    }

    @Test(arguments: [
        ("http://a.test/x?y", "http://a.test/x?y"), ("https://a.test/", "https://a.test/"),
        ("HTTPS://A.test:443", "https://A.test/"), ("http://a.test:8080/", "http://a.test:8080/"),
        ("http://[::1]:80/", "http://[::1]/"), ("http://[2001:db8::1%3a]/", "badHost 400"),
        ("http://1.2.3.4:65535/", "http://1.2.3.4:65535/"),
        ("http://a_b.test/", "http://a_b.test/"),
        ("http:///x", "badHost 400"), ("http://", "badHost 400"), ("http://:80/", "badHost 400"),
        ("http://?x", "badHost 400"), ("http://a.test:65536/", "badPort 400"),
        ("http://a.test:0/", "badPort 400"), ("http://a.test:x/", "badPort 400"),
        ("http://a.test:-1/", "badPort 400"), ("http://a.test:000080/", "badPort 400"),
        ("http://u:p@a.test/", "userInfo 400"), ("http://a.test@evil.test/", "userInfo 400"),
        ("http://@a.test/", "userInfo 400"), ("http://a.test\\evil.test/", "badHost 400"),
        ("http://a:b:c/", "badPort 400"), ("http://[::1/", "badHost 400"),
        ("http://[::1]x/", "badHost 400"), ("http://[a.test]/", "badHost 400"),
        ("http://::1/", "badHost 400"), ("http://a\"b/", "badHost 400"),
        ("ftp://a.test/", "unsupportedScheme 400"), ("file:///etc/passwd", "unsupportedScheme 400"),
        ("http:/a.test/", "badRequestTarget 400"), ("http:a.test", "badRequestTarget 400"),
        ("a.test", "badRequestTarget 400"), ("a.test:80", "badRequestTarget 400"),
        ("?x", "badRequestTarget 400"), ("*", "badRequestTarget 400"),
        ("**", "badRequestTarget 400"),
        ("/x?y", "proxy /x?y"), ("//a.test/x", "proxy //a.test/x"),
        ("http://a.test#f", "http://a.test/"), ("http://a.test/x#f?y", "http://a.test/x"),
        ("http://a.test?x#f", "http://a.test/?x"),
        ("http://a.test:81#@b.test/", "http://a.test:81/"),
        ("http://a.test#@b.test/", "http://a.test/"), ("http://a.test/##", "http://a.test/"),
        ("http#://a.test/", "badRequestTarget 400"), ("#", "badRequestTarget 400"),
        ("/x#f", "proxy /x"), ("http://\\xc3\\xa9.test/", "badHost 400"),
        ("http://a.test/\\xc3\\xa9?\\xff", "http://a.test/é?%FF"),
    ])
    func `a request target to a forward proxy resolves to a URL, the proxy itself or an error`(
        target: String, expected: String
    ) {
        // `\xHH` is a byte, any other backslash itself.
        let target = target.replacing("\\", with: "\\\\").replacing("\\\\x", with: "\\x")
        #expect(resolve("GET \(target) HTTP/1.1") == expected)
    }

    @Test(arguments: [
        ("a.test:443", "tunnel a.test 443"), ("[::1]:8443", "tunnel ::1 8443"),
        ("1.2.3.4:1", "tunnel 1.2.3.4 1"), ("A.test.:65535", "tunnel A.test. 65535"),
        ("h", "badPort 400"), ("h:", "badPort 400"), (":443", "badHost 400"), (":", "badHost 400"),
        ("h:65536", "badPort 400"), ("h:0", "badPort 400"), ("h:x", "badPort 400"),
        ("http://h:443", "badPort 400"), ("u@h:1", "userInfo 400"), ("h:1/", "badPort 400"),
        ("::1:443", "badHost 400"), ("[::1]", "badPort 400"), ("[::1:443", "badHost 400"),
        ("[]:443", "badHost 400"), ("[h]:443", "badHost 400"), ("/", "badHost 400"),
        ("*", "badPort 400"), ("h:4 43", "badRequestLine 400"), ("h:+443", "badPort 400"),
        ("h/x:443", "badHost 400"), ("h?:443", "badHost 400"), ("h:443#f", "badPort 400"),
        ("h:443:443", "badPort 400"),
    ])
    func `a CONNECT target must be a host and a port`(target: String, expected: String) {
        #expect(resolve("CONNECT \(target) HTTP/1.1") == expected)
    }

    @Test func `a CONNECT request inside a tunnel is rejected`() {
        #expect(resolve("CONNECT b.test:443 HTTP/1.1", via: tunnel) == "badRequestTarget 400")
    }

    @Test(arguments: [
        ("/x?y", "https://a.test/x?y"), ("https://a.test/x", "https://a.test/x"),
        ("https://A.TEST:443/x", "https://A.TEST/x"), ("http://a.test/x", "misdirected 400"),
        ("https://b.test/x", "misdirected 400"), ("https://a.test:444/", "misdirected 400"),
        ("/x?y#f", "https://a.test/x?y"), ("https://a.test#@b.test", "https://a.test/"),
    ])
    func `a request inside a tunnel must be for the tunnel's origin`(
        target: String, expected: String
    ) {
        #expect(resolve("GET \(target) HTTP/1.1", via: tunnel) == expected)
    }

    private let address = Receiver.address(scheme: "https", host: "192.0.2.1", port: 8_443)

    @Test(arguments: [
        ("/x?y", "https://a.test:8443/x?y"), ("/x#f", "https://a.test:8443/x"),
        ("https://b.test:8443/x", "https://b.test:8443/x"),
        ("https://b.test/x", "misdirected 400"), ("http://b.test:8443/x", "misdirected 400"),
        ("*", "badRequestTarget 400"), ("x", "badRequestTarget 400"),
    ])
    func `in transparent mode, a target can name any host, but must keep the scheme and port`(
        target: String, expected: String
    ) {
        #expect(resolve("GET \(target) HTTP/1.1", via: address) == expected)
    }

    @Test
    func `in transparent mode, URLs have the original port, and without Host the original address`()
    {
        #expect(
            resolve("GET / HTTP/1.1", "Host: a.test:1\n", via: address) == "https://a.test:8443/")
        #expect(resolve("GET / HTTP/1.0", "", via: address) == "https://192.0.2.1:8443/")
        #expect(resolve("OPTIONS * HTTP/1.1", via: address) == "https://a.test:8443")
        #expect(
            resolve("CONNECT a.test:8443 HTTP/1.1", via: address) == "badRequestTarget 400")
        #expect(resolve("GET / HTTP/1.1", "Host: a\nHost: b\n", via: address) == "badHost 400")
    }

    private func replaced(_ prefix: String = "") -> Receiver {
        .server(
            ReplacedServer(
                scheme: "https", host: "origin.test", port: 8_443, prefix: prefix,
                names: ["127.0.0.1", "::1", "Us.test"]))
    }

    @Test(arguments: [
        ("/x?y", "https://origin.test:8443/base/x?y"), ("/", "https://origin.test:8443/base/"),
        ("//b.test/x", "https://origin.test:8443/base//b.test/x"),
        ("http://us.test/x", "https://origin.test:8443/base/x"),
        ("http://US.TEST.:99/x", "https://origin.test:8443/base/x"),
        ("http://[::1]:8080", "https://origin.test:8443/base/"),
        ("https://origin.test/x#f", "https://origin.test:8443/base/x"),
        ("http://b.test/x", "notAProxy 400"), ("http://origin.test.b.test/", "notAProxy 400"),
        ("http://sub.origin.test/", "notAProxy 400"), ("http://127.0.0.2/", "notAProxy 400"),
        ("ftp://origin.test/", "unsupportedScheme 400"), ("*", "badRequestTarget 400"),
        ("origin.test:8443", "badRequestTarget 400"), ("x", "badRequestTarget 400"),
    ])
    func `a reverse proxy accepts targets that name it or its server and rejects other hosts`(
        target: String, expected: String
    ) {
        #expect(resolve("GET \(target) HTTP/1.1", via: replaced("/base")) == expected)
    }

    @Test
    func `a reverse proxy rejects a request without a Host field but accepts any host name in it`()
    {
        #expect(
            resolve("GET /x HTTP/1.1", "Host: b.test\n", via: replaced())
                == "https://origin.test:8443/x")
        #expect(resolve("GET /x HTTP/1.1", "", via: replaced()) == "badHost 400")
        #expect(resolve("OPTIONS * HTTP/1.1", via: replaced("/base")) == "https://origin.test:8443")
        #expect(resolve("CONNECT origin.test:8443 HTTP/1.1", via: replaced()) == "notAProxy 400")
    }

    @Test func `only an OPTIONS request may have the target *`() {
        #expect(resolve("OPTIONS * HTTP/1.1", via: tunnel) == "https://a.test")
        #expect(resolve("OPTIONS * HTTP/1.1") == "proxy *")
        #expect(resolve("OPTIONS http://a.test HTTP/1.1") == "http://a.test")
        #expect(resolve("OPTIONS *#f HTTP/1.1", via: tunnel) == "https://a.test")
        #expect(resolve("OPTIONS http://a.test#f HTTP/1.1") == "http://a.test")
        #expect(resolve("GET * HTTP/1.1", via: tunnel) == "badRequestTarget 400")
    }

    @Test(arguments: [
        ("", "badHost 400"), ("Host: a.test\nHost: a.test\n", "badHost 400"),
        ("Host: a.test\nhost: b.test\n", "badHost 400"), ("Host:\n", "badHost 400"),
        ("Host: a b\n", "badHost 400"), ("Host: a,b\n", "http://a.test/"),
        ("Host: u@a.test\n", "userInfo 400"), ("Host: a.test:99999\n", "badPort 400"),
        ("Host: http://a.test\n", "badPort 400"), ("Host: a.test/x\n", "badHost 400"),
        ("Host: [::1]:80\n", "http://a.test/"), ("Host: a.test:\n", "http://a.test/"),
    ])
    func `an HTTP/1.1 request needs exactly one valid Host`(lines: String, expected: String) {
        #expect(resolve("GET http://a.test/ HTTP/1.1", lines) == expected)
        #expect(
            resolve("CONNECT a.test:1 HTTP/1.1", lines).hasPrefix("tunnel")
                == expected.hasPrefix("http")
        )
    }

    @Test func `an HTTP/1.0 request may lack Host but must not have two`() {
        #expect(resolve("GET http://a.test/ HTTP/1.0", "") == "http://a.test/")
        #expect(resolve("GET http://a.test/ HTTP/1.0", "Host: a\nHost: a\n") == "badHost 400")
    }

    @Test(arguments: [
        ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true),
        ("1:2:3:4:5:6:7::", true), ("::2:3:4:5:6:7:8", true), ("::ffff:1.2.3.4", true),
        ("1:2:3:4:5:6:1.2.3.4", true), ("fe80::1", true), ("ABCD::ef01", true),
        ("", false), (":", false), (":::", false), ("1", false), ("1:2:3:4:5:6:7", false),
        ("1:2:3:4:5:6:7:8:9", false), ("1::2::3", false), ("12345::", false), ("g::", false),
        ("1:", false), (":1", false), ("::1:", false), ("::1.2.3", false), ("::1.2.3.256", false),
        ("::1.2.3.4.5", false), ("1.2.3.4", false), ("fe80::1%eth0", false), ("::1 ", false),
        ("1:2:3:4:5:6:7:1.2.3.4", false), ("1::2:3:4:5:6:7:8", false), ("::1.2.3.4:5", false),
    ])
    func `a request target with an IPv6 literal is accepted only if the literal is well-formed`(
        literal: String, isValid: Bool
    ) {
        let expected = isValid ? "tunnel \(literal) 1" : ""
        let resolved = resolve("CONNECT [\(literal)]:1 HTTP/1.1")
        #expect((resolved == expected) == isValid, "\(resolved)")
    }
}
