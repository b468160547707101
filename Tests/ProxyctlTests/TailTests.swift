import Capture
import ProxydCaptureModel
import ProxydControl
import ProxydFilter
import ProxydHTTPModel
@testable import proxyctl
import Testing

@Suite struct TailTests {
    private func follower(
        _ store: SampleStore, _ filter: String = ""
    ) throws -> ExchangeFollower {
        try ExchangeFollower(StoreReader(directory: store.directory), Filter.parse(filter))
    }

    private func update(
        _ id: ExchangeID, _ state: ExchangeState, isFirst: Bool, status: Int? = nil
    ) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: id, state: state, timeline: SampleExchange.timeline(), isFirst: isFirst)
        if isFirst {
            let url = SampleExchange.url("live.test", "/\(id)")
            update.url = url
            update.requestHead = RequestHead(
                method: .get, target: url.origin, fields: HeaderFields([("Host", "live.test")]))
        }
        update.responseHead = status.map {
            ResponseHead(status: $0, reason: "", fields: HeaderFields())
        }
        return update
    }

    private func flush(_ recorder: Recorder) throws {
        try recorder.wait { recorder.flush(completion: $0) }
    }

    @Test func `proxyctl tail does not report exchanges that were stored before it started`() throws
    {
        let store = try SampleStore()
        let recorder = try Recorder(directory: store.directory)
        defer { recorder.stop() }
        var follower = try follower(store)
        #expect(try follower.news().isEmpty)
        let next = recorder.nextExchangeID()
        recorder.record(update(next, .complete, isFirst: true, status: 200))
        try flush(recorder)
        #expect(try follower.news().map(\.id) == [next])
    }

    @Test
    func `proxyctl tail prints a new exchange when it ends, and a slow one also when it starts`()
        throws
    {
        let store = try SampleStore()
        let recorder = try Recorder(directory: store.directory)
        defer { recorder.stop() }
        var follower = try follower(store)
        let (long, short) = (recorder.nextExchangeID(), recorder.nextExchangeID())
        // The later number comes into the store first.
        recorder.record(update(short, .complete, isFirst: true, status: 200))
        try flush(recorder)
        #expect(try follower.news().map(\.id) == [short])
        recorder.record(update(long, .active, isFirst: true))
        try flush(recorder)
        #expect(try follower.news().map(\.id) == [long])
        #expect(try follower.news().isEmpty)
        recorder.record(update(long, .complete, isFirst: false, status: 200))
        try flush(recorder)
        let rows = try follower.news()
        #expect(rows.map(\.id) == [long])
        #expect(rows.first?.state == .complete)
        #expect(try follower.news().isEmpty)
    }

    @Test func `when an exchange ends, however old, proxyctl tail tests its filter again`()
        throws
    {
        let store = try SampleStore()
        let recorder = try Recorder(directory: store.directory)
        defer { recorder.stop() }
        let long = recorder.nextExchangeID()
        recorder.record(update(long, .active, isFirst: true))
        try flush(recorder)
        var follower = try follower(store, "status=503 or path:never")
        for _ in 0..<400 {
            recorder.record(
                update(recorder.nextExchangeID(), .complete, isFirst: true, status: 200))
        }
        try flush(recorder)
        #expect(try follower.news().isEmpty)
        recorder.record(update(long, .failed, isFirst: false, status: 503))
        try flush(recorder)
        #expect(try follower.news().map(\.id) == [long])
    }

    @Test func `after exchanges are deleted, proxyctl tail still prints new ones`() throws {
        let store = try SampleStore()
        let recorder = try Recorder(directory: store.directory)
        defer { recorder.stop() }
        recorder.record(update(recorder.nextExchangeID(), .active, isFirst: true))
        try flush(recorder)
        var follower = try follower(store)
        _ = try recorder.wait { recorder.clear(.all, completion: $0) }
        #expect(try follower.news().isEmpty)
        let next = recorder.nextExchangeID()
        recorder.record(update(next, .complete, isFirst: true, status: 200))
        try flush(recorder)
        #expect(try follower.news().map(\.id) == [next])
    }

    @Test
    func `without a daemon, proxyctl tail looks for new exchanges only after a store write`()
        throws
    {
        let store = try SampleStore()
        let news = StoreNewsWatch(store.directory)
        // The first look finds a store.
        #expect(news.wait())
        for _ in 0..<3 { #expect(!news.wait()) }
        let recorder = try Recorder(directory: store.directory)
        recorder.record(update(recorder.nextExchangeID(), .complete, isFirst: true))
        try flush(recorder)
        while !news.wait() {}
        recorder.stop()
        // Stopping writes, too.
        while news.wait() {}
        #expect(!news.wait())
    }

    @Test
    func `proxyctl tail subscribes to events of the daemon, and polls after the daemon exits`()
        throws
    {
        let store = try SampleStore()
        let daemon = try RunningDaemon(store)
        let watch = ChangeWatch(store.directory)
        watch.wait()
        #expect(watch.isSubscribed)
        daemon.server.publish(.changed(ids: [7]))
        // Waits without news say so.
        while !watch.wait() {}
        #expect(watch.isSubscribed)
        daemon.server.stop()
        // The end shows at one of the next waits, each of which returns by itself.
        while watch.isSubscribed { watch.wait() }
        watch.wait()
        #expect(!watch.isSubscribed)
    }
}
