import ProxydEventLoops
import ProxydTestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ResolverTests {
    private static func resolve(
        _ host: String, with resolver: Resolver, timeoutNs: Int64 = 60_000_000_000
    ) async throws -> Resolver.Outcome {
        try await onLoop { loop, finish in
            resolver.resolve(host, port: 8_080, timeoutNs: timeoutNs, on: loop) { finish($0) }
        }
    }

    @Test func `the resolver returns an IP address without a lookup`() async throws {
        let resolver = Resolver { _ in
            Issue.record("looked up")
            return .failure(.notFound)
        }
        for (host, shown) in [("127.0.0.1", "127.0.0.1:8080"), ("[::1]", "[::1]:8080")] {
            let outcome = try await Self.resolve(host, with: resolver)
            #expect(try outcome.get().map(\.description) == [shown])
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST", "localhost.", "app.localhost", "a.B.LocalHost."])
    func `the resolver returns loopback addresses for localhost names without a lookup`(
        name: String
    ) async throws {
        let resolver = Resolver { _ in
            Issue.record("looked up")
            return .failure(.notFound)
        }
        let outcome = try await Self.resolve(name, with: resolver)
        #expect(try outcome.get().map(\.description) == ["[::1]:8080", "127.0.0.1:8080"])
    }

    @Test(arguments: ["localhost.example", "xlocalhost", "localhost..", "local.host"])
    func `the resolver looks up names that only resemble localhost`(name: String) async throws {
        let resolver = Resolver { _ in .success([SocketAddress(ipv4: 9, port: 0)]) }
        let outcome = try await Self.resolve(name, with: resolver)
        #expect(try outcome.get().map(\.description) == ["0.0.0.9:8080"])
    }

    @Test func `the resolver adds the port to the addresses and keeps their order`() async throws {
        let resolver = Resolver { host in
            host == "h"
                ? .success([SocketAddress(ipv6: 0, 1, port: 0), SocketAddress(ipv4: 9, port: 0)])
                : .failure(.other("wrong name"))
        }
        let outcome = try await Self.resolve("h", with: resolver)
        #expect(try outcome.get().map(\.description) == ["[::1]:8080", "0.0.0.9:8080"])
    }

    @Test(arguments: [HostLookupError.notFound, .temporary, .other("strange")])
    func `the resolver reports a lookup failure unchanged`(error: HostLookupError) async throws {
        let resolver = Resolver { _ in .failure(error) }
        #expect(try await Self.resolve("h", with: resolver) == .failure(error))
    }

    @Test func `the default resolver returns only loopback addresses for localhost`() async throws {
        let outcome = try await Self.resolve("localhost", with: Resolver())
        #expect(try outcome.get().allSatisfy { $0.isLoopback && $0.port == 8_080 })
    }

    @Test(arguments: ["", "a\0b", "no.such.name.invalid"])
    func `the default resolver does not find empty, malformed or nonexistent names`(name: String)
        async throws
    {
        let resolver = Resolver()
        switch try await Self.resolve(name, with: resolver) {
        case .success: Issue.record("found")
        // Without a network the name servers cannot be asked.
        case .failure(let error): #expect(error == .notFound || error == .temporary)
        }
    }

    @Test func `a hanging lookup ends at its deadline and does not block other lookups`()
        async throws
    {
        let gate = Gate()
        let resolver = Resolver(threadCountMax: 2) { host in
            if host == "hangs" { gate.waitOnThread() }
            return .success([SocketAddress(ipv4: 1, port: 0)])
        }
        let hung = try await Self.resolve("hangs", with: resolver, timeoutNs: 1_000_000)
        #expect(hung == .failure(.timedOut))
        #expect(try await Self.resolve("works", with: resolver).get().count == 1)
        gate.open()
        #expect(try await Self.resolve("hangs", with: resolver).get().count == 1)
    }

    @Test func `a cancelled lookup never calls its completion`() async throws {
        let resolver = Resolver { _ in .success([SocketAddress(ipv4: 1, port: 0)]) }
        let isDone: Bool = try await onLoop { loop, finish in
            let request = resolver.resolve("h", port: 1, timeoutNs: 1_000_000, on: loop) { _ in
                Issue.record("completed")
            }
            request.cancel()
            loop.schedule(afterNs: 20_000_000) { finish(true) }
        }
        #expect(isDone)
    }

    @Test func `all lookups complete even if there are more of them than resolver threads`()
        async throws
    {
        let resolver = Resolver(threadCountMax: 3) { _ in
            .success([SocketAddress(ipv4: 1, port: 0)])
        }
        let count: Int = try await onLoop { loop, finish in
            var count = 0
            for index in 0..<200 {
                resolver.resolve("h\(index)", port: 1, timeoutNs: 60_000_000_000, on: loop) { _ in
                    count += 1
                    if count == 200 { finish(count) }
                }
            }
        }
        #expect(count == 200)
    }
}
