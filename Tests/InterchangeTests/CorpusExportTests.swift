import Capture
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydRedactionTestSupport
import ProxydStoreTestSupport
import Testing

/// No export has a credential, wherever it was and however it was spelled.
struct CorpusExportTests {
    private static func store() throws -> InterchangeStore {
        try InterchangeStore { recorder in
            for sample in SecretCorpus.all {
                recorder.record(sample.update(recorder.nextExchangeID()))
            }
            try recorder.flush()
        }
    }

    /// A text, and what its Base64 says.
    private static func readings(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.matches(of: /"([A-Za-z0-9+\/=]{16,})"/).reduce(into: text) { all, match in
            all += String(
                decoding: Base64.bytes(String(match.output.1)) ?? [], as: UTF8.self)
        }
    }

    @Test func `no redacted export in any format contains a credential of the test corpus`() throws
    {
        let store = try CorpusExportTests.store()
        let redactor = ExchangeRedactor()
        let exports = [
            ("HAR", try store.export(HARWriter(version: "1"), redactor: redactor)),
            ("JSON lines", try store.export(JSONLinesWriter(), redactor: redactor)),
            ("curl", try store.export(CurlWriter(), redactor: redactor)),
            ("OpenAPI", try store.export(OpenAPIWriter(), redactor: redactor)),
            ("Postman", try store.export(PostmanWriter(), redactor: redactor)),
            ("k6", try store.export(K6Writer(), redactor: redactor)),
        ]
        for (format, bytes) in exports {
            #expect(bytes.count > 10_000, "\(format)")
            let found = SecretCorpus.found(in: CorpusExportTests.readings(bytes))
            #expect(found.isEmpty, "\(format): \(found)")
        }
    }

    /// Without redaction they are all there, so that the test above can fail.
    @Test func `an export without redaction contains every credential of the test corpus`() throws {
        let bytes = try CorpusExportTests.store().export(JSONLinesWriter())
        let found = SecretCorpus.found(in: CorpusExportTests.readings(bytes))
        #expect(found.count == SecretCorpus.all.count)
    }
}
