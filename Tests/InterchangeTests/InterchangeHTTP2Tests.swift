import Capture
import Foundation
import ProxydCaptureModel
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydHTTPWire
@testable import ProxydInterchange
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

/// Exchanges of HTTP/2 in every format.
struct InterchangeHTTP2Tests {
    /// 1 a stream that was reset, 2 one whose head could not be read.
    private func store() throws -> InterchangeStore {
        try InterchangeStore { recorder in
            recorder.record(Samples.http2(recorder.nextExchangeID()))
            var update = Samples.http2(recorder.nextExchangeID())
            (update.requestHead, update.responseHead, update.url) = (nil, nil, nil)
            var list: [UInt8] = []
            FieldList.append(
                name: Array("x-a".utf8).span, value: [13, 10, 27, 0].span, to: &list)
            update.malformedHead = list
            update.malformedCodings = [FieldCoding(.neverIndexed)]
            recorder.record(update)
            try recorder.flush()
        }
    }

    @Test
    func `HAR and JSON Lines keep HPACK codings, streams, resets and frames of HTTP/2 exchanges`()
        throws
    {
        let before = try store()
        for bytes in [
            try before.export(HARWriter(version: "1")), try before.export(JSONLinesWriter()),
        ] {
            let after = try InterchangeStore(importing: bytes)
            #expect(try after.captured().count == 2)
            for (one, other) in zip(try before.captured(), try after.captured()) {
                #expect(one.exchange.http2 != nil)
                #expect(one.exchange.http2 == other.exchange.http2)
                #expect(!one.exchange.frames.isEmpty)
                #expect(one.exchange.frames == other.exchange.frames)
                #expect(one.exchange.request == other.exchange.request)
                #expect(one.exchange.request.head?.codings == other.exchange.request.head?.codings)
                #expect(one.exchange.response == other.exchange.response)
                #expect(one.malformedHead == other.malformedHead)
                #expect(one.row.spokenProtocol == other.row.spokenProtocol)
            }
        }
    }

