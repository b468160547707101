import ProxyLib

/// A proxy that adds a header to each request and response, also within HTTPS, and prints each
/// exchange.
///
/// `HeaderProxy DIRECTORY`, such as `HeaderProxy ~/.local/share/header-proxy`; the directory holds
/// its certificate authority. Then, with the port that it prints:
/// `curl --proxy 127.0.0.1:PORT --cacert ~/.local/share/header-proxy/ca/ca.pem https://example.com/`
@main
struct HeaderProxy {
    static func main() async throws {
        guard let directory = CommandLine.arguments.dropFirst().first else { throw Usage() }
        var configuration = ProxyConfiguration(authorityDirectory: directory)
        configuration.handler = HeaderAdder()
        configuration.onExchange = { print(line(for: $0)) }

        let proxy = try Proxy(configuration)
        print("listening on 127.0.0.1:\(proxy.port), clients must trust \(proxy.authorityPath)")
        print("Press Enter to stop.")
        _ = readLine()
        await proxy.stop()
    }

    /// Changes the heads; the bodies stream.
    struct HeaderAdder: TrafficHandler {
        func request(_ request: inout ProxiedRequest) async -> TrafficVerdict {
            request.fields["X-Exchange"] = "\(request.id)"
            return .pass
        }

        func response(
            _ response: inout ProxiedResponse, to request: ProxiedRequest
        ) async -> TrafficVerdict {
            response.fields["X-Exchange"] = "\(request.id)"
            return .pass
        }
    }

    /// `GET https://example.com/ 200, 1256 bytes in 0.120 s, the first after 0.118 s`
    static func line(for exchange: Exchange) -> String {
        let method = exchange.request.method?.rawValue ?? "?"
        let url = exchange.request.url.map(String.init(describing:)) ?? "?"
        let status = exchange.response.map { String($0.status) } ?? "no response"
        let byteCount = exchange.response?.body.byteCount ?? 0
        let total = Timeline.seconds(exchange.timeline.totalDuration ?? 0)
        let first = exchange.timeline.latency.map { ", the first after \(Timeline.seconds($0)) s" }
        let failure = exchange.failure.map { ": \($0)" } ?? ""
        return "\(method) \(url) \(status), \(byteCount) bytes in \(total) s\(first ?? "")\(failure)"
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "usage: HeaderProxy DIRECTORY"
    }
}
