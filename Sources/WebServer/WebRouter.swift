public import ProxydHTTPModel
internal import ProxydParameterCoding
internal import Synchronization

/// Finds the handler of a request by its method and path.
public struct WebRouter: Sendable {
    /// Handles a request; may block. A thrown `WebProblem` becomes the response.
    public typealias Handler = @Sendable (WebRequest) throws -> WebResponse

    /// Decides from the head of a request whether its body is taken, and where it goes. Called
    /// before the body is read, on the server's loop, so it must be quick; a thrown `WebProblem`
    /// becomes the response.
    public typealias Receiver = @Sendable (WebRequest) throws -> any WebUpload
    /// Returns the router for the requests below `/SEGMENT/NAME`, or nil if there is none.
    public typealias Mount = @Sendable (_ name: String) -> WebRouter?

    private struct Route {
        let method: HTTPMethod
        let pattern: [Substring]
        let receiver: Receiver?
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
    private var mounts: [String: Mount] = [:]
    private let explain: @Sendable (any Error) -> WebProblem
    private let prepare: @Sendable (WebRequest) -> Void

    /// - Parameters:
    ///   - explain: Turns errors of handlers into answers, except those that are answers already.
    ///   - prepare: Called before each request that has a route is handled; it may block.
    public init(
        explain: @escaping @Sendable (any Error) -> WebProblem = { WebProblem(500, "\($0)") },
        prepare: @escaping @Sendable (WebRequest) -> Void = { _ in }
    ) {
        self.explain = explain
        self.prepare = prepare
    }

    /// Adds a route. Segments in braces match any segment: `/exchanges/{id}`. Of several routes
    /// that match, the first one added is used.
    public mutating func add(_ method: HTTPMethod, _ pattern: String, _ handler: @escaping Handler)
    {
        routes.append(
            Route(
                method: method, pattern: pattern.split(separator: "/"), receiver: nil,
                handler: handler))
    }

    /// Adds a route whose request bodies may be long and are not kept in memory.
    public mutating func addUpload(
        _ pattern: String, to receiver: @escaping Receiver, _ handler: @escaping Handler
    ) {
        routes.append(
            Route(
                method: .post, pattern: pattern.split(separator: "/"), receiver: receiver,
                handler: handler))
    }

    /// Lets other routers handle what is below a segment: `/files/1/page` is `/page` there.
    public mutating func mount(_ segment: String, _ mount: @escaping Mount) {
        mounts[segment] = mount
    }

    /// The part of a path that a mounted router sees; the path itself if there is no mount.
    func mountedPath(_ path: [String]) -> ArraySlice<String> {
        guard let first = path.first, mounts[first] != nil else { return path[...] }
        return path.dropFirst(2)
    }

    /// Where the body of a request goes; nil if it is kept in memory.
    func upload(for request: WebRequest) throws(WebProblem) -> (any WebUpload)? {
        var request = request
        let route = routes.first { route in
            guard route.receiver != nil, route.method == request.method,
                let captured = route.captured(in: request.path)
            else { return false }
            request.captured = captured
            return true
        }
        do {
            return try route?.receiver?(request)
        } catch let problem as WebProblem {
            throw problem
        } catch {
            throw explain(error)
        }
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
            return explain(error).response
        }
    }

    private func handle(_ request: WebRequest) throws -> WebResponse {
        if let first = request.path.first, let mount = mounts[first] {
            guard let router = request.path.dropFirst().first.flatMap(mount) else {
                throw WebProblem(404, "there is nothing at this path any more")
            }
            return try router.handle(request.below(2))
        }
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
        throw WebProblem(405, "this path does not support \(request.method)", allowed: allowed)
    }
}

/// A complete request, as a handler gets it.
public struct WebRequest: Sendable {
    public let method: HTTPMethod
    /// The segments of the path, percent-decoded; empty for `/`.
    public let path: [String]
    /// The parameters of the query in order, percent-decoded with `+` as a space.
    public let query: [(name: String, value: String)]
    public let fields: HeaderFields
    public let body: [UInt8]
    /// Where the body was written, for routes of uploads.
    public internal(set) var upload: (any WebUpload)?
    /// Whether the client is still there.
    public let cancellation: WebCancellation
    /// The values of the route's `{name}` segments.
    public internal(set) var captured: [String: String] = [:]

    public init(
        method: HTTPMethod, path: [String], query: [(name: String, value: String)] = [],
        fields: HeaderFields = HeaderFields(), body: [UInt8] = [],
        cancellation: WebCancellation = WebCancellation()
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.cancellation = cancellation
    }

    /// The same request without the first segments of its path.
    func below(_ count: Int) -> WebRequest {
        WebRequest(
            method: method, path: Array(path.dropFirst(count)), query: query, fields: fields,
            body: body, cancellation: cancellation)
    }

