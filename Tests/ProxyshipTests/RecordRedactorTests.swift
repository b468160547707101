import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydRedactionTestSupport
import ProxydStoreTestSupport
import Testing

@testable import proxyship

/// No credential leaves the machine, and the rest of an exchange still fits together.
@Suite struct RecordRedactorTests {
    private let store = TemporaryStore()
    private let redactor = RecordRedactor()

    private func records(
        bodyByteCountMax: Int64 = .max, _ fill: (Recorder) throws -> Void
    ) throws -> [StoredRecord] {
        let recorder = try store.recorder()
        try fill(recorder)
        recorder.stop()
        return try store.reader().records(Array(1...99), bodyByteCountMax: bodyByteCountMax)
    }

    /// The record of one exchange.
    private func record(
        _ origin: String = "/", bodyByteCountMax: Int64 = .max,
        _ change: (inout ExchangeUpdate) -> Void
    ) throws -> StoredRecord {
        let found = try records(bodyByteCountMax: bodyByteCountMax) { recorder in
            var update = Samples.complete(recorder.nextExchangeID(), origin)
            change(&update)
            recorder.record(update)
        }
        return try #require(found.first)
    }

    private func redacted(_ record: StoredRecord) -> StoredRecord {
        redactor.redacted(record).record
    }

    // MARK: All kinds

    @Test func `redaction removes credentials from every kind of exchange`() throws {
        let found = try records { try InterchangeSamples.record(into: $0) }
        #expect(found.count == 15)
        #expect(found.filter(\.hasSecret).map(\.id) == [2, 5, 11, 12, 14])
        #expect(found.map(redacted).filter(\.hasSecret).map(\.id) == [])
    }

    @Test func `redaction does not change the record of an exchange without credentials`() throws {
        let found = try records { try InterchangeSamples.record(into: $0) }
        for record in found where [1, 3, 6, 8, 10].contains(record.id) {
            let redacted = redacted(record)
            #expect(redacted.values == record.values)
            #expect(redacted.heads == record.heads)
            #expect(redacted.requestBody == record.requestBody)
            #expect(redacted.responseBody == record.responseBody)
            #expect(redacted.parameters == record.parameters)
            #expect(redacted.responseFault == record.responseFault)
            #expect(redacted.annotations == record.annotations)
        }
    }

    // MARK: Requests

