internal import Foundation

/// What a request costs the program that makes it, beside async-http-client: processor time of this
/// process, the server's not included.
///
/// Arguments leave out what is not looked at: `ours` or `theirs` one of the two, `plain` or `TLS`
/// one way, a number all requests but so many GETs. So a profiler sees one thing only.
@main
enum ClientBenchmark {
    private static let roundCount = 5

    static func main() async throws {
        guard NginxServer.isInstalled else {
            print("nginx or openssl is not installed: nothing to measure with")
            return
        }
        let arguments = CommandLine.arguments.dropFirst()
        let server = try await NginxServer.shared()
        try server.serve([UInt8](repeating: 0x61, count: 1 << 20), as: "mebibyte")
        let both = try BenchmarkClients(server: server, leavingOut: arguments)
        let cases = arguments.compactMap { Int($0) }.first.map { [BenchmarkCase(getCount: $0)] }
        for (scheme, origin) in [("plain", server.url), ("TLS", server.secureURL)]
        where !arguments.contains(scheme == "plain" ? "TLS" : "plain") {
            for entry in cases ?? BenchmarkCase.all {
                try await compare(
                    entry, scheme, origin, both, roundCount: cases == nil ? roundCount : 1)
            }
        }
        try await both.end()
    }

    /// Of several rounds the cheapest counts, and they alternate: what disturbs disturbs both.
    private static func compare(
        _ entry: BenchmarkCase, _ scheme: String, _ origin: String, _ both: BenchmarkClients,
        roundCount: Int
    ) async throws {
        var (ours, theirs) = (Double.infinity, Double.infinity)
        for _ in 0..<roundCount {
            if let client = both.ours {
                ours = min(
                    ours, try await entry.microsecondsPerRequest(to: origin, client.send))
            }
            if let client = both.theirs {
                theirs = min(
                    theirs, try await entry.microsecondsPerRequest(to: origin, client.send))
            }
        }
        let name = "\(entry.name), \(scheme)".padding(toLength: 32, withPad: " ", startingAt: 0)
        print(
            name
                + String(
                    format: "%8.1f µs a request, async-http-client %8.1f µs: %.2f times", ours,
                    theirs, theirs / ours))
    }
}