    /// The first value of a query parameter, or nil if the query does not have it.
    public func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// All values of a query parameter, in order.
    public func parameters(named name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    public func segment(_ name: String) -> String { captured[name] ?? "" }
}

/// Takes the body of a request as it arrives, on the server's loop. Released without an end if the
/// client leaves.
public protocol WebUpload: AnyObject, Sendable {
    /// The most bytes; a longer body is answered 413.
    var byteCountMax: Int64 { get }
    /// Throws a `WebProblem`, or an error that the router explains.
    func append(_ bytes: Span<UInt8>) throws
}

/// Tells a handler that its client has left, so that long work can end.
public final class WebCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls a closure once the client leaves, or immediately if it has. A second call replaces it.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.handler = handler
            return state.isCancelled
        }
        if isLate { handler() }
    }

    func cancel() {
        let handler = state.withLock { state in
            state.isCancelled = true
            defer { state.handler = nil }
            return state.handler
        }
        handler?()
    }
}

/// A response of a handler.
public struct WebResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Written piece by piece by a closure on the handler's thread, with chunked coding. The
        /// response is cut short if the closure throws.
        case pieces(@Sendable (WebBodyWriter) throws -> Void)
        /// An event stream that stays open and receives what is published in a feed.
        case feed(EventFeed)
    }

    public var status: Int
    /// Header fields in addition to framing and security fields.
    public var fields: [(name: String, value: String)]
    public var body: Body

    public init(
        status: Int = 200, fields: [(name: String, value: String)] = [], body: Body = .bytes([])
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    public init(status: Int = 200, type: String, _ bytes: [UInt8]) {
        self.init(status: status, fields: [("Content-Type", type)], body: .bytes(bytes))
    }

    public static func events(_ feed: EventFeed) -> WebResponse {
        WebResponse(fields: [("Content-Type", "text/event-stream")], body: .feed(feed))
    }
}

/// Sends the pieces of a response's body. Used on the handler's thread only.
public struct WebBodyWriter: Sendable {
    let send: @Sendable ([UInt8]) throws -> Void

    /// Sends a piece; waits while the client reads too slowly. Throws if the client has left.
    public func write(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try send(bytes)
    }
}

/// The client has left before the response was complete.
struct ClientLeft: Error {}

/// A source of server-sent events (HTML, "Server-sent events") for any number of clients. A client
/// that opens the stream receives the latest event of each name first, then every new one.
public final class EventFeed: Sendable {
    private struct State {
        var latest: [(name: String, event: [UInt8])] = []
        var listeners: [Int: @Sendable ([UInt8]) -> Void] = [:]
        var nextNumber = 0
    }

    private let state = Mutex(State())

    public init() {}

    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Sends an event to all clients. The data is one line; line ends in it would end the event.
    public func publish(_ name: String, _ data: String) {
        let line = data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let text = line.map { "data: \($0)\n" }.joined()
        let event = Array("event: \(name)\n\(text)\n".utf8)
        let listeners = state.withLock { state in
            state.latest.removeAll { $0.name == name }
            state.latest.append((name, event))
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(event) }
    }

    /// Lets clients that come later receive no event of this name until the next one.
    public func retract(_ name: String) {
        state.withLock { state in state.latest.removeAll { $0.name == name } }
    }

    /// Adds a listener, which receives the latest events immediately; returns its number.
    func add(_ listener: @escaping @Sendable ([UInt8]) -> Void) -> Int {
        let (number, events) = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            return (state.nextNumber, state.latest.map(\.event))
        }
        for event in events { listener(event) }
        return number
    }

    func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }
}

/// An error of a request, sent as `application/problem+json` (RFC 9457).
public struct WebProblem: Error, Sendable, Hashable {
    public let status: Int
    public let detail: String
    /// The column of a filter that is wrong, from 1; nil for other errors.
    public let column: Int?
    /// The methods that a 405 allows.
    let allowed: [String]

    public init(_ status: Int, _ detail: String, column: Int? = nil) {
        self.init(status, detail, column: column, allowed: [])
    }

    init(_ status: Int, _ detail: String, column: Int? = nil, allowed: [String]) {
        self.status = status
        self.detail = detail
        self.column = column
        self.allowed = allowed
    }

    public var response: WebResponse {
        var members: [JSONValue.Member] = [
            .init(name: "type", value: .string("about:blank")),
            .init(name: "title", value: .string(StatusReason.text(of: status))),
            .init(name: "status", value: .number(String(status))),
            .init(name: "detail", value: .string(detail)),
        ]
        if let column { members.append(.init(name: "column", value: .number(String(column)))) }
        let body = (try? JSONWriter().write(.object(members))) ?? []
        var response = WebResponse(status: status, type: "application/problem+json", body)
        if !allowed.isEmpty { response.fields.append(("Allow", allowed.joined(separator: ", "))) }
        if status == 401 { response.fields.append(("WWW-Authenticate", "Bearer")) }
        if status == 429 || status == 503 { response.fields.append(("Retry-After", "1")) }
        return response
    }
}
