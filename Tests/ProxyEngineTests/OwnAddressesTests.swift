import ProxydEventLoops
import Testing

@testable import ProxydProxyEngine

struct OwnAddressesTests {
    private func address(_ ip: String, _ port: UInt16 = 8_080) throws -> SocketAddress {
        try #require(SocketAddress(ip: ip, port: port))
    }

    @Test func `an address guarded twice counts as the proxy's own until both guards are released`()
        throws
    {
        let own = OwnAddresses()
        let page = try address("127.0.0.1", 9_000)
        own.guardAddress(page)
        own.guardAddress(page)
        own.release(page)
        #expect(own.contains(page))
        #expect(own.contains(try address("0.0.0.0", 9_000)))
        own.release(page)
        #expect(!own.contains(page))
        own.release(page)
        #expect(!own.contains(page))
    }

    @Test
    func `a listener's address counts as the proxy's own even after guards on it are released`()
        throws
    {
        let own = OwnAddresses()
        let listener = try address("127.0.0.1")
        own.insert(listener)
        own.guardAddress(listener)
        own.release(listener)
        own.release(listener)
        #expect(own.contains(listener))
    }
}