    @Test func `redaction removes credentials from a request's header, query, body and parameters`()
        throws
    {
        let url = Samples.url("/a?access_token=s3cr3t&q=1")
        let record = try record { update in
            update.url = url
            update.requestHead = Samples.requestHead(
                "POST", url,
                fields: [
                    ("Content-Type", "application/x-www-form-urlencoded"),
                    ("Content-Length", "25"), ("Authorization", "Basic s3cr3t"),
                ])
            update.requestBody.set(Array("password=hunter2&user=ann".utf8))
        }
        let redacted = redacted(record)
        #expect(
            redacted.head("request_head")
                == "POST http://example.test/a?access_token=REDACTED&q=1 HTTP/1.1\r\n"
                + "Host: example.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 26\r\nAuthorization: Basic REDACTED\r\n\r\n")
        #expect(redacted[.path] == .text("/a"))
        #expect(redacted[.query] == .text("access_token=REDACTED&q=1"))
        #expect(redacted.requestBody == Array("password=REDACTED&user=ann".utf8))
        #expect(redacted[.requestBytes] == .integer(26))
        #expect(redacted[.requestKeptBytes] == .integer(26))
        let expected: [(Int64, ExtractedParameter.Source, String, String)] = [
            (0, .query, "access_token", "REDACTED"), (1, .query, "q", "1"),
            (0, .form, "password", "REDACTED"), (1, .form, "user", "ann"),
        ]
        #expect(
            Set(redacted.parameters)
                == Set(
                    expected.map { position, source, name, value in
                        StoredParameter(
                            position: position,
                            parameter: ExtractedParameter(
                                source: source, name: name, value: value))
                    }))
        #expect(redacted.parameters.count == 4)
    }

    @Test
    func `a redacted HTTP/2 request keeps its pseudo-headers, HPACK codings and frames`()
        throws
    {
        let found = try records { recorder in
            recorder.record(Samples.http2(recorder.nextExchangeID()))
        }
        let record = try #require(found.first)
        let redacted = redacted(record)
        #expect(
            redacted.head("request_head")
                == ":method: GET\r\n:scheme: https\r\n:authority: h.test\r\n:path: /a?b=c\r\n"
                + "authorization: REDACTED\r\n\r\n")
        for name in ["response_head", "request_head_codings", "response_head_codings", "frames"] {
            #expect(redacted.head(name) == record.head(name), "\(name)")
            #expect(record.head(name) != nil, "\(name)")
        }
        #expect(redacted.exchange.request.head?.fields["authorization"] == "REDACTED")
    }

    @Test func `redaction removes the bytes of recorded HTTP/2 frames`() throws {
        let redacted = try redacted(record { $0.frames = Samples.framesWithBytes })
        let frames = FrameTimeline.records(redacted.exchange.frames)
        #expect(frames.map(\.bytes) == [[], []])
    }

    @Test
    func `redaction removes a malformed request head and the bytes of a response that is not HTTP`()
        throws
    {
        let found = try records { try InterchangeSamples.record(into: $0) }.map(redacted)
        let refused = try #require(found.first { $0.id == 11 })
        #expect(
            refused.responseFault
                == ResponseFault(refusal: .init(bytes: [], reason: "no HTTP")))
        let malformed = try #require(found.first { $0.id == 12 })
        #expect(malformed.head("request_head") == nil)
        #expect(malformed.flags.contains(.malformedHead))
    }

    // MARK: Responses

    @Test
    func `redaction removes credentials from interim and final responses, trailers and errors`()
        throws
    {
        let record = try record { update in
            update.informational = [
                ResponseHead(
                    status: 103, reason: "Early",
                    fields: HeaderFields([(name: "Set-Cookie", value: "a=s3cr3t; Path=/")]))
            ]
            update.responseHead = Samples.responseHead(
                200, "token=s3cr3t",
                fields: [
                    ("Content-Type", "application/json"), ("Set-Cookie", "sid=s3cr3t; HttpOnly"),
                ])
            update.responseBody.set(Array(#"{"jwt":"s3cr3t","n":[1]}"#.utf8))
            update.requestTrailers = HeaderFields([(name: "X-Api-Key", value: "s3cr3t")])
            update.responseTrailers = HeaderFields([
                (name: "X-Sum", value: "1"), (name: "X-Auth-Token", value: "s3cr3t"),
            ])
            update.state = .failed
            update.failure = ExchangeFailure(
                origin: .upstream, kind: .closedEarly, message: "it said password=hunter2")
        }
        let redacted = redacted(record)
        let heads = [
            "interim_heads": "HTTP/1.1 103 Early\r\nSet-Cookie: a=REDACTED; Path=/\r\n\r\n",
            "response_head": "HTTP/1.1 200 token=REDACTED\r\nContent-Type: application/json\r\n"
                + "Set-Cookie: sid=REDACTED; HttpOnly\r\n\r\n",
            "request_trailers": "X-Api-Key: REDACTED\r\n\r\n",
            "response_trailers": "X-Sum: 1\r\nX-Auth-Token: REDACTED\r\n\r\n",
        ]
        for (name, text) in heads { #expect(redacted.head(name) == text) }
        let body = Array(#"{"jwt":"REDACTED","n":[1]}"#.utf8)
        #expect(redacted.responseBody == body)
        #expect(redacted[.responseBytes] == .integer(Int64(body.count)))
        #expect(redacted[.responseKeptBytes] == .integer(Int64(body.count)))
        #expect(redacted[.reason] == .text("token=REDACTED"))
        #expect(redacted[.error] == .text("it said password=REDACTED"))
    }

    @Test
    func `redaction also removes credentials from the versions of messages changed by rules`()
        throws
    {
        let found = try records { try InterchangeSamples.record(into: $0) }
        let redacted = redacted(try #require(found.first { $0.id == 14 }))
        #expect(redacted.requestBodySent == Array("password=REDACTED".utf8))
        #expect(redacted.responseBodySent == [])
        #expect(
            redacted.head("response_head_sent")
                == "HTTP/1.1 418 Teapot\r\nSet-Cookie: a=REDACTED\r\n"
                + "Content-Type: text/plain\r\n\r\n")
        #expect(redacted.appliedRules.map(\.detail) == ["token=REDACTED", nil, nil])
        #expect(redacted.appliedRules.map(\.rule) == ["key", "tea", "key"])
    }

    @Test(arguments: ["application/octet-stream", "application/json", "application/grpc"])
    func `redaction removes a body that it cannot search, but keeps its size`(type: String) throws {
        let bytes: [UInt8] = [0x7B, 0, 1, 2]
        let record = try record { update in
            update.responseHead = Samples.responseHead(fields: [("Content-Type", type)])
            update.responseBody.set(bytes)
        }
        #expect(record.responseBody == bytes)
        let redacted = redacted(record)
        #expect(redacted.responseBody == [])
        #expect(redacted[.responseBytes] == .integer(4))
        #expect(redacted[.responseKeptBytes] == .integer(0))
    }

    @Test func `redaction keeps the text body of a response that proxyd made itself`()
        throws
    {
        let head = Samples.responseHead(200, "OK", fields: [("Content-Type", "text/plain")])
        let redacted = try redacted(
            record { update in
                update.responseHead = nil
                update.responseBody = .init()
                update.events = [
                    .sentResponseHead(head.bytes), .sentResponseBody(Array("hello".utf8)),
                ]
            })
        #expect(redacted.exchange.response?.head.status == 200)
        #expect(redacted.exchange.response?.body.kept == Array("hello".utf8))
    }
}

extension StoredRecord {
    /// A value of `StoredHeads.columns` as text.
    func head(_ name: String) -> String? {
        guard let index = StoredHeads.columns.firstIndex(of: name) else { return nil }
        return heads.bytes(index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Every text and every byte of the record.
    var contents: String {
        var bytes: [UInt8] = []
        for value in values + heads {
            switch value {
            case .text(let text): bytes += Array(text.utf8)
            case .blob(let held): bytes += held
            case .integer, .real, .null: continue
            }
        }
        for body in [requestBody, responseBody, requestBodySent, responseBodySent] {
            bytes += body ?? []
        }
        bytes += responseFault?.refusal?.bytes ?? []
        var texts = appliedRules.map { $0.detail ?? "" } + annotations.tags
        texts += parameters.map { "\($0.parameter.name)=\($0.parameter.value ?? "")" }
        texts += [annotations.note, responseFault?.refusal?.reason].compactMap { $0 }
        return String(decoding: bytes, as: UTF8.self) + texts.joined(separator: "\n")
    }

    /// Whether one of the samples' credentials is in it.
    var hasSecret: Bool { contents.contains("s3cr3t") || contents.contains("hunter2") }
}

/// No credential is delivered to a central store, wherever it was and however it was spelled.
@Suite struct CorpusDeliveryTests {
    /// Everything of the records and their messages as text.
    private static func text(
        _ change: (StoredRecord, [MessageRow]) -> (StoredRecord, [MessageRow])
    ) throws -> String {
        let store = TemporaryStore()
        let recorder = try store.recorder()
        for sample in SecretCorpus.all {
            recorder.record(sample.update(recorder.nextExchangeID()))
        }
        recorder.stop()
        let reader = try store.reader()
        let numbers = SecretCorpus.all.indices.map { Int64($0 + 1) }
        var text = ""
        for record in try reader.records(numbers, bodyByteCountMax: .max) {
            let messages = try reader.messages(
                of: ExchangeID(rawValue: record.id), .oldest, limit: 10, byteCountMax: 1 << 20)
            let (shown, rows) = change(record, messages)
            text += "\(shown.values) \(shown.parameters) \(shown.annotations)"
            var bytes = shown.heads.compactMap { value in
                if case .blob(let bytes) = value { bytes } else { nil }
            }
            bytes += [shown.requestBody, shown.responseBody].compactMap { $0 }
            bytes += rows.map(\.bytes)
            text += bytes.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        }
        return text
    }

    @Test
    func `redacted records and messages contain none of the credentials in the test corpus`()
        throws
    {
        let redactor = RecordRedactor()
        let text = try CorpusDeliveryTests.text { record, messages in
            let redacted = redactor.redacted(record)
            return (redacted.record, redactor.redacted(messages, of: redacted))
        }
        #expect(text.count > 1_000_000)
        #expect(SecretCorpus.found(in: text).isEmpty)
    }

    @Test
    func `records and messages that are not redacted contain every credential of the test corpus`()
        throws
    {
        let text = try CorpusDeliveryTests.text { ($0, $1) }
        #expect(SecretCorpus.found(in: text).count == SecretCorpus.all.count)
    }
}
