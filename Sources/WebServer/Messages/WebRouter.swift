public import ProxydHTTPModel

/// Finds the handler of a request by its method and path.
public struct WebRouter: Sendable {
    /// Handles a request; may block. A thrown `WebProblem` becomes the response.
    public typealias Handler = @Sendable (WebRequest) throws -> WebResponse

    private struct Route {
        let method: HTTPMethod
        let pattern: [Substring]
        let handler: Handler

        /// The values of the pattern's `{name}` segments, or nil if the path does not match.
        func captured(in path: [String]) -> [String: String]? {
            guard path.count == pattern.count else { return nil }
            var captured: [String: String] = [:]
            for (segment, wanted) in zip(path, pattern) {
                if wanted.first == "{" {
                    captured[String(wanted.dropFirst().dropLast())] = segment
                } else if wanted != segment {
                    return nil
                }
            }
            return captured
        }
    }

    private var routes: [Route] = []
    private let prepare: @Sendable (WebRequest) -> Void

    /// Creates a router without routes. `prepare` is called before each request that has a route is
    /// handled; it may block.
    public init(prepare: @escaping @Sendable (WebRequest) -> Void = { _ in }) {
        self.prepare = prepare
    }

    /// Adds a route. Segments in braces match any segment: `/exchanges/{id}`. Of several routes
    /// that match, the first one added is used.
    public mutating func add(_ method: HTTPMethod, _ pattern: String, _ handler: @escaping Handler)
    {
        routes.append(
            Route(method: method, pattern: pattern.split(separator: "/"), handler: handler))
    }

    /// The methods and patterns of all routes, in order.
    public var patterns: [(method: HTTPMethod, pattern: String)] {
        routes.map { ($0.method, "/" + $0.pattern.joined(separator: "/")) }
    }

    /// Answers a request. HEAD is answered like GET, without a body.
    public func answer(_ request: WebRequest) -> WebResponse {
        do {
            return try handle(request)
        } catch let problem as WebProblem {
            return problem.response
        } catch {
            return WebProblem(500, "\(error)").response
        }
    }

    private func handle(_ request: WebRequest) throws -> WebResponse {
        let wanted = request.method == .head ? .get : request.method
        var allowed: [String] = []
        for route in routes {
            guard let captured = route.captured(in: request.path) else { continue }
            guard route.method == wanted else {
                allowed.append(route.method.rawValue)
                continue
            }
            var request = request
            request.captured = captured
            prepare(request)
            return try route.handler(request)
        }
        guard !allowed.isEmpty else { throw WebProblem(404, "there is nothing at this path") }
        if allowed.contains("GET") { allowed.append("HEAD") }
        throw WebProblem(
            405, "this path does not support \(request.method)", allowed: allowed)
    }
}
