import ClientLib
import ProxydHTTPModel
import ProxydRedactionTestSupport
import Testing

/// No log or description has a credential, wherever it was and however it was spelled.
struct CorpusLogTests {
    /// What logs and descriptions say of a request and a response like these.
    private static func text(
        _ exchange: Exchange, _ redaction: Redaction?
    ) -> String {
        let secrets = LogSecrets(redaction: redaction)
        guard let url = exchange.request.url, let head = exchange.request.head else { return "" }
        let request = HTTPRequest(
            method: head.method, url: url, fields: head.fields,
            body: .bytes(exchange.request.body.kept))
        var text = request.cURLDescription(redaction: redaction)
        text += "\(secrets.url(url)) \(secrets.fields(head.fields))"
        if let response = exchange.response {
            let body = secrets.body(response.body.kept, fields: response.head.fields) ?? []
            text += "\(secrets.fields(response.head.fields))"
            text += String(decoding: body, as: UTF8.self)
        }
        return text
    }

    @Test
    func `logs and descriptions of requests and responses contain none of the test credentials`() {
        for (index, sample) in SecretCorpus.all.enumerated() where sample.carrier != .webSocket {
            let exchange = sample.exchange(ExchangeID(rawValue: Int64(index + 1)))
            let text = CorpusLogTests.text(exchange, Redaction())
            #expect(!text.contains(sample.word), "\(sample): \(text)")
            #expect(CorpusLogTests.text(exchange, nil).contains(sample.word), "\(sample)")
        }
    }
}
