import Testing

@testable import ProxydTLS

/// Hosts of certificates: which are addresses, and for which a certificate can be made.
struct PeerNameTests {
    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("[127.0.0.1]", [127, 0, 0, 1]),
            ("::1", [UInt8](repeating: 0, count: 15) + [1]),
            ("[::1]", [UInt8](repeating: 0, count: 15) + [1]),
            ("2001:DB8::", [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12)),
            ("::ffff:1.2.3.4", [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 1, 2, 3, 4]),
        ] as [(String, [UInt8])])
    func `an IP address is parsed to its bytes, with or without brackets`(
        _ text: String, _ bytes: [UInt8]
    ) {
        guard case .address(let found, let shown) = PeerName(text) else {
            Issue.record("no address: \(text)")
            return
        }
        #expect(found == bytes)
        #expect(!shown.contains("[") && PeerName(text).isIssuable)
    }

    @Test(arguments: [
        ("Example.COM", "example.com"), ("example.com.", "example.com"), ("a_b-c.1", "a_b-c.1"),
        ("localhost", "localhost"), ("1.2.3", "1.2.3"), ("1.2.3.4.5", "1.2.3.4.5"),
        ("xn--mnchen-3ya.test", "xn--mnchen-3ya.test"), ("a-.test", "a-.test"),
    ])
    func `a host name is normalized to lower case without its final dot`(
        _ text: String, _ name: String
    ) {
        #expect(PeerName(text) == .dns(name))
        #expect(PeerName(text).isIssuable)
    }

    @Test(arguments: [
        "", ".", "..", ".a", "a..b", "a..", "*", "*.a.test", "a b", "a/b", "a:1", "[::1", "::1]",
        "[::1]:443", "m\u{FC}nchen.test", "a\0b", "127.0.0.1\0", "::1\0", "1.2.3.4/8", "::1%lo",
        "a\n", "a,DNS:b", String(repeating: "a", count: 64),
        String(repeating: "a.", count: 126) + "ab",
    ])
    func `no certificate can be issued for an invalid host name`(_ text: String) {
        #expect(!PeerName(text).isIssuable)
    }

    @Test func `certificates can be issued for host names up to the length limits of DNS`() {
        let label = String(repeating: "a", count: 63)
        #expect(PeerName(label).isIssuable)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(
            separator: ".")
        #expect(longest.utf8.count == 253 && PeerName(longest).isIssuable)
        #expect(PeerName(longest + ".").isIssuable && !PeerName(longest + "b").isIssuable)
    }

    @Test(
        arguments: [
            ([1, 2, 3, 4], "1.2.3.4"), ([UInt8](repeating: 0, count: 15) + [1], "::1"),
            ([UInt8](repeating: 0, count: 16), "::"), ([], nil), ([1, 2, 3], nil),
            ([1, 2, 3, 4, 255, 255, 255, 0], nil), ([UInt8](repeating: 1, count: 17), nil),
        ] as [([UInt8], String?)])
    func `the bytes of an IP address in a certificate are shown in the usual notation`(
        _ bytes: [UInt8], _ wanted: String?
    ) {
        let name = bytes.withUnsafeBufferPointer { PeerName(bytes: $0) }
        #expect(name?.description == wanted)
    }

    @Test func `a full LRU cache evicts the least recently used entry`() {
        var cache = LRUCache<String, Int>(countMax: 2)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        #expect(cache.value(for: "a") == 1)
        cache.insert(3, for: "c")
        #expect(cache.value(for: "b") == nil && cache.value(for: "a") == 1)
        // A value that takes the place of another needs no room.
        cache.insert(4, for: "c")
        #expect(cache.count == 2 && cache.value(for: "c") == 4 && cache.value(for: "a") == 1)
        cache.insert(5, for: "d")
        #expect(cache.value(for: "c") == nil && cache.count == 2)
        #expect(cache.value(for: "none") == nil)
    }
}
