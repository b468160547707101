internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydParameterCoding
internal import ProxydSystem
internal import ProxydWebServer
internal import Synchronization

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
            ("read_only", .bool(services.actions.annotating == nil)),
            ("holds", .integer(facts.holds.count)),
        ])
    }
}

/// Watches the store on its own thread, and publishes changes.
final class NewsThread: Sendable {
    private static let stackByteCount = 1 << 20

    private let store: SharedReader
    private let services: WebServices
    private let feed: EventFeed
    private let isStopped = Mutex(false)
    private let published = Mutex<JSONValue?>(nil)

    init(_ store: SharedReader, _ services: WebServices, _ feed: EventFeed) {
        self.store = store
        self.services = services
        self.feed = feed
    }

    func start() -> Bool {
        publish()
        return startDetachedThread(stackByteCount: NewsThread.stackByteCount) { self.run() }
    }

    func stop() { isStopped.withLock { $0 = true } }

    private func run() {
        while !isStopped.withLock({ $0 }) {
            if services.waitForChange() { publish() }
        }
    }

    /// Sends an event if the store differs from the last one that was sent.
    private func publish() {
        guard let reader = try? store.reader() else { return send(.members([("through", .null)])) }
        let (last, change) = (try? reader.lastExchangeID(), try? reader.changeNumber())
        send(
            .members([
                ("through", .text(last.flatMap { $0 }.map { "\($0)" })),
                ("change", .integer(change)), ("store", .string(String(reader.storeNumber))),
            ]))
    }

    private func send(_ value: JSONValue) {
        let isNew = published.withLock { former in
            defer { former = value }
            return former != value
        }
        guard isNew else { return }
        var text: [UInt8] = []
        JSONText.write(value, into: &text)
        feed.publish("change", String(decoding: text, as: UTF8.self))
    }
}
