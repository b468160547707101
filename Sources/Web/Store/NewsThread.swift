internal import ProxydExchangeContent
internal import ProxydStoreAnswers
internal import ProxydCaptureModel
internal import ProxydParameterCoding
internal import ProxydSystem
internal import ProxydWebServer
internal import Synchronization

/// Watches the store on a thread of its own, and publishes what changed.
final class NewsThread: Sendable {
    private static let stackByteCount = 1 << 20

    private let door: StoreDoor
    private let services: WebServices
    private let feed: EventFeed
    private let isStopped = Mutex(false)
    private let published = Mutex<JSONValue?>(nil)

    init(_ door: StoreDoor, _ services: WebServices, _ feed: EventFeed) {
        self.door = door
        self.services = services
        self.feed = feed
    }

    /// Starts the thread; returns whether the system allowed it.
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
        guard let reader = try? door.reader() else { return send(.members([("through", .null)])) }
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
