import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing
@testable import proxyship

/// Places in a record that are easy to forget, and messages and notes beside it.
@Suite struct RedactionGapTests {
    private let store = TemporaryStore()
    private let redactor = RecordRedactor()

    private func record(
        bodyByteCountMax: Int64 = .max, _ change: (inout ExchangeUpdate) -> Void
    ) throws -> StoredRecord {
        let recorder = try store.recorder()
        var update = Samples.complete(recorder.nextExchangeID())
        change(&update)
        recorder.record(update)
        recorder.stop()
        let found = try store.reader().records([1], bodyByteCountMax: bodyByteCountMax)
        return try #require(found.first)
    }

    // MARK: Bodies

    @Test func `if redaction leaves out a body, it also removes the form parameters found in it`()
        throws
    {
        let form = Array("password=hunter2".utf8)
        let url = Samples.url("/")
        let record = try record(bodyByteCountMax: 3) { update in
            update.requestHead = Samples.requestHead(
                "POST", url, fields: [("Content-Type", "application/x-www-form-urlencoded")])
            // More than fits beside the heads.
            update.requestBody.set(form + [UInt8](repeating: 0x61, count: 5_000))
        }
        #expect(record.requestBody == nil)
        #expect(!record.parameters.isEmpty)
        let redacted = redactor.redacted(record).record
        #expect(redacted.requestBody == [])
        #expect(redacted[.requestBytes] == .integer(5_016))
        #expect(redacted[.requestKeptBytes] == .integer(0))
        #expect(!redacted.hasSecret)
    }

    @Test
    func `redaction removes credentials from a response body that was recorded without a head`()
        throws
    {
        let record = try record { update in
            update.responseHead = nil
            update.responseBody.set(Array("password=hunter2".utf8))
        }
        #expect(record.hasSecret)
        #expect(!redactor.redacted(record).record.hasSecret)
    }

    @Test func `redaction removes credentials from a body whose response head cannot be parsed`()
        throws
    {
        _ = try record { $0.responseBody.set(Array("password=hunter2".utf8)) }
        try UncheckedDatabase.edit(
            store.directory.storePath, "UPDATE content SET response_head = x'00FF0D0A'")
        let found = try store.reader().records([1], bodyByteCountMax: .max)
        let record = try #require(found.first)
        #expect(record.hasSecret)
        #expect(!redactor.redacted(record).record.hasSecret)
    }

    // MARK: Columns

    @Test
    func `a credential in Content-Type is redacted in the header and all columns of the record`()
        throws
    {
        let type = "text/plain; token=s3cr3t"
        let url = Samples.url("/")
        let record = try record { update in
            update.requestHead = Samples.requestHead("GET", url, fields: [("Content-Type", type)])
            update.responseHead = Samples.responseHead(fields: [("Content-Type", type)])
        }
        #expect(record.hasSecret)
        let redacted = redactor.redacted(record).record
        #expect(
            redacted.head("response_head")
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; token=REDACTED\r\n\r\n")
        #expect(!redacted.hasSecret)
    }

    // MARK: Messages

    private func messages() throws -> [MessageRow] {
        try store.reader().messages(
            of: ExchangeID(rawValue: 1), .oldest, limit: 99, byteCountMax: .max)
    }

    private func recordStream(_ events: [String]) throws -> StoredRecord {
        let recorder = try store.recorder()
        recorder.record(Samples.stream(recorder.nextExchangeID(), events))
        recorder.stop()
        let found = try store.reader().records([1], bodyByteCountMax: .max)
        return try #require(found.first)
    }

    @Test func `server-sent events of a redacted body are delivered as separately redacted text`()
        throws
    {
        let record = try recordStream([
            "data: {\"token\":\"s3cr3t\"}\n\n", "id: 7\ndata: {\"n\":1}\n\n",
        ])
        let rows = try messages()
        #expect(rows.map(\.bodyStart) == [0, 26])
        let found = redactor.redacted(rows, of: redactor.redacted(record))
        let texts = found.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts == ["data: {\"token\":\"REDACTED\"}\n\n", "id: 7\ndata: {\"n\":1}\n\n"])
        #expect(found.map(\.bodyStart) == [nil, nil])
        #expect(found.map(\.byteCount) == texts.map { Int64($0.utf8.count) })
    }

    @Test func `server-sent events without credentials are delivered as ranges of their body`()
        throws
    {
        let record = try recordStream(["data: {\"n\":1}\n\n", "data: 2\n\n"])
        let rows = try messages()
        #expect(rows.map(\.bodyStart) == [0, 15])
        #expect(redactor.redacted(rows, of: redactor.redacted(record)) == rows)
    }

    @Test
    func `redaction removes the reason of a delivered WebSocket close frame but keeps its code`()
        throws
    {
        let recorder = try store.recorder()
        let code: [UInt8] = [0x03, 0xE8]
        recorder.record(
            Samples.socket(
                recorder.nextExchangeID(),
                [
                    Samples.message(0, .text, .toServer, "not JSON, s3cr3t"),
                    Samples.message(
                        1, .close, .toClient, bytes: code + Array("token s3cr3t".utf8)),
                ]))
        recorder.stop()
        let found = try store.reader().records([1], bodyByteCountMax: .max)
        let redacted = redactor.redacted(try #require(found.first))
        let rows = redactor.redacted(try messages(), of: redacted)
        #expect(rows.map(\.bytes) == [[], code])
        #expect(rows.allSatisfy { $0.flags.contains(.cut) })
    }

    // MARK: Annotations

    @Test func `credentials in notes and tags are redacted`() {
        let annotations = Exchange.Annotations(
            note: "see http://me:hunter2@a.test/?token=s3cr3t", tags: ["a", "password=hunter2"],
            isPinned: true)
        #expect(
            redactor.redacted(annotations)
                == Exchange.Annotations(
                    note: "see http://REDACTED@a.test/?token=REDACTED",
                    tags: ["a", "password=REDACTED"], isPinned: true))
        #expect(redactor.redacted(Exchange.Annotations()) == Exchange.Annotations())
    }
}
