internal import Capture
internal import ClientLib
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydSystem

/// Sends requests, as `proxyctl replay` does, and records them where the daemon does.
struct StoreReplayer: ExchangeReplaying {
    let location: StoreLocation
    private var directory: DataDirectory { location.directory }

    func send(
        _ request: Request, repeating original: ExchangeID?, by route: ReplayRoute,
        isCancelled: () -> Bool
    ) throws -> ExchangeID {
        try InterfaceFailure.explaining {
            let captured = try original.map { try exchange($0) }
            return try withSession(concurrency: 1, route, isCancelled) { session in
                let sent =
                    try captured.map {
                        StoreReplayer.edited($0, request, route.replayVersion, session)
                    } ?? session.request(ComposedRequest(request).whole(route.version))
                let response = await sent.serializingData().response
                guard let attempt = sent.exchanges.last, attempt.id.rawValue > 0 else {
                    throw response.error ?? ClientError(.explicitlyCancelled)
                }
                if let error = response.error, let words = StoreReplayer.advice(error) {
                    throw CommandFailure(words)
                }
                return attempt.id
            }
        }
    }

    func replay(
        _ order: ReplayOrder, isCancelled: () -> Bool,
        onResult: @escaping @Sendable (ReplayOutcome) -> Void
    ) throws {
        var plan = ReplayPlan()
        plan.fidelity = order.isExact ? .bytes : .semantic
        plan.version = order.route.replayVersion
        plan.roundCount = max(1, order.roundCount)
        plan.concurrency = max(1, order.concurrency)
        plan.delay = .milliseconds(max(0, order.delayMs))
        try InterfaceFailure.explaining {
            let source = ChosenExchanges(try location.reader(), order.ids)
            let route = order.route
            try withSession(concurrency: plan.concurrency, route, isCancelled) { [plan] session in
                try await ReplayRun(session, plan: plan).run(source) { result in
                    onResult(StoreReplayer.outcome(result))
                    return true
                }
            }
        }
    }

    /// A session that adds nothing to requests, and records them.
    private func withSession<Value: Sendable>(
        concurrency: Int, _ route: ReplayRoute, _ isCancelled: () -> Bool,
        _ body: @escaping @Sendable (Session) async throws -> Value
    ) throws -> Value {
        var configuration = SessionConfiguration(headers: HeaderFields())
        configuration.maximumConnectionsPerHost = concurrency
        configuration.maximumStreamsPerHost = concurrency
        configuration.cookieStorage = nil
        configuration.decompressesResponses = false
        try StoreReplayer.route(route).apply(to: &configuration, directory)
        let recording = try ReplayRecording.open(directory)
        let session = Session(
            recordingInto: recording.sink, configuration: configuration,
            redirectHandler: Redirector.doNotFollow)
        let result = BlockingWait.result(of: { try await body(session) }, isCancelled)
        session.shutdown()
        try recording.finish()
        return try result.get()
    }

    private static func route(_ wanted: ReplayRoute) throws -> ServerRoute {
        var route = ServerRoute()
        route.isVerified = wanted.isVerified
        route.way = wanted.isThroughDaemon ? .daemon : .ourselves
        route.resolutions = try HostResolution.list(wanted.resolutions)
        return route
    }

    /// The problem, and how to send the request nevertheless; nil if the row says everything.
    private static func advice(_ error: ClientError) -> String? {
        if error.isAboutDeniedNetwork { return error.message + "\n" + ClientError.deniedNetworkKey }
        guard error.isAboutCertificate else { return nil }
        return error.message + "\n"
            + "to skip verification, use S in the composer, * in lists, or tls.unverified_hosts"
    }

    private func exchange(_ id: ExchangeID) throws -> Exchange {
        let reader = try location.reader()
        var source = ChosenExchanges(reader, [id])
        guard let exchange = try source.next() else {
            throw CommandFailure("exchange \(try reader.name(of: id)) no longer exists")
        }
        return exchange
    }

