public import ProxydHTTPModel

extension Session {
    /// Sends a captured exchange's request again, to its server. Redirects are not followed and
    /// nothing is added: no default fields, cookies or credentials; adapters are not asked.
    ///
    /// Exact replays cannot be edited. What cannot be sent again fails with `.replayRefused`.
    /// Where the session records, the new exchange's `replayOf` is this exchange's number.
    public func replay(
        of exchange: Exchange, fidelity: ReplayFidelity = .bytes,
        version: ReplayVersion = .recorded, editing edits: [ReplayEdit] = []
    ) -> DataRequest {
        replay(consumer: nil, as: DataRequest.init) {
            try ReplayedRequest.request(of: exchange, fidelity, version, edits)
        }
    }

    /// Sends a captured exchange's request again, changed by `edit`: Host and framing are made
    /// anew, every other field line goes as it was captured or changed.
    public func replay(
        of exchange: Exchange, version: ReplayVersion = .recorded,
        editing edit: @escaping @Sendable (inout HTTPRequest) throws -> Void
    ) -> DataRequest {
        replay(consumer: nil, as: DataRequest.init) {
            let replayed = try ReplayedRequest(exchange)
            var request = replayed.editable
            request.protocols = version.protocols(for: exchange)
            let host = request.fields.value(.host)
            try edit(&request)
            return try replayed.recomposed(
                request, keepsHost: request.fields.value(.host) != host)
        }
    }

    /// A request that adapters are not asked about. Its time, which is compared with the captured
    /// one, begins when it can be sent.
    func replay<Request: ClientRequest>(
        consumer: (any BodyConsumer)?, as make: (RequestCore) -> Request,
        build: @escaping RequestBuilder
    ) -> Request {
        let network = core.transport as? NetworkTransport
        let shared = RequestCore(host: core, consumer: consumer) {
            let request = try await build()
            if request.url.scheme == "https" { network?.loadAuthorities() }
            return request
        }
        shared.configure { $0.isAdapted = false }
        return core.adopt(make(shared))
    }
}

extension ReplayedRequest {
    /// The request that repeats an exchange.
    /// - Throws: `.replayRefused`, `.invalidURL`, `.invalidRequest`.
    static func request(
        of exchange: Exchange, _ fidelity: ReplayFidelity, _ version: ReplayVersion,
        _ edits: [ReplayEdit]
    ) throws(ClientError) -> HTTPRequest {
        var request = try request(of: exchange, fidelity, edits)
        request.protocols = version.protocols(for: exchange)
        return request
    }

    private static func request(
        of exchange: Exchange, _ fidelity: ReplayFidelity, _ edits: [ReplayEdit]
    ) throws(ClientError) -> HTTPRequest {
        let replayed = try ReplayedRequest(exchange)
        switch fidelity {
        case .bytes:
            guard edits.isEmpty else {
                throw ClientError(.replayRefused(.exactCannotBeEdited))
            }
            return replayed.exact
        case .semantic:
            var editor = RequestEditor(replayed.editable)
            try editor.apply(edits)
            return try replayed.recomposed(editor.request, keepsHost: editor.keepsHost)
        }
    }
}
