import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

/// What must never be stored is in no file, and the rest is.
struct WithholdingTests {
    private let store = TemporaryStore()

    private func recorder(fields: [String] = [], parameters: [String] = []) throws -> Recorder {
        var configuration = RecorderConfiguration.forTests
        configuration.unstored = UnstoredNames(fields: fields, parameters: parameters)
        return try store.recorder(configuration)
    }

    /// Ends the recording; whether any file of the store has the text.
    private func holds(_ secret: String, after recorder: Recorder) throws -> Bool {
        recorder.stop()
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
        #expect(names.contains("captures.sqlite"))
        return try names.contains { name in
            let path = store.directory.path + "/" + name
            return try Data(contentsOf: URL(fileURLWithPath: path))
                .range(of: Data(secret.utf8)) != nil
        }
    }

    private func exchange(_ recorder: Recorder, _ id: ExchangeID) throws -> Exchange {
        try recorder.flush()
        return try #require(try store.reader().exchange(id))
    }

    @Test func `only the values of header fields configured as secret are left out of the store`()
        throws
    {
        let recorder = try recorder(fields: ["X-Api-Key", "cookie"])
        let id = recorder.recordSample(
            "/a?x=1", fields: [("x-api-key", "s3cr3t-1"), ("Cookie", "sid=s3cr3t-2"), ("X-A", "b")])
        let head = try #require(try exchange(recorder, id).request.head)
        #expect(head.fields["x-api-key"] != nil)
        #expect(head.fields["cookie"]?.hasPrefix("sid=") == true)
        #expect(head.fields["x-a"] == "b")
        #expect(try !holds("s3cr3t", after: recorder))
    }

    @Test func `an HTTP/2 head keeps its HPACK codings when secret values are left out`() throws {
        let recorder = try recorder(fields: ["authorization"], parameters: ["b"])
        var update = Samples.http2(recorder.nextExchangeID())
        let (bytes, lines) = Samples.http2Head([
            (":method: GET", FieldCoding(.indexed)), (":path: /?b=s3cr3t", FieldCoding(.added)),
            (":scheme: https", FieldCoding(.indexed)),
            ("authorization: s3cr3t", FieldCoding(.neverIndexed)),
        ])
        update.url = RawURL(scheme: "https", host: "h", port: 443, origin: Array("/?b=s3cr3t".utf8))
        update.requestHead = RequestHead(
            bytes: bytes, method: .get, targetRange: lines[1].valueRange, version: .http2,
            pseudoFields: Array(lines[..<3]),
            fields: HeaderFields(bytes: bytes, lines: Array(lines[3...])))
        recorder.record(update)
        let head = try #require(try exchange(recorder, update.id).request.head)
        #expect(head.version == .http2)
        #expect(head.codings == [1, 2, 1, 4])
        #expect(head.targetText.hasPrefix("/?b="))
        #expect(try !holds("s3cr3t", after: recorder))
    }

