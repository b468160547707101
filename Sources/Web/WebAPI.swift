public import ProxydAgents
public import ProxydCaptureModel
internal import ProxydHTTPModel
public import ProxydOperations
internal import ProxydParameterCoding
public import ProxydWebServer

/// The HTTP interface and the page: all routes, and the watcher behind `/events`.
public final class WebAPI: Sendable {
    public let router: WebRouter
    private let news: NewsThread
    private let files: LookedIntoFiles

    /// Starts watching the store; nil if the system refuses to start a thread.
    public init?(_ services: WebServices) {
        let store = SharedReader(services.openStore, storeIdentity: services.storeIdentity)
        let feed = EventFeed()
        var router = WebRouter(explain: WebFailure.problem) { request in
            // Not for the page (files), agents (who ask themselves) and events (a stream).
            if request.path.first == "api", request.path.last != "events" { services.commitEnded() }
        }
        PageRoutes.add(to: &router)
        ReadingRoutes(store: store, now: services.now).add(to: &router)
        ExchangeRoutes(store: store, services: services).add(to: &router)
        ActionRoutes(store: store, services: services).add(to: &router)
        RuleRoutes(store: store, services: services).add(to: &router)
        let taking = HoldTaking(services.actions)
        HoldRoutes(services: services, taking: taking).add(to: &router)
        StatusRoutes(store: store, services: services, feed: feed).add(to: &router)
        let files = LookedIntoFiles(services)
        ImportRoutes(store: store, services: services, files: files).add(to: &router)
        router.mount("files") { files.router($0) }
        self.files = files
        if let agents = services.agents { AgentRoutes(server: agents).add(to: &router) }
        self.router = router
        news = NewsThread(store, services, feed, taking)
        guard news.start() else { return nil }
    }

    /// Ends the watch, and removes files that were looked into.
    public func stop() {
        news.stop()
        files.closeAll()
    }

    /// The site for clients that `access` lets in.
    public func site(_ access: WebAccess) -> WebSite {
        WebSite(
            access: access, protectedSegments: ["api", "mcp"], router: router,
            fields: PageRoutes.securityFields)
    }
}

/// What the page and its interface need from the program that serves them.
public struct WebServices: Sendable {
    public var openStore: @Sendable () throws -> any ExchangeReading
    /// Distinguishes the store's file from one that replaces it; nil if there is no file.
    public var storeIdentity: @Sendable () -> UInt64?
    /// Lets a running daemon commit what has ended, before a request that may read the store is
    /// handled; returns soon in any case.
    public var commitEnded: @Sendable () -> Void = {}
    /// Waits for at most a tenth of a second; returns whether the store may have changed.
    public var waitForChange: @Sendable () -> Bool
    /// The current time in nanoseconds since 1970.
    public var now: @Sendable () -> Int64
    /// What users may do; actions that are nil are answered 403.
    public var actions = HostActions()
    /// Opens a file that a client has uploaded, as a store of its own; nil if that is not possible.
    public var lookInto:
        (
            @Sendable (
                _ file: any UploadedFile, _ name: String,
                _ isCancelled: @escaping @Sendable () -> Bool
            ) throws -> LookedIntoFile
        )?
    /// Answers agents at `/mcp`; nil if there are none.
    public var agents: MCPServer?
    /// The data directory, shown to users.
    public var dataDirectory = ""
    public var version = ""

    public init(
        openStore: @escaping @Sendable () throws -> any ExchangeReading,
        storeIdentity: @escaping @Sendable () -> UInt64?,
        waitForChange: @escaping @Sendable () -> Bool, now: @escaping @Sendable () -> Int64
    ) {
        self.openStore = openStore
        self.storeIdentity = storeIdentity
        self.waitForChange = waitForChange
        self.now = now
    }
}

/// The store of a file that is only looked into.
public struct LookedIntoFile: Sendable {
    public let services: WebServices
    public let outcome: ImportOutcome
    /// Removes the store.
    public let close: @Sendable () -> Void

    public init(
        _ services: WebServices, outcome: ImportOutcome, close: @escaping @Sendable () -> Void
    ) {
        self.services = services
        self.outcome = outcome
        self.close = close
    }
}

/// The page: a document, scripts and styles.
enum PageRoutes {
    /// Header fields of every response: nothing but our own scripts runs, nothing is kept, and no
    /// other site sees or frames anything.
    static let securityFields = [
        (name: "Content-Security-Policy", value: contentPolicy.joined(separator: "; ")),
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Referrer-Policy", value: "no-referrer"),
        (name: "Cross-Origin-Opener-Policy", value: "same-origin"),
        (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
        (name: "Cache-Control", value: "no-store"),
    ]

    private static let contentPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]

    /// The field of responses with captured bytes, should a browser ever show one as a document: it
    /// would have no origin and could load and run nothing.
    static let capturedPolicy = (
        name: "Content-Security-Policy",
        value: "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    )

    static func add(to router: inout WebRouter) {
        router.add(.get, "/") { _ in
            guard let response = response("index.html") else {
                throw WebProblem(500, "the program was built without its page")
            }
            return response
        }
        // Browsers ask for it whatever the page says.
        router.add(.get, "/favicon.ico") { _ in WebResponse(status: 204) }
        router.add(.get, "/page/{name}") { request in
            let name = request.segment("name")
            guard name != "index.html", let response = response(name) else {
                throw WebProblem(404, "the page has no file of this name")
            }
            return response
        }
    }

    /// A file of the page; `PageFiles` is written by the plugin EmbedPage.
    private static func response(_ name: String) -> WebResponse? {
        guard let text = PageFiles.named[name] else { return nil }
        let type =
            switch name.split(separator: ".").last {
            case "html": "text/html"
            case "css": "text/css"
            default: "text/javascript"
            }
        let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return WebResponse(type: type + "; charset=utf-8", Array(bytes))
    }
}

/// `POST /mcp`: messages of agents, one per request. GET and DELETE, which would open a stream and
/// end a session, are answered 405: there are neither.
struct AgentRoutes: Sendable {
    let server: MCPServer

    func add(to router: inout WebRouter) {
        router.add(.post, "/mcp") { request in
            let type = request.fields["Content-Type"].flatMap(MediaType.init)
            guard type?.essence == "application/json" else {
                throw WebProblem(415, "the body must be application/json")
            }
            let cancellation = ReadCancellation()
            request.cancellation.onCancel { cancellation.cancel() }
            let answer = server.answer(
                post: request.body, request.fields, cancellation: cancellation)
            if answer.body.isEmpty { return WebResponse(status: answer.status) }
            return WebResponse(status: answer.status, type: "application/json", answer.body)
        }
    }
}
