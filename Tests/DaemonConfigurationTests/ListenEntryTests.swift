import ProxydConfigurationText
import Testing

@testable import ProxydDaemonConfiguration

struct ListenEntryTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "proxy", "127.0.0.1", UInt16(8_080)),
        ("[::1]:0", "proxy", "::1", 0),
        ("socks://127.0.0.1:1080", "socks", "127.0.0.1", 1_080),
        ("transparent://[::1]:3129", "transparent", "::1", 3_129),
    ])
    func `a listen entry is parsed into a mode and an address and written back unchanged`(
        text: String, mode: String, ip: String, port: UInt16
    ) throws {
        let entry = try ListenEntry.value(text)
        #expect(entry.mode.name == mode)
        #expect(entry.address.ip == ip)
        #expect(entry.address.port == port)
        #expect(entry.text == text)
    }

    @Test func `a listen entry without a mode means proxy mode, and modes are case-insensitive`()
        throws
    {
        #expect(try ListenEntry.value("proxy://127.0.0.1:1") == ListenEntry.value("127.0.0.1:1"))
        #expect(try ListenEntry.value("SOCKS://127.0.0.1:1").mode == .socks)
    }

    @Test(arguments: [
        ("reverse://origin.test@127.0.0.1:1", "https://origin.test", false),
        ("reverse://origin.test:8443@[::1]:1", "https://origin.test:8443", false),
        ("reverse://origin.test/a/b@127.0.0.1:1", "https://origin.test/a/b", false),
        ("reverse://origin.test@127.0.0.1:1?plain", "http://origin.test", false),
        ("reverse+tls://origin.test:81@127.0.0.1:1?plain", "http://origin.test:81", true),
        ("reverse+tls://192.0.2.1@127.0.0.1:1", "https://192.0.2.1", true),
        ("reverse://[2001:db8::1]:8443/x@127.0.0.1:1", "https://[2001:db8::1]:8443/x", false),
        // A path may contain an @.
        ("reverse://origin.test/@a@127.0.0.1:1", "https://origin.test/@a", false),
    ])
    func `a reverse listen entry is parsed into server and address and written back unchanged`(
        text: String, server: String, hasTLS: Bool
    ) throws {
        let entry = try ListenEntry.value(text)
        let tls: ReverseRoute.ClientTLS? = hasTLS ? .authority(names: []) : nil
        let wanted = try #require(ReverseServer(url: server))
        #expect(entry.mode == .reverse(ReverseRoute(to: wanted, clientTLS: tls)))
        #expect(wanted.url == server)
        #expect(entry.text == text)
    }

    @Test func `a reverse listen entry with explicit defaults equals the short form`() throws {
        let entry = try ListenEntry.value("reverse://origin.test@127.0.0.1:1")
        for other in [
            "reverse+https://origin.test@127.0.0.1:1", "reverse://ORIGIN.test:443/@127.0.0.1:1",
        ] {
            #expect(try ListenEntry.value(other) == entry)
        }
    }

    @Test(arguments: [
        (
            "socks://localhost:1",
            "expected ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080 after socks://, found "
                + "\"localhost:1\""
        ),
        (
            "sock://127.0.0.1:1",
            "\"sock://127.0.0.1:1\" has no known mode before ://; the modes are proxy, reverse, "
                + "socks, "
                + "transparent and reverse+tls; did you mean socks?"
        ),
        (
            "reverse://origin.test",
            "\"reverse://origin.test\" does not say where to listen: write "
                + "reverse://HOST@ADDRESS:PORT"
        ),
        (
            "reverse://origin.test@:8080",
            "expected ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080 after @, found \":8080\""
        ),
        (
            "reverse://a b@127.0.0.1:1",
            "\"a b\" is not a server: write HOST, HOST:PORT or HOST:PORT/PREFIX, and ?plain at the "
                + "end if it speaks http"
        ),
    ])
    func `the error for an invalid listen entry says what was expected`(
        text: String, message: String
    ) {
        let error = #expect(throws: ConfigurationValueError.self) { try ListenEntry.value(text) }
        #expect(error?.message == message)
    }

    @Test(arguments: [
        "", ":", "://", "socks://", "socks://127.0.0.1", "socks:127.0.0.1:1", "reverse://@",
        "reverse://@127.0.0.1:1", "reverse://h:0@127.0.0.1:1", "reverse://h:65536@127.0.0.1:1",
        "reverse://u@h@127.0.0.1:1", "reverse://h?x@127.0.0.1:1", "reverse://h/a?b@127.0.0.1:1",
        "reverse://::1@127.0.0.1:1", "reverse://[::1@127.0.0.1:1", "reverse://[h]@127.0.0.1:1",
        "reverse://[10.0.0.1]@127.0.0.1:1", "reverse://[::/8]@127.0.0.1:1",
        "reverse://é@127.0.0.1:1", "reverse://h/é@127.0.0.1:1", "reverse://h\0@127.0.0.1:1",
        "reverse+https://h@127.0.0.1:1?plain", "socks://127.0.0.1:1?plain", "127.0.0.1\0:1",
    ])
    func `an invalid listen entry is rejected`(text: String) {
        #expect(throws: ConfigurationValueError.self) { try ListenEntry.value(text) }
    }
}
