import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// Frames that ordinary clients and servers send often are not taken for a flood, however fast
/// they come, and a peer that has earned some of them gains nothing beyond them. No time passes
/// here unless a test says so.
struct HTTP2OrdinaryTrafficTests {
    private static let one = StreamID(rawValue: 1)
    private static let message = "1234567"

    /// The updates that gRPC's C library sends for a message: its prefix on the stream, and all of
    /// it on the connection.
    private static func returned(_ stream: UInt32) -> [UInt8] {
        Frames.windowUpdate(stream, 5) + Frames.windowUpdate(0, 7)
    }

    private static func begin(_ side: inout HTTP2Side, _ id: StreamID) {
        side.connection.send(
            ForwardedResponse(
                head: ResponseHead(status: 200, reason: "", fields: HeaderFields()),
                body: .chunked), on: id)
    }

    private static func say(_ text: String, _ side: inout HTTP2Side, _ id: StreamID) {
        side.connection.send(body: text.utf8.span, on: id)
        _ = side.frames()
    }

    @Test
    func `many small gRPC calls with a WINDOW_UPDATE for each message are not treated as a flood`()
    {
        var side = HTTP2Side.open(.server)
        for number in 0..<5_000 as Range<UInt32> {
            let id = StreamID(rawValue: number * 2 + 1)
            side.take(
                Frames.request(id.rawValue, method: "POST", ends: false)
                    + Frames.windowUpdate(id.rawValue, 5)
                    + Frames.data(id.rawValue, Self.message, ends: true)
                    + Frames.windowUpdate(0, 7))
            Self.begin(&side, id)
            side.connection.send(body: Self.message.utf8.span, on: id)
            side.connection.end(id, trailers: nil)
            _ = side.frames()
        }
        #expect(side.error == nil)
    }

    @Test
    func `a WINDOW_UPDATE for a stream that the server then resets is not treated as a flood`() {
        var side = HTTP2Side.open(.server)
        for number in 0..<5_000 as Range<UInt32> {
            let id = StreamID(rawValue: number * 2 + 1)
            side.take(Frames.request(id.rawValue) + Frames.windowUpdate(id.rawValue, 5))
            side.connection.reset(id, .internalError)
            _ = side.frames()
        }
        #expect(side.error == nil)
    }

    @Test(arguments: [HTTP2Connection.Role.server, .client])
    func `many small messages in both directions on one stream are not treated as a flood`(
        role: HTTP2Connection.Role
    ) {
        var side = HTTP2Side.open(role)
        if role == .server {
            side.take(Frames.request(1, method: "POST", ends: false))
            Self.begin(&side, Self.one)
        } else {
            let head = RequestHead(method: .post, target: [0x2F], fields: HeaderFields())
            let url = RawURL(scheme: "https", host: "h", port: 443, origin: [0x2F])
            _ = side.connection.send(ForwardedRequest(head: head, url: url, body: .chunked))
            side.take(Frames.headers(1, [(":status", "200")], ends: false))
        }
        for _ in 0..<5_000 {
            side.take(Frames.data(1, Self.message))
            Self.say(Self.message, &side, Self.one)
            side.take(Self.returned(1))
        }
        #expect(side.error == nil)
    }

    @Test
    func `many small WINDOW_UPDATE frames for one large DATA frame are not treated as a flood`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        Self.begin(&side, Self.one)
        for _ in 0..<20 {
            Self.say(String(repeating: "x", count: 12_000), &side, Self.one)
            for step in [5, 7] as [UInt32] {
                for _ in 0..<1_000 {
                    side.take(Frames.windowUpdate(1, step) + Frames.windowUpdate(0, step))
                }
            }
        }
        #expect(side.error == nil)
    }

    @Test func `a PING with each DATA frame is not treated as a flood`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        Self.begin(&side, Self.one)
        for _ in 0..<5_000 {
            side.take(Frames.data(1, Self.message))
            side.take(Frames.frame(6, Array(repeating: 0, count: 8)))
        }
        #expect(side.error == nil)
    }

    @Test func `a server that resets every request of a client is not treated as flooding`() {
        var side = HTTP2Side.open(.client)
        for number in 0..<5_000 as Range<UInt32> {
            _ = side.connection.send(.get)
            side.take(Frames.reset(number * 2 + 1, 7))
            _ = side.frames()
        }
        #expect(side.error == nil)
    }

    @Test
    func `requests that a client cancels after one second are not treated as a flood`() {
        var side = HTTP2Side.open(.server)
        for turn in 0..<100 as Range<UInt32> {
            let streams = (0..<100 as Range<UInt32>).map { (turn * 100 + $0) * 2 + 1 }
            side.take(streams.flatMap { Frames.request($0) })
            side.now += 1_000_000_000
            side.take(streams.flatMap { Frames.reset($0, 8) })
            _ = side.frames()
        }
        #expect(side.error == nil)
    }

    @Test func `late DATA on many streams that the client has reset is not treated as a flood`() {
        var side = HTTP2Side.open(.client, [(3, 1_000)])
        let streams = (0..<1_000 as Range<UInt32>).map { $0 * 2 + 1 }
        for stream in streams {
            _ = side.connection.send(.get)
            side.take(Frames.headers(stream, [(":status", "200")], ends: false))
        }
        for stream in streams { side.connection.reset(StreamID(rawValue: stream), .cancel) }
        side.take(streams.flatMap { Frames.data($0, "late") + Frames.data($0, "later") })
        #expect(side.error == nil)
    }

    @Test(arguments: [("WINDOW_UPDATE", 70_000), ("PING", 400)])
    func `an HTTP/2 client that has received much data still cannot send endless useless frames`(
        kind: String, countMax: Int
    ) {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        Self.begin(&side, Self.one)
        for _ in 0..<2_000 {
            Self.say(String(repeating: "x", count: 10_000), &side, Self.one)
            side.take(Frames.windowUpdate(1, 10_000) + Frames.windowUpdate(0, 10_000))
        }
        #expect(side.error == nil)
        let flood =
            kind == "PING"
            ? Frames.frame(6, Array(repeating: 0, count: 8)) : Frames.windowUpdate(1, 1)
        var count = 0
        while side.error == nil, count < 100_000 {
            side.take(flood)
            count += 1
        }
        #expect(side.error?.code == .enhanceYourCalm)
        #expect(count <= countMax)
    }
}