    /// The captured request with every composed part in place of the original one.
    private static func edited(
        _ captured: Exchange, _ request: Request, _ version: ReplayVersion, _ session: Session
    ) -> DataRequest {
        var source = captured
        // The new body is complete, even if the old one was not stored completely.
        source.request.body = request.body
        source.state = .complete
        let formerHost = captured.request.head?.fields.value(.host)
        return session.replay(of: source, version: version) { sent in
            let composed = try ComposedRequest(request)
            let forwardedHost = sent.fields.value(.host)
            sent.method = composed.method
            sent.url = composed.url
            sent.fields = composed.fields
            sent.body = composed.body
            // An unchanged Host follows the URL.
            if let forwardedHost, composed.fields.value(.host) == formerHost {
                sent.fields.set(name: "Host", value: forwardedHost)
            }
        }
    }

    private static func outcome(_ result: ReplayResult) -> ReplayOutcome {
        let likeness: ReplayOutcome.Likeness =
            switch result.body {
            case .same: .same
            case .different: .different
            case .unknown: .unknown
            }
        return ReplayOutcome(
            originalID: result.originalID, id: result.id, status: result.replay?.status,
            isStatusSame: result.isStatusSame, bodyByteCount: result.replay?.bodyByteCount ?? 0,
            body: likeness, durationNs: result.replay?.durationNs,
            problem: result.error?.message, advice: result.error.flatMap(advice))
    }
}

extension ReplayRoute {
    fileprivate var replayVersion: ReplayVersion {
        switch version {
        case .recorded: .recorded
        case .http11: .http11
        case .http2: .http2
        }
    }
}

/// Chosen exchanges of a store, each read when it is needed. Deleted ones are omitted.
struct ChosenExchanges: ReplaySource, Sendable {
    private let reader: any ExchangeReading
    private var ids: ArraySlice<ExchangeID>

    init(_ reader: any ExchangeReading, _ ids: [ExchangeID]) {
        self.reader = reader
        self.ids = ids[...]
    }

    mutating func next() throws -> Exchange? {
        while let id = ids.popFirst() {
            let row = try reader.row(id)
            if let row, let captured = try reader.captured(row) { return captured.exchange }
        }
        return nil
    }
}

/// A request composed by the user, in the parts that the client library takes.
struct ComposedRequest {
    let method: HTTPMethod
    let url: RawURL
    let fields: HeaderFields
    let body: HTTPBody

    /// Throws if the request has no method or no URL.
    init(_ request: Request) throws {
        guard let head = request.head, let url = request.url else {
            throw CommandFailure("the request has no URL")
        }
        method = head.method
        self.url = url
        fields = head.fields
        body = request.body.kept.isEmpty ? .none : .bytes(request.body.kept)
    }

    /// The request as a new one, without an original.
    func whole(_ version: ReplayRoute.Version) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: url, fields: fields, body: body)
        switch version {
        case .recorded: break
        case .http11: request.protocols = [.http11]
        case .http2: request.protocols = [.onlyHTTP2(scheme: url.scheme)]
        }
        return request
    }
}

/// Waits for an asynchronous operation on a thread that may block.
enum BlockingWait {
    /// The time between checks for cancellation.
    private static let intervalNs: Int64 = 50_000_000

    /// The result of the closure. On cancellation its task is cancelled, and still awaited.
    static func result<Value: Sendable>(
        of body: @escaping @Sendable () async throws -> Value, _ isCancelled: () -> Bool
    ) -> Result<Value, any Error> {
        let ended = Promise<Result<Value, any Error>>()
        let task = Task {
            do {
                ended.fulfil(.success(try await body()))
            } catch {
                ended.fulfil(.failure(error))
            }
        }
        while true {
            if let result = ended.wait(forNs: intervalNs) { return result }
            if isCancelled() { task.cancel() }
        }
    }
}
