internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydStoreAnswers

/// `replay_exchange`: sends a captured request again, to the server that got it and nowhere else:
/// its credentials, which the agent does not see, must not reach another one.
struct ReplayTool {
    private let store: AgentStore
    private let replaying: any Replaying
    private let mayReplay: @Sendable (String, UInt16) -> Bool

    init(
        _ store: AgentStore, _ replaying: any Replaying,
        _ mayReplay: @escaping @Sendable (String, UInt16) -> Bool
    ) {
        self.store = store
        self.replaying = replaying
        self.mayReplay = mayReplay
    }

    var tool: Tool {
        Tool(
            "replay_exchange", "Send a request again",
            """
            Sends a captured request again to its server, unchanged or with changes, and records \
            the result as a new exchange. Without changes, the captured bytes are sent, with the \
            credentials that are hidden in answers. The user allowed this for some hosts only.
            """, effect: .sends,
            [
                .id,
                ToolParameter("method", .text, "Another method."),
                ToolParameter("url", .text, "Another URL of the same server."),
                ToolParameter(
                    "headers", .pairs,
                    "All header fields as [[name, value], …]; they replace the captured ones."),
                ToolParameter("body_text", .text, "Another body, as text."),
                ToolParameter("body_base64", .text, "Another body, as Base64."),
            ], answer)
    }

    private func answer(_ arguments: ToolArguments) throws -> ToolAnswer {
        let id = try arguments.requiredID()
        let subject = try store.read { (reader) throws(StoreError) in
            try ExchangeSubject(id, reader)
        }
        guard let subject else { throw ToolProblem("there is no exchange \(id)") }
        let original = subject.exchange.request
        guard let origin = original.url.map(Origin.init) else {
            throw ToolProblem("the request was not understood, so it cannot be sent again")
        }
        guard mayReplay(origin.host, origin.port) else {
            throw ToolProblem.notAllowed("--allow-replay \(origin.host)")
        }
        let changes = arguments.members.filter { $0.key != "id" }
        guard !RequestChange.isExact(changes) else { return try store.answer(about: repeated(id)) }
        let request = try RequestChange(changes, of: original).request
        guard request.url.map(Origin.init) == origin else {
            throw ToolProblem("url must name the server that got the captured request")
        }
        let new = try replaying.send(
            request, repeating: id, by: ReplayRoute(),
            isCancelled: { ReadCancellation.isCurrentCancelled })
        return try store.answer(about: new)
    }

    /// Sends the captured bytes; returns the number of the new exchange.
    private func repeated(_ id: ExchangeID) throws -> ExchangeID {
        let outcome = OutcomeBox()
        try replaying.replay(
            ReplayOrder(ids: [id]), isCancelled: { ReadCancellation.isCurrentCancelled },
            onResult: { outcome.set($0) })
        guard let new = outcome.value?.id else {
            throw ToolProblem(
                outcome.value?.advice ?? outcome.value?.problem ?? "nothing was sent")
        }
        return new
    }

    /// Scheme, host and port of a URL.
    private struct Origin: Equatable {
        let scheme: String
        let host: String
        let port: UInt16

        init(_ url: RawURL) {
            scheme = url.scheme
            host = url.host.lowercased()
            port = url.port
        }
    }
}
