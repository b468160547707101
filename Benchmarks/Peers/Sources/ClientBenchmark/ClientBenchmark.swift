internal import Dispatch
internal import Foundation

/// What a request costs the program that makes it, beside async-http-client: processor time of this
/// process, the server's not included.
///
/// For profilers: `ours` or `theirs` leaves out the other, a number makes one round of so many GETs,
/// and the URL of a server that answers as `NginxServer` does, with the path of its certificate,
/// asks that one. (Under valgrind, Foundation starts no programs.)
@main
enum ClientBenchmark {
    private static let roundCount = 5

    /// Not asynchronous: then the main thread would end, which the profiler callgrind does not bear.
    static func main() {
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await run() } catch { print(error) }
            end.signal()
        }
        end.wait()
    }

    private static func run() async throws {
        let arguments = BenchmarkArguments(CommandLine.arguments)
        guard arguments.server != nil || NginxServer.isInstalled else {
            print("nginx or openssl is not installed: nothing to measure with")
            return
        }
        let started = arguments.server == nil ? try await NginxServer.shared() : nil
        try started?.serve([UInt8](repeating: 0x61, count: 1 << 20), as: "mebibyte")
        let certificatePath = arguments.certificatePath ?? started?.certificatePath ?? ""
        let both = try BenchmarkClients(
            certificatePath: certificatePath, hasOurs: !arguments.isTheirsOnly,
            hasTheirs: !arguments.isOursOnly)
        let origins = arguments.server.map { [$0] } ?? started.map { [$0.url, $0.secureURL] } ?? []
        for origin in origins {
            for entry in arguments.getCount.map({ [BenchmarkCase(getCount: $0)] })
                ?? BenchmarkCase.all
            {
                try await compare(
                    entry, origin, both, roundCount: arguments.getCount == nil ? roundCount : 1)
            }
        }
        try await both.end()
    }

    /// Of several rounds the cheapest counts, and they alternate: what disturbs disturbs both.
    private static func compare(
        _ entry: BenchmarkCase, _ origin: String, _ both: BenchmarkClients, roundCount: Int
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
        let scheme = origin.hasPrefix("https:") ? "TLS" : "plain"
        let name = "\(entry.name), \(scheme)".padding(toLength: 32, withPad: " ", startingAt: 0)
        print(
            name
                + String(
                    format: "%8.1f µs a request, async-http-client %8.1f µs: %.2f times", ours,
                    theirs, theirs / ours))
    }
}
