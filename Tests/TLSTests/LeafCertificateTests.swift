import Foundation
import Synchronization
import Testing

@testable import ProxydTLS

@Suite struct LeafCertificateTests {
    private static let day = 86_400

    /// A clock that a test sets.
    private final class ManualClock: Sendable {
        let now = Mutex(CertificateClock.now())

        func advance(_ seconds: Int) { now.withLock { $0 += seconds } }
        func read() -> Int { now.withLock { $0 } }
    }

    private func leaf(_ cache: LeafCertificateCache, _ name: String) throws -> CertificateSummary {
        let der = try cache.serverContext(for: name).certificateDER
        return try #require(CertificateSummary(der: der))
    }

    @Test func `a leaf certificate is for one name only and is valid for at most a week`() throws {
        let authority = try TestAuthority()
        let leaf = try leaf(authority.leaves, "a.example")
        #expect(leaf.alternativeNames == ["a.example"])
        #expect(leaf.issuer == authority.authority.certificate.subject)
        #expect(leaf.subject == "CN=a.example,O=proxyd")
        #expect(leaf.notAfter - leaf.notBefore <= 7 * Self.day)
        let now = CertificateClock.now()
        #expect((now - 48 * 3_600...now).contains(leaf.notBefore))
    }

    @Test
    func `host names that differ only in case, brackets or a final dot share a leaf certificate`()
        throws
    {
        let cache = try TestAuthority().leaves
        let first = try cache.serverContext(for: "a.example")
        #expect(try cache.serverContext(for: "A.EXAMPLE") === first)
        #expect(try cache.serverContext(for: "a.example.") === first)
        let address = try cache.serverContext(for: "2001:db8::1")
        #expect(try cache.serverContext(for: "[2001:DB8::1]") === address)
        #expect(cache.nameCount == 2)
    }

    @Test func `each of many similar host names gets its own leaf certificate`() throws {
        let cache = try TestAuthority().leaves
        for number in 0..<600 {
            for name in ["h\(number).example", "xn--h\(number)-kva.example"] {
                #expect(try leaf(cache, name).alternativeNames == [name])
            }
        }
        #expect(cache.nameCount == LeafCertificateCache.nameCountMax)
    }

    @Test func `the leaf certificate cache evicts the least recently used name first`() throws {
        let cache = try TestAuthority().leaves
        let kept = try cache.serverContext(for: "kept.example")
        let lost = try cache.serverContext(for: "lost.example")
        for number in 0..<LeafCertificateCache.nameCountMax - 1 {
            _ = try cache.serverContext(for: "\(number).example")
            _ = try cache.serverContext(for: "kept.example")
        }
        #expect(try cache.serverContext(for: "kept.example") === kept)
        #expect(try cache.serverContext(for: "lost.example") !== lost)
    }

    @Test
    func `a leaf certificate is renewed before it expires, and also if the clock is set back`()
        throws
    {
        let clock = ManualClock()
        let authority = try TestAuthority()
        let cache = try LeafCertificateCache(
            authority: authority.authority, clock: { clock.read() })
        let first = try leaf(cache, "a.example")
        clock.advance(4 * Self.day)
        #expect(try leaf(cache, "a.example") == first)
        clock.advance(Self.day + 1)
        let second = try leaf(cache, "a.example")
        #expect(second != first)
        #expect(second.notAfter > first.notAfter)
        clock.advance(-30 * Self.day)
        let third = try leaf(cache, "a.example")
        #expect(third.notBefore <= clock.read())
    }

    @Test func `TLS session ticket keys change daily, but the leaf certificate does not`() throws {
        let clock = ManualClock()
        let authority = try TestAuthority()
        let cache = try LeafCertificateCache(
            authority: authority.authority, clock: { clock.read() })
        let first = try cache.serverContext(for: "a.example")
        clock.advance(Self.day)
        let second = try cache.serverContext(for: "a.example")
        #expect(first.base !== second.base)
        #expect(first.certificateDER == second.certificateDER)
        #expect(try cache.serverContext(for: "a.example") === second)
    }

    @Test func `a leaf certificate expires no later than its CA`() throws {
        let authority = try TestAuthority().authority
        let clock = ManualClock()
        clock.now.withLock { $0 = authority.notAfter - 3_600 }
        let cache = try LeafCertificateCache(authority: authority, clock: { clock.read() })
        let first = try cache.serverContext(for: "a.example")
        #expect(try leaf(cache, "a.example").notAfter == authority.notAfter)
        #expect(try cache.serverContext(for: "a.example") === first)
        clock.advance(3_600)
        #expect(throws: TLSError.self) { try cache.serverContext(for: "a.example") }
    }

    @Test func `a leaf certificate for a long host name has no common name`() throws {
        let name = (0..<8).map { "label-\($0)-of-a-long-name" }.joined(separator: ".") + ".example"
        let leaf = try leaf(TestAuthority().leaves, name)
        #expect(leaf.subject == "O=proxyd")
        #expect(leaf.alternativeNames == [name])
    }

    @Test(
        arguments: [
            "", ".", "a..b", "a b", "a,DNS:b.example", "a\0.example", "*.example", "ä.example",
            "a/b", "a:443", "a\n", String(repeating: "a", count: 64),
            String(repeating: "a.", count: 127) + "ab", "[::1", "%00",
        ])
    func `no leaf certificate is made for an invalid host name`(name: String) throws {
        #expect(throws: TLSError.self) { try TestAuthority().leaves.serverContext(for: name) }
    }

    @Test func `concurrent requests for one host name get the same leaf certificate`() async throws
    {
        let cache = try TestAuthority().leaves
        let ders = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 {
                group.addTask { try cache.serverContext(for: "a.example").certificateDER }
            }
            var seen: Set<[UInt8]> = []
            for try await der in group { seen.insert(der) }
            return seen
        }
        #expect(ders.count == 1)
    }
}
