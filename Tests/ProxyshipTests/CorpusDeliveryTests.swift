import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydRedactionTestSupport
import ProxydStoreTestSupport
import Testing
@testable import proxyship

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
    func `redacted records and messages sent by proxyship contain no credential of the corpus`()
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
