import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// Windows and turns (RFC 9113 §5.2).
struct HTTP2WindowTests {
    private static let one = StreamID(rawValue: 1)
    private static let three = StreamID(rawValue: 3)

    /// A server's side with streams 1 and 3, whose responses have begun.
    private func answering(_ settings: [(UInt16, UInt32)]) -> HTTP2Side {
        var side = HTTP2Side.open(.server, settings)
        side.take(Frames.request(1) + Frames.request(3))
        for id in [Self.one, Self.three] {
            side.connection.send(
                ForwardedResponse(
                    head: ResponseHead(status: 200, reason: "", fields: HeaderFields()),
                    body: .chunked), on: id)
        }
        _ = side.frames()
        return side
    }

    @Test func `a body blocked by its stream's flow-control window does not block another stream`()
    {
        var side = answering([(4, 5)])
        side.connection.send(body: "0123456789".utf8.span, on: Self.one)
        side.connection.end(Self.one, trailers: nil)
        side.connection.send(body: "ab".utf8.span, on: Self.three)
        side.connection.end(Self.three, trailers: nil)
        #expect(side.frames() == ["1 DATA 01234", "3 DATA ab end"])
        side.take(Frames.windowUpdate(1, 3))
        #expect(side.frames() == ["1 DATA 567"])
        side.take(Frames.settings([(4, 7)]))
        #expect(side.frames() == ["SETTINGS ack", "1 DATA 89 end"])
    }

    @Test func `an HTTP/2 connection reports its number of unsent bytes until all are sent`() {
        var side = answering([(4, 5)])
        #expect(side.connection.unsentByteCount == 0)
        side.connection.send(body: "0123456789".utf8.span, on: Self.one)
        side.connection.end(Self.one, trailers: nil)
        side.connection.end(Self.three, trailers: nil)
        _ = side.frames()
        #expect(side.connection.unsentByteCount == 5)
        side.take(Frames.windowUpdate(1, 5))
        _ = side.frames()
        #expect(side.connection.unsentByteCount == nil)
    }

    @Test func `a stream's flow-control window may become negative`() {
        var side = answering([(4, 5)])
        side.connection.send(body: "0123456789".utf8.span, on: Self.one)
        _ = side.frames()
        side.take(Frames.settings([(4, 2)]) + Frames.windowUpdate(1, 4))
        #expect(side.frames() == ["SETTINGS ack", "1 DATA 5"])
    }

    @Test func `the connection's flow-control window limits all of its streams together`() {
        var side = answering([(4, 100_000)])
        let body = [UInt8](repeating: 0x61, count: 70_000)
        side.connection.send(body: body.span, on: Self.one)
        #expect(side.frames().count == 4)
        side.connection.send(body: "b".utf8.span, on: Self.three)
        #expect(side.frames() == [])
        side.take(Frames.windowUpdate(0, 70_000))
        #expect(side.frames().map { $0.prefix(6) } == ["1 DATA", "3 DATA"])
        #expect(side.connection.isCongested(Self.one) == false)
    }

    @Test func `HTTP/2 streams with data to send take turns`() {
        var side = answering([(4, 1_000_000)])
        side.take(Frames.windowUpdate(0, 1_000_000))
        let body = [UInt8](repeating: 0x61, count: 40_000)
        for id in [Self.one, Self.three] {
            side.connection.send(body: body.span, on: id)
            side.connection.end(id, trailers: nil)
        }
        #expect(side.frames().map { $0.prefix(1) } == ["1", "3", "1", "3", "1", "3"])
    }

    @Test
    func `an HTTP/2 connection produces only enough frames for the amount of output requested`() {
        var side = answering([(4, 1_000_000)])
        let body = [UInt8](repeating: 0x61, count: 60_000)
        side.connection.send(body: body.span, on: Self.one)
        #expect(side.frames(20_000).count == 2)
        #expect(side.frames().count == 2)
    }

    @Test
    func `an HTTP/2 stream with much unsent data is reported as congested and later as drained`() {
        var side = answering([(4, 0)])
        let body = [UInt8](repeating: 0x61, count: 300_000)
        side.connection.send(body: body.span, on: Self.one)
        let isCongested = side.connection.isCongested(Self.one)
        #expect(isCongested)
        side.take(Frames.windowUpdate(1, 300_000) + Frames.windowUpdate(0, 300_000))
        _ = side.frames()
        #expect(side.connection.takeDrained() == [Self.one])
        let isStillCongested = side.connection.isCongested(Self.one)
        #expect(!isStillCongested)
    }

