public import ProxydHTTPModel

/// The redirects of one request so far, and the decision about the next response (RFC 9110 §15.4).
public struct RedirectChain: Sendable {
    private struct Visit: Sendable, Hashable {
        let method: HTTPMethod
        let url: RawURL
    }

    private let policy: RedirectPolicy
    private var visits: Set<Visit> = []
    /// Whether `ws` and `wss` in a Location are treated as `http` and `https`.
    var takesWebSocket = false
    /// The number of redirects followed.
    public private(set) var count = 0

    /// Creates a chain without redirects.
    public init(policy: RedirectPolicy = RedirectPolicy()) { self.policy = policy }

    /// Decides what follows a response. Each request to follow is counted, even if a handler then
    /// changes or drops it.
    public mutating func next(
        after request: RedirectRequest, response head: ResponseHead
    ) -> RedirectDecision {
        guard let status = RedirectStatus(rawValue: head.status) else { return .deliver }
        do throws(RedirectRefusal) {
            guard let location = try location(of: head) else { return .deliver }
            let url = try RedirectTarget.resolve(
                location, against: request.url, takesWebSocket: takesWebSocket)
            return .follow(try follow(request, to: url, status: status, head: head))
        } catch {
            return .refuse(error)
        }
    }

    private func location(of head: ResponseHead) throws(RedirectRefusal) -> [UInt8]? {
        let name = Array("location".utf8)
        let values = head.fields.lines.filter { line in
            ASCII.equalsIgnoringCase(
                head.fields.bytes.span.extracting(line.nameRange), name.span)
        }.map { Array(head.fields.bytes[$0.valueRange]) }
        guard Set(values).count <= 1 else { throw .badLocation }
        return values.first
    }

    private mutating func follow(
        _ request: RedirectRequest, to url: RawURL, status: RedirectStatus, head: ResponseHead
    ) throws(RedirectRefusal) -> RedirectRequest {
        let leavesTLS = request.url.scheme == "https" && url.scheme == "http"
        guard policy.allowsLeavingTLS || !leavesTLS else { throw .leavesTLS }
        guard count < policy.countMax else { throw .tooMany }
        var next = request
        next.url = url
        if status.becomesGet(request.method, keepsPost: policy.keepsPost) {
            next.method = .get
            next.keepsBody = false
            next.fields.removeAll(in: RedirectChain.contentFieldNames)
        }
        if !isSameOrigin(request.url, url) {
            next.fields.removeAll(in: policy.originFieldNames.union(["host"]))
        }
        if leavesTLS { next.fields.removeAll(named: "referer") }
        // A page that sets a cookie and redirects to itself is not a loop: the next response may
        // differ.
        if head.fields.first(.setCookie) != nil { visits.removeAll() }
        visits.insert(Visit(method: request.method, url: request.url))
        guard visits.insert(Visit(method: next.method, url: url)).inserted else { throw .loop }
        count += 1
        return next
    }

    /// Fields that describe the body, and are removed with it.
    private static let contentFieldNames: Set<String> = [
        "content-digest", "content-encoding", "content-language", "content-length",
        "content-location", "content-md5", "content-range", "content-type", "digest", "expect",
        "last-modified", "repr-digest", "trailer", "transfer-encoding",
    ]
}

/// Whether scheme, host and port are equal (RFC 6454 §5).
private func isSameOrigin(_ left: RawURL, _ right: RawURL) -> Bool {
    let (leftHost, rightHost) = (Array(left.host.utf8), Array(right.host.utf8))
    return left.scheme == right.scheme && left.port == right.port
        && ASCII.equalsIgnoringCase(leftHost.span, rightHost.span)
}

extension HeaderFields {
    /// Removes every line whose name, in lower case, is in the set.
    fileprivate mutating func removeAll(in names: Set<String>) {
        for name in names { removeAll(named: name) }
    }
}
