import ProxydEventLoops
import Testing

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("255.254.1.0", "255.254.1.0:80"), ("::1", "[::1]:80"),
        ("[::1]", "[::1]:80"), ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"),
        ("::ffff:10.0.0.1", "10.0.0.1:80"), ("::", "[::]:80"),
    ])
    func `an IP address is parsed and printed in its canonical form`(text: String, shown: String) {
        #expect(SocketAddress(ip: text, port: 80)?.description == shown)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "256.0.0.1", "[::1", "::1%lo",
        "1.2.3.4 ", "[]", "1.2.3.4\0",
    ])
    func `malformed IP addresses, legacy notations and host names are not parsed as IP addresses`(
        text: String
    ) {
        #expect(SocketAddress(ip: text, port: 80) == nil)
    }

    @Test func `an IPv4-mapped IPv6 address equals the IPv4 address`() {
        let mapped = SocketAddress(ip: "::ffff:127.0.0.1", port: 1)
        #expect(mapped == SocketAddress(ip: "127.0.0.1", port: 1))
        #expect(mapped?.isLoopback == true)
    }

    @Test func `only addresses in 127.0.0.0/8 and the IPv6 address ::1 count as loopback`() {
        let loopback = ["127.0.0.1", "127.255.255.255", "::1"]
        let others = ["128.0.0.1", "126.255.255.255", "::2", "10.0.0.1", "0.0.0.0", "::"]
        #expect(loopback.allSatisfy { SocketAddress(ip: $0, port: 0)?.isLoopback == true })
        #expect(others.allSatisfy { SocketAddress(ip: $0, port: 0)?.isLoopback == false })
    }

    @Test func `the unspecified IPv4 and IPv6 addresses are recognized`() {
        #expect(SocketAddress(ip: "0.0.0.0", port: 1)?.isUnspecified == true)
        #expect(SocketAddress(ip: "::", port: 1)?.isUnspecified == true)
        #expect(SocketAddress(ip: "0.0.0.1", port: 1)?.isUnspecified == false)
    }
}
