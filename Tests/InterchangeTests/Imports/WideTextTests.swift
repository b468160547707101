import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydStoreTestSupport
import Testing

/// Text in UTF-16 and UTF-32 that only its bytes say: files have it as text, with its size.
struct WideTextTests {
    /// A body and its type.
    struct Wide: Sendable, CustomTestStringConvertible {
        var type: String
        var bytes: [UInt8]

        init(_ type: String, _ text: String, unit: Int, hasMark: Bool, isBig: Bool = false) {
            self.type = type
            let units =
                unit == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
            bytes = ((hasMark ? [0xFEFF] : []) + units).flatMap { value in
                let bytes = (0..<unit).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                return isBig ? bytes.reversed() : bytes
            }
        }

        var testDescription: String { "\(type) \(bytes.prefix(8))" }
    }

    private static let kept: [Wide] = [
        Wide("text/plain", "Grüße", unit: 2, hasMark: true),
        Wide("text/plain; charset=utf-8", "Grüße", unit: 2, hasMark: true),
        Wide("text/plain; charset=iso-8859-1", "日本語", unit: 2, hasMark: true),
        Wide(
            "application/xml", #"<?xml version='1.0' encoding='utf-16'?><a>é</a>"#, unit: 2,
            hasMark: true),
        Wide("application/xml", "<?xml version='1.0'?><a>é</a>", unit: 2, hasMark: false),
        Wide("application/json", "[\"é\"]", unit: 2, hasMark: false),
        Wide("application/json", "[\"é\"]", unit: 2, hasMark: true),
        Wide("application/json", "[\"😀\"]", unit: 4, hasMark: false),
        Wide("application/json", "[\"😀\"]", unit: 4, hasMark: true),
        Wide("text/plain; charset=utf-32", "é", unit: 4, hasMark: true),
    ]

    /// A log of an exchange with this body in both of its messages.
    private func entry(_ wide: Wide) -> [UInt8] {
        let base64 = Base64.text(wide.bytes)
        let type = #"{"name":"Content-Type","value":"\#(wide.type)"}"#
        return HARText.log(
            HARText.entry(
                method: "POST", headers: type,
                request: #","postData":{"mimeType":"a/b","encoding":"base64","text":"\#(base64)"}"#,
                response: #"{"status":200,"headers":[\#(type)],"#
                    + #""content":{"encoding":"base64","text":"\#(base64)"}}"#))
    }

    /// What comes back of an export without what only this program writes.
    private func back(_ wide: Wide, _ format: some ExchangeWriting) throws -> Exchange {
        let store = try InterchangeStore(importing: entry(wide))
        let text = String(decoding: try store.export(format), as: UTF8.self)
            .replacing("_capture", with: "_other")
        let entries = try InterchangeReader.entries(of: Array(text.utf8))
        return try #require(entries.first).get().exchange
    }

    @Test(arguments: kept)
    func `UTF-16 and UTF-32 bodies exported to JSON Lines as text are imported with equal bytes`(
        wide: Wide
    ) throws {
        let exchange = try back(wide, JSONLinesWriter())
        #expect(exchange.request.body.kept == wide.bytes)
        #expect(exchange.response?.body.kept == wide.bytes)
    }

    @Test(arguments: kept)
    func `UTF-16 and UTF-32 bodies exported to HAR as text are imported with equal bytes`(
        wide: Wide
    )
        throws
    {
        let exchange = try back(wide, HARWriter(version: "1"))
        #expect(exchange.request.body.kept == wide.bytes)
        #expect(exchange.response?.body.kept == wide.bytes)
    }

    @Test func `a UTF-16 body exported without its byte order is imported as little-endian`() throws
    {
        let big = Wide("application/json", "[1]", unit: 2, hasMark: true, isBig: true)
        let little = Wide("application/json", "[1]", unit: 2, hasMark: true)
        #expect(try back(big, JSONLinesWriter()).response?.body.kept == little.bytes)
    }

    @Test(arguments: [
        // Without a mark, nothing would say that it is UTF-16.
        ("text/plain", 8, "abcd"), ("text/plain", 7, "abc"), ("application/json", 7, "[1]"),
        ("text/plain; charset=utf-8", 600, "é"), ("a/b", 2, ""),
    ])
    func `a HAR body size that fits no encoding of the text does not change the body text`(
        type: String, size: Int, text: String
    ) throws {
        let header = #"{"name":"Content-Type","value":"\#(type)"}"#
        let content = #"{"size":\#(size),"text":"\#(text)"}"#
        let exchange = try HARText.imported(
            HARText.entry(
                response: #"{"status":200,"headers":[\#(header)],"content":\#(content)}"#)
        ).exchange
        #expect(exchange.response?.body.kept == Array(text.utf8))
    }
}
