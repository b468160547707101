internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydWebServer

/// Routes for the state of daemon and store, and for news.
struct StatusRoutes: Sendable {
    let store: SharedReader
    let services: WebServices
    let feed: EventFeed

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/status") { _ in .json(status()) }
        router.add(.get, "/api/v1/events") { _ in .events(feed) }
        router.add(.post, "/api/v1/recording") { request in
            let members = try request.object(["on"])
            let isOn = try members.requiredBool("on")
            guard let daemonControl = services.actions.daemonControl else {
                throw WebProblem(403, "this store can only be read")
            }
            try daemonControl.setRecording(isOn)
            return .json(status())
        }
    }

    private func status() -> JSONValue {
        let facts = services.actions.statusReporting?.facts() ?? StatusFacts()
        return StatusJSON.value(facts, services, store)
    }
}

/// The answer of `/api/v1/status`, which is also the data of the event `status`.
enum StatusJSON {
    static func value(
        _ facts: StatusFacts, _ services: WebServices, _ store: SharedReader
    ) -> JSONValue {
        let count = (try? store.reader()).flatMap { try? $0.exchangeCount() }
        let isRecording = facts.isDaemonRunning == true && facts.recordingStoppedBecause == nil
        return .members([
            ("version", .string(services.version)),
            ("data_directory", .string(services.dataDirectory)),
            ("daemon", .bool(facts.isDaemonRunning ?? false)),
            ("recording", .bool(isRecording)),
            ("recording_stopped_because", .text(facts.recordingStoppedBecause)),
            ("rules_problem", .text(facts.rulesProblem)),
            ("exchanges", .integer(count ?? facts.exchangeCount)),
            ("store_bytes", .integer(facts.storeByteCount)),
            ("dropped_exchanges", .integer(facts.droppedExchangeCount)),
            ("addresses", .strings(facts.listenAddresses)),
            ("certificate_path", .text(facts.certificatePath)),
            ("daemon_command", .text(facts.daemonCommand)),
            ("own_command", .text(facts.ownCommand.map { "\($0) web" })),
            ("read_only", .bool(services.actions.annotating == nil)),
            ("holds", .integer(facts.holds.count)),
            ("imports_at_most", .integer(services.actions.importing?.byteCountMax)),
        ])
    }
}
