internal import ProxydStoreAnswers
public import ProxydWebServer

/// The HTTP interface and the page: all routes, and the watch for changes behind `/events`.
public final class WebAPI: Sendable {
    /// The router with all routes.
    public let router: WebRouter
    private let news: NewsThread

    /// Creates the interface and starts watching the store. Returns nil if the system refuses to
    /// start a thread.
    public init?(_ services: WebServices) {
        let door = StoreDoor(services.openStore, storeIdentity: services.storeIdentity)
        let feed = EventFeed()
        var router = WebRouter { request in
            // The page, agents and news: a file, a question that asks itself, and a stream.
            if request.path.first == "api", request.path.last != "events" { services.commitEnded() }
        }
        PageRoutes.add(to: &router)
        ReadingRoutes(door: door, now: services.now).add(to: &router)
        ExchangeRoutes(door: door, services: services).add(to: &router)
        ActionRoutes(door: door, services: services).add(to: &router)
        RuleRoutes(door: door, services: services).add(to: &router)
        HoldRoutes(services: services).add(to: &router)
        StatusRoutes(door: door, services: services, feed: feed).add(to: &router)
        if let agents = services.agents { AgentRoutes(server: agents).add(to: &router) }
        self.router = router
        news = NewsThread(door, services, feed)
        guard news.start() else { return nil }
    }

    /// Ends the watch.
    public func stop() { news.stop() }

    /// What is served to clients that `access` lets in.
    public func site(_ access: WebAccess) -> WebSite {
        WebSite(
            access: access, protectedSegments: ["api", "mcp"], router: router,
            fields: PageRoutes.securityFields)
    }
}