    @Test func `an HTTP/2 stream that is not read exhausts only its own flow-control window`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        side.take(Frames.request(3, method: "POST", ends: false))
        side.connection.setReceivingPaused(Self.one, true)
        let piece = Frames.frame(0, stream: 1, Array(repeating: 0x61, count: 16_384))
        for _ in 0..<16 { side.take(piece) }
        #expect(side.frames().filter { $0.hasPrefix("1 WINDOW") } == [])
        // 16 MiB for the other one.
        let other = Frames.frame(0, stream: 3, Array(repeating: 0x62, count: 16_384))
        for _ in 0..<1_024 { side.take(other) }
        #expect(side.error == nil)
        side.take(piece)
        #expect(side.takeEvents().last == "1 reset FLOW_CONTROL_ERROR")
    }

    @Test func `resuming a paused HTTP/2 stream restores its flow-control window`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        side.connection.setReceivingPaused(Self.one, true)
        for _ in 0..<16 {
            side.take(Frames.frame(0, stream: 1, Array(repeating: 0x61, count: 16_384)))
        }
        _ = side.frames()
        side.connection.setReceivingPaused(Self.one, false)
        #expect(side.frames() == ["1 WINDOW 262144"])
    }

    @Test func `too much buffered data for paused streams is a connection error`() {
        var side = HTTP2Side(.server) { $0.pausedByteCountMax = 1 << 20 }
        side.take(Frames.preface + Frames.settings())
        var isExceeded = false
        for stream in 0..<100 {
            let id = UInt32(stream * 2 + 1)
            side.take(Frames.request(id, method: "POST", ends: false))
            side.connection.setReceivingPaused(StreamID(rawValue: id), true)
            for _ in 0..<16 where side.error == nil {
                side.take(Frames.frame(0, stream: id, Array(repeating: 0x61, count: 16_384)))
            }
            isExceeded = side.error?.code == .flowControlError
            if isExceeded {
                #expect(stream >= 4 && stream < 16)
                break
            }
        }
        #expect(isExceeded)
    }

    @Test
    func `a server that has responded discards 16 MiB of request body, then resets the stream`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        side.connection.send(
            ForwardedResponse(
                head: ResponseHead(status: 200, reason: "", fields: HeaderFields()), body: .none),
            on: Self.one)
        side.connection.end(Self.one, trailers: nil, thenReset: .noError)
        let piece = Frames.frame(0, stream: 1, Array(repeating: 0x61, count: 16_384))
        for _ in 0..<1_024 { side.take(piece) }
        #expect(side.error == nil && !side.frames().contains { $0.hasPrefix("1 RST") })
        side.take(piece)
        #expect(side.frames().contains("1 RST NO_ERROR"))
        side.take(piece + Frames.request(3))
        #expect(side.takeEvents().suffix(2) == ["3 GET / none", "3 end"])
    }

    @Test
    func `an HTTP/2 request body that ends after the response need not match its Content-Length`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false, [("content-length", "9")]))
        _ = side.takeEvents()
        side.connection.send(
            ForwardedResponse(
                head: ResponseHead(status: 200, reason: "", fields: HeaderFields()), body: .none),
            on: Self.one)
        side.connection.end(Self.one, trailers: nil, thenReset: .noError)
        side.take(Frames.data(1, "abc", ends: true))
        #expect(side.takeEvents() == [] && side.connection.openStreamCount == 0)
    }

    @Test func `a large HTTP/2 head is split into frames of the size that the peer accepts`() {
        var side = HTTP2Side.open(.client)
        let head = RequestHead(
            method: .get, target: [0x2F],
            fields: HeaderFields([("x", String(repeating: "~", count: 40_000))]))
        let url = RawURL(scheme: "https", host: "h", port: 443, origin: [0x2F])
        _ = side.connection.send(ForwardedRequest(head: head, url: url, body: .none))
        let frames = side.frames()
        #expect(frames.count == 3 && frames[0].hasPrefix("1 HEADERS 16384"))
        #expect(frames[1] == "1 CONTINUATION 16384" && frames[2].hasPrefix("1 CONTINUATION"))
    }
}