    @Test func `credentials in header fields and parameters not configured as secret are stored`()
        throws
    {
        let recorder = try recorder(fields: ["x-api-key"], parameters: ["password"])
        let id = recorder.recordSample(
            "/?token=t0ken&redirect_uri=x&code=c0de",
            fields: [("Authorization", "Bearer abc"), ("X-Note", "http://u:p@h/ Bearer z")])
        let exchange = try exchange(recorder, id)
        #expect(exchange.request.url?.queryText == "token=t0ken&redirect_uri=x&code=c0de")
        #expect(exchange.request.head?.fields["authorization"] == "Bearer abc")
        #expect(exchange.request.head?.fields["x-note"] == "http://u:p@h/ Bearer z")
        recorder.stop()
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "user=ann&password=s3cr3t&x=1"),
        ("application/json", #"{"user": "ann", "login": {"password": "s3cr3t"}, "x": [1]}"#),
        ("application/json", #"{"user": "ann", "password": "s3cr3t", "cut": "#),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cr3t\r\n--b--\r\n"
        ),
        ("text/plain", "password=s3cr3t and more"),
        ("application/octet-stream", "\u{0}\u{1}password\u{6}s3cr3t"),
    ])
    func `values of parameters configured as secret are not stored in queries and bodies`(
        type: String, body: String
    ) throws {
        let recorder = try recorder(parameters: ["password"])
        let id = recorder.recordSample(
            "/login?password=s3cr3t&q=1", method: "POST", fields: [("Content-Type", type)],
            requestBody: Array(body.utf8), responseBody: Array(body.utf8))
        let exchange = try exchange(recorder, id)
        #expect(exchange.request.url?.queryText?.hasSuffix("&q=1") == true)
        #expect(exchange.request.url?.queryText?.hasPrefix("password=") == true)
        #expect(try !holds("s3cr3t", after: recorder))
    }

    @Test func `the other parameters of a form with a secret parameter are stored decoded`() throws
    {
        let recorder = try recorder(parameters: ["password"])
        let id = recorder.recordSample(
            "/login", method: "POST",
            fields: [("Content-Type", "application/x-www-form-urlencoded")],
            requestBody: Array("user=ann&password=s3cr3t".utf8))
        try recorder.flush()
        let parameters = try store.reader().parameters(of: id)
        #expect(parameters.map(\.name) == ["user", "password"])
        #expect(parameters.first?.value == "ann")
        #expect(try exchange(recorder, id).request.body.isTruncated == false)
        recorder.stop()
    }

    @Test func `a secret value that is split between pieces of a body is not stored`() throws {
        let recorder = try recorder(parameters: ["password"])
        let id = recorder.nextExchangeID()
        recorder.record(
            Samples.begun(
                id, "/", method: "POST", fields: [("Content-Type", "application/json")]))
        let pieces = [#"{"user":"ann","pass"#, #"word":"s3c"#, #"r3t","end":true}"#]
        var count: Int64 = 0
        for (index, piece) in pieces.enumerated() {
            var update = Samples.later(id)
            count += Int64(piece.utf8.count)
            update.requestBody.appended = Array(piece.utf8)
            update.requestBody.byteCount = count
            update.requestBody.isComplete = index == pieces.count - 1
            recorder.record(update)
            try recorder.flush()
        }
        var last = Samples.later(id, .complete)
        last.requestBody.byteCount = count
        last.requestBody.isComplete = true
        recorder.record(last)
        let body = try exchange(recorder, id).request.body
        let text = String(decoding: body.kept, as: UTF8.self)
        #expect(text.contains("ann") && text.contains("end"), "\(text)")
        #expect(!body.isTruncated)
        #expect(try !holds("s3c", after: recorder))
    }

    @Test func `a compressed body is stored uncompressed if secret values must be left out`() throws
    {
        let recorder = try recorder(parameters: ["password"])
        // {"password":"s3cr3t","a":1}
        let packed: [UInt8] = try #require(
            Data(
                base64Encoded:
                    "H4sIAAAAAAACA6tWKkgsLi7PL0pRslIqNk4uMi5R0lFKVLIyrAUA6FUtWRsAAAA="
            )
        ).map { $0 }
        let id = recorder.recordSample(
            "/", method: "POST",
            fields: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
            requestBody: packed)
        let request = try exchange(recorder, id).request
        #expect(request.head?.fields["content-encoding"] == nil)
        let text = String(decoding: request.body.kept, as: UTF8.self)
        #expect(text.contains(#""a":1"#), "\(text)")
        #expect(!text.contains("s3cr3t"))
        recorder.stop()
    }

    @Test func `bodies that are buffered to find secret values share a memory limit`() throws {
        let recorder = try recorder(parameters: ["password"])
        let piece = Array(("x=" + String(repeating: "y", count: (1 << 20) - 2)).utf8)
        var open: [ExchangeID] = []
        func begin() {
            let id = recorder.nextExchangeID()
            let type = ("Content-Type", "application/x-www-form-urlencoded")
            recorder.record(Samples.begun(id, "/", method: "POST", fields: [type]))
            var update = Samples.later(id)
            update.requestBody.appended = piece
            update.requestBody.byteCount = Int64(piece.count)
            recorder.record(update)
            open.append(id)
        }
        func end(_ id: ExchangeID) throws -> Int {
            var last = Samples.later(id, .complete)
            last.requestBody.byteCount = Int64(piece.count)
            last.requestBody.isComplete = true
            recorder.record(last)
            return try exchange(recorder, id).request.body.kept.count
        }
        for _ in 0..<33 { begin() }
        #expect(try end(open[32]) == 0)
        #expect(try end(open[0]) == piece.count)
        begin()
        #expect(try end(open[33]) == piece.count)
        recorder.stop()
    }

    @Test func `a body too long to search for secret values is not stored, only its size`()
        throws
    {
        let recorder = try recorder(parameters: ["password"])
        let long = "password=s3cr3t&x=" + String(repeating: "y", count: 1 << 20)
        let id = recorder.recordSample(
            "/", method: "POST",
            fields: [("Content-Type", "application/x-www-form-urlencoded")],
            requestBody: Array(long.utf8))
        let body = try exchange(recorder, id).request.body
        #expect(body.kept.isEmpty)
        #expect(body.byteCount == Int64(long.utf8.count))
        #expect(try !holds("s3cr3t", after: recorder))
    }

    @Test
    func `secret values are removed from JSON messages, and incomplete JSON is left out entirely`()
        throws
    {
        let recorder = try recorder(parameters: ["password"])
        let id = recorder.nextExchangeID()
        var cut = Samples.message(4, .text, .toServer, #"{"password": "s3cr3t"}"#)
        cut.flags = .cut
        recorder.record(
            Samples.socket(
                id,
                [
                    Samples.message(
                        0, .text, .toServer, #"{"user": "ann", "login": {"password": "s3cr3t"}}"#),
                    Samples.message(1, .text, .toClient, #"{"user": "ben"}"#),
                    Samples.message(2, .text, .toClient, "the s3cr3t"),
                    Samples.message(3, .binary, .toServer, "s3cr3t"), cut,
                    Samples.message(
                        5, .close, .toClient, bytes: [3, 0xE8] + Array("s3cr3t".utf8)),
                ]))
        var stream = Samples.stream(recorder.nextExchangeID(), ["data: s3cr3t\n\n"])
        stream.messages[0].content = .bytes(Array("data: {\"password\": \"s3cr3t\"}\n".utf8))
        recorder.record(stream)
        try recorder.flush()
        let reader = try store.reader()
        let rows = try reader.messages(of: id, .oldest, limit: 9, byteCountMax: 999)
        let texts = rows.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts[0].contains("ann") && texts[0].contains("password"))
        #expect(texts[1] == #"{"user": "ben"}"#)
        #expect(texts[2...4] == ["", "", ""])
        #expect(rows.map { $0.flags.contains(.cut) } == [false, false, true, true, true, true])
        #expect(rows[5].bytes == [3, 0xE8])
        #expect(rows[2].byteCount == 10)
        let event = try #require(
            try reader.messages(of: stream.id, .oldest, limit: 1, byteCountMax: 999).first)
        #expect(String(decoding: event.bytes, as: UTF8.self).hasPrefix("data: {\"password\":"))
        #expect(try reader.row(id)?.messageCount == 5)
        // The body itself is no JSON with that name, and stays.
        #expect(
            try !reader.messages(of: id, .oldest, limit: 9, byteCountMax: 99).contains {
                String(decoding: $0.bytes, as: UTF8.self).contains("s3cr3t")
            })
        recorder.stop()
    }
}
