import ClientLib
import Foundation
import ProxydClientTestSupport
import Testing

struct ErrorDescriptionTests {
    private enum Color: String, Decodable { case red }
    private struct Page: Decodable { let colors: [Color] }

    @Test(arguments: [
        #"{"colors":["hunter2"]}"#, #"{"colors":[{"hunter2":1}]}"#, #"{"colors":"hunter2"}"#,
        #"{"colors":[hunter2]}"#, #"{"hunter2":1}"#,
    ])
    func `the description of a decoding error contains nothing from the response body`(body: String)
        async throws
    {
        let server = try ScriptedServer { _ in
            ScriptedServer.response(200, body, headers: [("Content-Type", "application/json")])
        }
        let error = await Session.default.request(server.url).serializingDecodable(Page.self)
            .response.error
        let shown = try #require(error)
        #expect(!"\(shown)".contains("hunter2"))
        #expect(!String(reflecting: shown).contains("hunter2"))
    }

    @Test func `the description of a decoding error has its kind and its coding path`() {
        let context = DecodingError.Context(
            codingPath: [Key(stringValue: "colors"), Key(intValue: 0)],
            debugDescription: "hunter2 is no color")
        func text(_ error: any Error) -> String {
            let kind = ClientError.Kind.responseSerializationFailed(.decodingFailed)
            return "\(ClientError(kind, underlying: error))"
        }
        #expect(
            text(DecodingError.dataCorrupted(context)).hasSuffix(
                "(DecodingError.dataCorrupted at colors.0)"))
        #expect(
            text(DecodingError.typeMismatch(Int.self, context)).hasSuffix(
                "(DecodingError.typeMismatch, wanted Int, at colors.0)"))
        #expect(
            text(DecodingError.keyNotFound(Key(stringValue: "name"), context)).hasSuffix(
                "(DecodingError.keyNotFound, wanted name, at colors.0)"))
        let encoding = EncodingError.Context(codingPath: [], debugDescription: "hunter2")
        #expect(
            text(EncodingError.invalidValue("hunter2", encoding)).hasSuffix(
                "(EncodingError.invalidValue at the top)"))
        #expect(text(Refusal.late).hasSuffix("(late)"))
    }

    private enum Refusal: Error { case late }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { (self.stringValue, self.intValue) = (String(intValue), intValue) }
    }
}
