internal import ProxydHTTPModel

/// Decides what follows a response: the request again with credentials, a request to a redirect
/// target, or nothing. Adds the session's cookies and credentials for each server.
struct FollowUpRequests {
    private let handle: any ClientRequest
    private let configuration: SessionConfiguration
    private let redirectHandler: any RedirectHandler
    private let credential: Credential?
    private let persistence: CredentialPersistence
    /// Whether a stub answers: its response is final, and the session stores nothing from it.
    private let isStubbed: Bool
    /// The only server that the request's own credential may be sent to.
    private let firstURL: RawURL
    /// Whether every request so far went to that server; stays false after a redirect elsewhere.
    private var isHome = true
    private var chain: RedirectChain
    private var attempts = AuthenticationAttempts()
    /// The credentials field that answers the last challenge.
    private var answer: [UInt8]?
    /// The request of the last attempt, before the session added anything.
    private var own: HTTPRequest
    /// Whether the request expects 100 (Continue), and whether a server rejected that with 417.
    private var isAsking = false
    private var mustNotAsk = false

    init(_ handle: any ClientRequest, first: HTTPRequest) {
        let host = handle.core.host
        let (credential, persistence, redirector, isStubbed) = handle.core.read {
            ($0.credential, $0.credentialPersistence, $0.redirectHandler, $0.transport != nil)
        }
        self.handle = handle
        self.credential = credential
        self.persistence = persistence
        self.isStubbed = isStubbed
        configuration = host.configuration
        redirectHandler = redirector ?? host.redirectHandler
        chain = RedirectChain(policy: redirectHandler.policy)
        firstURL = first.url
        own = first
    }

    /// The request with the session's cookies and credentials for its server.
    mutating func decorated(_ request: HTTPRequest) -> HTTPRequest {
        own = request
        isHome = isHome && request.url.isSameOrigin(as: firstURL)
        guard request.exactHead == nil else { return request }
        var decorated = request
        if request.fields.first(.cookie) == nil,
            let value = configuration.cookieStorage?.fieldValue(for: request.url)
        {
            decorated.fields.append(name: Array("Cookie".utf8), value: value)
        }
        if request.fields.first(.authorization) == nil {
            let known =
                answer
                ?? configuration.authentication.authorization(
                    for: AuthenticatedRequest(request), attempts: &attempts)
            if let known {
                decorated.fields.append(name: Array("Authorization".utf8), value: known)
            }
        }
        answer = nil
        if mustNotAsk {
            decorated.expectsContinue = false
        } else if let least = configuration.expectContinueByteCountMin,
            request.body.isLarge(from: least)
        {
            decorated.expectsContinue = true
        }
        isAsking = decorated.expectsContinue
        return decorated
    }

    /// The session's default fields that may be sent to the last request's server.
    func allowed(of defaults: HeaderFields) -> HeaderFields {
        if isHome { return defaults }
        var fields = defaults
        for name in redirectHandler.policy.originFieldNames.union(["host"]) {
            fields.removeAll(named: name)
        }
        return fields
    }

    /// The request to send next, or nil if the response is final.
    mutating func next(after head: ResponseHead) async throws(ClientError) -> HTTPRequest? {
        if isStubbed { return nil }
        // An exact request used nothing from the session, so its response changes nothing in it.
        guard own.exactHead == nil else { return nil }
        configuration.cookieStorage?.store(head.fields, from: own.url)
        switch head.status {
        case 300..<400: return try await redirected(by: head)
        case 401: return await authenticated(after: head)
        case 417 where isAsking:
            mustNotAsk = true
            return own
        default:
            configuration.authentication.note(head, from: AuthenticatedRequest(own))
            return nil
        }
    }

    private mutating func authenticated(after head: ResponseHead) async -> HTTPRequest? {
        // The server refused a field that the program set itself, which must not be replaced here.
        guard own.fields.first(.authorization) == nil else { return nil }
        let isThere = own.url.isSameOrigin(as: firstURL)
        answer = await configuration.authentication.answer(
            to: head, for: AuthenticatedRequest(own), credential: isThere ? credential : nil,
            persistence: persistence, attempts: &attempts)
        guard answer != nil else { return nil }
        handle.core.emit(.willAuthenticate(head, with: own))
        return own
    }

    private mutating func redirected(
        by head: ResponseHead
    ) async throws(ClientError) -> HTTPRequest? {
        chain.takesWebSocket = own.upgrade == "websocket"
        let parts = RedirectRequest(method: own.method, url: own.url, fields: own.fields)
        switch chain.next(after: parts, response: head) {
        case .deliver: return nil
        case .refuse(let refusal):
            // If redirects are not followed, an invalid target is not an error.
            if let redirector = redirectHandler as? Redirector,
                case .doNotFollow = redirector.behavior
            {
                return nil
            }
            throw ClientError(.redirectFailed(refusal))
        case .follow(let proposed):
            let wanted = try await handle.core.ask(in: .proceed) { [redirectHandler] in
                await redirectHandler.redirect(proposed, for: head)
            }
            guard let wanted else { return nil }
            var next = own
            next.method = wanted.method
            next.url = wanted.url
            next.fields = wanted.fields
            if !wanted.keepsBody {
                next.body = .none
                next.trailers = nil
            }
            handle.core.emit(.willRedirect(head, to: next))
            return next
        }
    }
}

extension AuthenticatedRequest {
    /// The parts of a request to a server that its credentials depend on.
    fileprivate init(_ request: HTTPRequest) {
        let body: [UInt8]? =
            switch request.body {
            case .none: []
            case .bytes(let bytes): bytes
            case .file, .stream, .multipart: nil
            }
        self.init(method: request.method, url: request.url, body: body)
    }
}

extension RawURL {
    /// Whether scheme, host and port are equal (RFC 6454 §5).
    func isSameOrigin(as other: RawURL) -> Bool {
        let (ours, theirs) = (Array(host.utf8), Array(other.host.utf8))
        return scheme == other.scheme && port == other.port
            && ASCII.equalsIgnoringCase(ours.span, theirs.span)
    }
}
