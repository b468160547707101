import Synchronization
import Testing

@testable import ProxydWebServer

/// Server-sent events for any number of clients.
struct EventFeedTests {
    private final class Listener: Sendable {
        private let events = Mutex<[String]>([])

        var seen: [String] { events.withLock { $0 } }

        func take(_ bytes: [UInt8]) {
            events.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
        }
    }

    @Test
    func `a listener of an event feed gets the latest event of each name, then every new one`() {
        let feed = EventFeed()
        feed.publish("status", "1")
        feed.publish("status", "2")
        feed.publish("rows", "{}")
        let listener = Listener()
        let number = feed.add(listener.take)
        #expect(
            listener.seen == ["event: status\ndata: 2\n\n", "event: rows\ndata: {}\n\n"])
        feed.publish("rows", "[]")
        #expect(listener.seen.last == "event: rows\ndata: []\n\n" && feed.listenerCount == 1)
        feed.remove(number)
        feed.publish("rows", "gone")
        #expect(listener.seen.count == 3 && feed.listenerCount == 0)
    }

    @Test(arguments: [
        ("a\nb", "data: a\ndata: b\n"), ("a\r\nb", "data: a\ndata: b\n"), ("", "data: \n"),
        ("a\n\nevent: x", "data: a\ndata: \ndata: event: x\n"), ("\r", "data: \ndata: \n"),
    ])
    func `the web server sends each line of an event's data as a data line of its own`(
        data: String, lines: String
    ) {
        let feed = EventFeed()
        let listener = Listener()
        _ = feed.add(listener.take)
        feed.publish("e", data)
        #expect(listener.seen == ["event: e\n\(lines)\n"])
    }

    @Test func `removing one listener of an event feed leaves its other listeners subscribed`() {
        let feed = EventFeed()
        let (first, second) = (Listener(), Listener())
        let number = feed.add(first.take)
        #expect(feed.add(second.take) != number)
        feed.remove(number)
        feed.remove(99)
        feed.publish("e", "1")
        #expect(first.seen.isEmpty && second.seen.count == 1)
    }
}