    @Test func `HAR and JSON Lines keep the HTTP/2 settings of both sides of a connection`() throws
    {
        let facts = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)],
            peerSettings: [.init(number: 4, value: .max), .init(number: 0xFFFF, value: 0)],
            frames: [])
        let before = try InterchangeStore { recorder in
            var connection = ConnectionRecord(
                id: recorder.nextConnectionID(), side: .client, openedAt: 1,
                peerAddress: "127.0.0.1:5", localAddress: "127.0.0.1:6")
            connection.http2 = facts
            recorder.record(connection)
            var update = Samples.http2(recorder.nextExchangeID())
            update.clientConnection = connection.id
            recorder.record(update)
            try recorder.flush()
        }
        for bytes in [
            try before.export(HARWriter(version: "1")), try before.export(JSONLinesWriter()),
        ] {
            let after = try InterchangeStore(importing: bytes).captured()
            #expect(after.map(\.exchange.client?.http2) == [facts])
        }
    }

    /// A WebSocket on a stream, opened and closed again.
    private func webSocketStore() throws -> InterchangeStore {
        try InterchangeStore { recorder in
            let url = RawURL(
                scheme: "https", host: "h.test", port: 443, origin: Array("/chat?a=1".utf8))
            var update = Samples.http2(recorder.nextExchangeID())
            update.url = url
            update.requestHead = try RequestHead.extendedConnect(
                "websocket", to: url,
                fields: HeaderFields([
                    ("origin", "https://h.test"), ("sec-websocket-version", "13"),
                ]))
            update.upgradedTo = "websocket"
            (update.requestBody, update.responseBody) = (.init(), .init())
            update.requestBody.byteCount = 80
            update.responseBody.byteCount = 90
            recorder.record(update)
            try recorder.flush()
        }
    }

    @Test func `a WebSocket over HTTP/2 is exported to curl as an HTTP/1.1 Upgrade request`() throws
    {
        var writer = CurlWriter()
        let captured = try webSocketStore().captured()[0]
        let text = String(decoding: writer.bytes(of: captured), as: UTF8.self)
        #expect(
            text.replacing(" \\\n\t", with: " ") == """
                # 1 CONNECT https://h.test/chat?a=1
                curl -X GET --http1.1 -H 'origin: https://h.test' -H 'sec-websocket-version: 13' \
                -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
                -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H 'User-Agent:' -H 'Accept:' \
                'https://h.test/chat?a=1'


                """)
        #expect(writer.withoutCommandCount == 0)
    }

    @Test func `a WebSocket over HTTP/2 is exported to HAR as a GET request, as browsers do`()
        throws
    {
        let before = try webSocketStore()
        let entry = try before.harEntries()[0]
        let request = try #require(entry["request"] as? [String: Any])
        #expect(request["method"] as? String == "GET")
        #expect(request["url"] as? String == "wss://h.test/chat?a=1")
        #expect(request["postData"] == nil && request["bodySize"] as? Int == 80)
        let after = try InterchangeStore(importing: try before.export(HARWriter(version: "1")))
        #expect(
            try after.captured().map(\.exchange.request)
                == before.captured().map(\.exchange.request))
        #expect(try after.captured()[0].row.spokenProtocol == .webSocket)
    }

    @Test
    func `importing JSON from proxyctl show keeps the protocol that an exchange was upgraded to`()
        throws
    {
        let captured = try webSocketStore().captured()[0]
        let value = ExchangeJSON.value(captured.row, captured.exchange)
        #expect(value["upgraded_to"]?.text == "websocket")
        var line: [UInt8] = []
        JSONText.write(value, into: &line)
        let after = try InterchangeStore(importing: line + [0x0A])
        #expect(try after.captured().map(\.exchange.upgradedTo) == ["websocket"])
    }

    @Test func `the HAR export names the version, stream and reset of an HTTP/2 exchange`() throws {
        let entry = try store().harEntries()[0]
        #expect(entry["_stream"] as? Int == 5)
        #expect(entry["_reset"] as? String == "CANCEL")
        let request = try #require(entry["request"] as? [String: Any])
        #expect(request["httpVersion"] as? String == "HTTP/2")
        let headers = try #require(request["headers"] as? [[String: String]])
        #expect(headers.map { $0["name"] } == ["authorization"])
    }

    @Test func `the JSON of proxyctl show has every HTTP/2 field line with its HPACK coding`()
        throws
    {
        let captured = try store().captured()[0]
        let http2 = ExchangeJSON.value(captured.row, captured.exchange)["http2"]
        let lines = try #require(http2?["request_lines"]?.elements)
        #expect(lines.map { $0.elements[0].text }.first == ":method")
        #expect(lines.last?.elements.map(\.text) == ["authorization", "s", "neverIndexed"])
        #expect(http2?["reset"]?["code"]?.text == "CANCEL")
        #expect(http2?["frames"]?.elements.isEmpty == false)
    }

    @Test func `a redacted HTTP/2 head keeps its field lines and their HPACK codings`() throws {
        let captured = try store().captured()[0]
        let redacted = ExchangeRedactor().redacted(captured).exchange
        let head = try #require(redacted.request.head)
        #expect(head.version == .http2)
        #expect(head.codings == captured.exchange.request.head?.codings)
        #expect(
            String(decoding: head.bytes, as: UTF8.self)
                == ":method: GET\r\n:scheme: https\r\n:authority: h.test\r\n:path: /a?b=c\r\n"
                + "authorization: REDACTED\r\n\r\n")
    }

    @Test func `redaction removes the bytes of HTTP/2 frames`() throws {
        let store = try InterchangeStore { recorder in
            var update = Samples.http2(recorder.nextExchangeID())
            update.frames = Samples.framesWithBytes
            recorder.record(update)
            try recorder.flush()
        }
        let captured = try store.captured()[0]
        #expect(FrameTimeline.records(captured.exchange.frames).contains { !$0.bytes.isEmpty })
        let redacted = FrameTimeline.records(
            ExchangeRedactor().redacted(captured).exchange.frames)
        #expect(!redacted.isEmpty)
        #expect(redacted.allSatisfy { $0.bytes.isEmpty })
    }

    @Test func `the curl command for an HTTP/2 exchange asks for HTTP/2`() throws {
        var writer = CurlWriter()
        let text = String(decoding: writer.bytes(of: try store().captured()[0]), as: UTF8.self)
        let command = text.replacing(" \\\n\t", with: " ").split(separator: "\n").last
        #expect(
            command
                == """
                curl -X GET --http2 -H 'authorization: s' -H 'User-Agent:' -H 'Accept:' \
                'https://h.test/a?b=c'
                """)
    }

    @Test(arguments: ["h2", "HTTP/2", "http/2.0"])
    func `HTTP/2 entries in HAR files from other programs are imported with HTTP/2 heads`(
        version: String
    )
        throws
    {
        let har = """
            {"log":{"entries":[{"startedDateTime":"2026-11-20T10:00:00Z","request":{"method":"GET",
            "url":"https://h.test/a","httpVersion":"\(version)","headers":[
            {"name":":authority","value":"h.test"},{"name":":path","value":"/a"},
            {"name":"X-A","value":"1"}]},
            "response":{"status":200,"statusText":"","httpVersion":"\(version)","headers":[
            {"name":"content-type","value":"text/plain"}],"content":{"text":"x"}}}]}}
            """
        let captured = try InterchangeStore(importing: Array(har.utf8)).captured()[0]
        #expect(captured.row.spokenProtocol == .http2)
        #expect(
            String(decoding: captured.exchange.request.head?.bytes ?? [], as: UTF8.self)
                == ":method: GET\r\n:scheme: https\r\n:authority: h.test\r\n:path: /a\r\n"
                + "x-a: 1\r\n\r\n"
        )
        #expect(captured.exchange.response?.head.version == .http2)
        #expect(captured.exchange.response?.status == 200)
    }
}
