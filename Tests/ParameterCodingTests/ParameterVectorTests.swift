import Foundation
import ProxydParameterCoding
import Testing

@Suite struct ParameterVectorTests {
    /// What encoding a case gave, as the vectors tell it.
    private struct Outcome {
        var error: String?
        var members: [String: String] = [:]
    }

    @Test(.enabled(if: Vectors.has(ParameterVectorCase.path)))
    func `every query and form case of the shared parameter vectors gives the expected result`()
        throws
    {
        let cases = try ParameterVectorCase.all()
        #expect(cases.count >= 150)
        for item in cases {
            let outcome = try outcome(item)
            switch item.adopt {
            case "yes", "option":
                #expect(matches(outcome, item), "\(item.id) \(item.name): \(outcome)")
            default:
                #expect(!matches(outcome, item), "\(item.id) \(item.name): \(outcome)")
                let ours = try #require(item.ours ?? Self.ours[item.id], "\(item.id)")
                let given = outcome.members[ours.contains("://") ? "url" : "string"]
                #expect(given == ours, "\(item.id) \(item.name): \(outcome)")
            }
        }
    }

    /// What ours gives in the cases that say only what it must not give.
    private static let ours = [
        "afn-query-259": "http://example.com/x?k=v#f",
        "url-encoding-049": "",
        "url-encoding-051": "d=AQID",
        "url-encoding-052": "d=1",
        "url-encoding-063": "https://httpbin.org/get?k=v",
    ]

    /// An encoding made by a user that fails.
    private struct FailingEncoding: ParameterSerializing {
        func encode(_ parameters: Parameter?, method: String) throws -> EncodedParameters {
            throw ParameterVectorCase.ClosureError()
        }
    }

    private func outcome(_ item: ParameterVectorCase) throws -> Outcome {
        if let text = item.parameters?["$string"]?.text {
            return Outcome(members: ["string": URLEncoding.afNetworking.escapes.encoded(text)])
        }
        let encoding: any ParameterSerializing =
            item.option("block") == "error" ? FailingEncoding() : try item.encoding()
        let encoded: EncodedParameters
        do {
            encoded = try encoding.encode(item.tree(), method: item.option("method") ?? "GET")
        } catch ParameterEncodingError.rootIsNotObject {
            return Outcome(error: "invalidRootObject")
        } catch is ParameterVectorCase.ClosureError {
            return Outcome(error: "own error")
        }
        var outcome = Outcome()
        let url = URLQuery.joined(
            Array((item.option("url") ?? "https://example.com/").utf8),
            with: encoded.query,
            existing: encoded.existingQuery
        )
        outcome.members["url"] = text(url)
        let query = url.prefix { $0 != UInt8(ascii: "#") }.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        outcome.members["query"] = query.count == 2 ? text(Array(query[1])) : nil
        outcome.members["string"] = text(encoded.query ?? [])
        outcome.members["body"] = encoded.body.map(text)
        let given = item.options["headers"]?.pairs.first { $0.name == "Content-Type" }
        outcome.members["contentType"] = given?.value.text ?? encoded.contentType
        return outcome
    }

    private func matches(_ outcome: Outcome, _ item: ParameterVectorCase) -> Bool {
        guard case .object(let expected) = item.expected else { return false }
        return expected.allSatisfy { member, value in
            switch (member, value) {
            case ("error", .string(let error)):
                outcome.error.map { error.contains($0) } ?? false
            case ("oneOf", .array(let texts)):
                texts.contains { $0.text == outcome.members["string"] }
            case (_, .null): outcome.members[member] == nil
            case (_, .string(let text)):
                outcome.error == nil
                    && outcome.members[member] == repeated(text, item.repeatValue)
            default: false
            }
        }
    }

    /// The value behind `=`, as often as the case says.
    private func repeated(_ text: String, _ count: Int?) -> String {
        guard let count, let equals = text.firstIndex(of: "=") else { return text }
        let value = text[text.index(after: equals)...]
        return text[...equals] + String(repeating: String(value), count: count)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
