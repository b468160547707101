internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydInterchange
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydWebServer
internal import ProxydHTTPModel

/// Routes for the state of daemon and store, and for news.
struct StatusRoutes: Sendable {
    let door: StoreDoor
    let services: WebServices
    let feed: EventFeed

    func add(to router: inout WebRouter) {
        router.add(.get, "/api/v1/status") { _ in .json(status()) }
        router.add(.get, "/api/v1/events") { _ in .events(feed) }
        router.add(.post, "/api/v1/recording") { request in
            let members = try request.object(["on"])
            let isOn = try WebFailure.explaining { try members.requiredBool("on") }
            guard let steering = services.actions.steering else {
                throw WebProblem(403, "this store can only be read")
            }
            try WebFailure.explaining { try steering.setRecording(isOn) }
            return .json(status())
        }
    }

    private func status() -> JSONValue {
        let facts = services.actions.inspecting?.facts() ?? StatusFacts()
        let count = (try? door.reader()).flatMap { try? $0.exchangeCount() }
        return .members([
            ("version", .string(services.version)),
            ("data_directory", .string(services.dataDirectory)),
            ("daemon", .bool(facts.isDaemonRunning ?? false)),
            ("recording", .bool(facts.isDaemonRunning == true && isRecording(facts))),
            ("recording_stopped_because", .text(facts.recordingStoppedBecause)),
            ("rules_problem", .text(facts.rulesProblem)),
            ("exchanges", .integer(count ?? facts.exchangeCount)),
            ("store_bytes", .integer(facts.storeByteCount)),
            ("dropped_exchanges", .integer(facts.droppedExchangeCount)),
            ("addresses", .strings(facts.listenAddresses)),
            ("certificate_path", .text(facts.certificatePath)),
            ("daemon_command", .text(facts.daemonCommand)),
            ("read_only", .bool(services.actions.annotating == nil)),
            ("holds", .integer(facts.holds.count)),
        ])
    }

    private func isRecording(_ facts: StatusFacts) -> Bool {
        facts.recordingStoppedBecause == nil
    }
}
