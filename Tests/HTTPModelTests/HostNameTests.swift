import ProxydHTTPModel
import Testing

/// Case and a final dot make no other host.
struct HostNameTests {
    @Test(arguments: [
        ("h.example", "h.example"), ("H.Example", "h.example"), ("h.example.", "h.example"),
        ("H.", "h"), ("127.0.0.1.", "127.0.0.1"), ("::1", "::1"), (".", "."), ("", ""),
    ])
    func `the canonical form of a host name is in lower case without a final dot`(
        name: String, canonical: String
    ) {
        #expect(HostName.canonical(name) == canonical)
        #expect(HostName.areSame(name, canonical))
    }

    @Test(arguments: [("a", "b"), ("h", "h.h"), ("h", "h.."), ("", ".")])
    func `host names that differ beyond case and one final dot are treated as different hosts`(
        left: String, right: String
    ) {
        #expect(!HostName.areSame(left, right))
        #expect(HostName.canonical(left) != HostName.canonical(right))
    }
}
