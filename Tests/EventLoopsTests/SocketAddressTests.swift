import ProxydEventLoops
import Testing

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("255.254.1.0", "255.254.1.0:80"), ("::1", "[::1]:80"),
        ("[::1]", "[::1]:80"), ("2001:DB8:0:0:0:0:0:1", "[2001:db8::1]:80"),
        ("::ffff:10.0.0.1", "10.0.0.1:80"), ("::", "[::]:80"),
    ])
    func `an IP address is read and written in its canonical form`(text: String, shown: String) {
        #expect(SocketAddress(ip: text, port: 80)?.description == shown)
    }

    @Test(arguments: [
        "", "localhost", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "256.0.0.1", "[::1", "::1%lo",
        "1.2.3.4 ", "[]", "1.2.3.4\0",
    ])
    func `other spellings are no IP address`(text: String) {
        #expect(SocketAddress(ip: text, port: 80) == nil)
    }

    @Test func `a mapped address equals the IPv4 one`() {
        let mapped = SocketAddress(ip: "::ffff:127.0.0.1", port: 1)
        #expect(mapped == SocketAddress(ip: "127.0.0.1", port: 1))
        #expect(mapped?.isLoopback == true)
    }

    @Test func `loopback is the whole of 127 and one IPv6 address`() {
        let loopback = ["127.0.0.1", "127.255.255.255", "::1"]
        let others = ["128.0.0.1", "126.255.255.255", "::2", "10.0.0.1", "0.0.0.0", "::"]
        #expect(loopback.allSatisfy { SocketAddress(ip: $0, port: 0)?.isLoopback == true })
        #expect(others.allSatisfy { SocketAddress(ip: $0, port: 0)?.isLoopback == false })
    }

    @Test func `the unspecified addresses are known as such`() {
        #expect(SocketAddress(ip: "0.0.0.0", port: 1)?.isUnspecified == true)
        #expect(SocketAddress(ip: "::", port: 1)?.isUnspecified == true)
        #expect(SocketAddress(ip: "0.0.0.1", port: 1)?.isUnspecified == false)
    }
}
