import Foundation
import ProxydTestSupport

/// A message of the shared collection `http1/messages.json` and what another careful parser logs.
struct ForeignVector: Sendable, Decodable, CustomStringConvertible {
    let id: String
    let type: String
    let wire: String
    let expect: [String]

    var description: String { "\(id) [\(type)]" }
    var isResponse: Bool { type.hasPrefix("response") }
    var isLenient: Bool { type.contains("lenient") }
    /// A line end of the text is CRLF, but the last one, which ends the text.
    var bytes: [UInt8] { WireText.bytes(wire.hasSuffix("\n") ? wire.dropLast() : wire[...]) }

    /// Whether the other parser found an error of syntax; its pauses are none.
    var isRefused: Bool {
        expect.contains { $0.contains(" error code=") && !$0.contains("reason=\"Pause on") }
    }

    /// Our notation of the other parser's log: start lines, fields, body, ends.
    var transcript: [String] { ForeignLog.transcript(expect, isResponse: isResponse) }

    /// All messages; empty where the collection is not beside the project.
    static let all: [ForeignVector] = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appending(path: "../shared/vectors/http1/messages.json").standardized
            guard let data = try? Data(contentsOf: file) else { continue }
            return (try? JSONDecoder().decode([ForeignVector].self, from: data)) ?? []
        }
        return []
    }()
}
