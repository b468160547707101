import Foundation
import ProxydTestSupport
import Testing

/// What the engine does with every vector of HTTPWireTests, byte for byte on both sides, and the
/// rows it leaves: golden files that only a wanted change of behaviour may change.
@Suite struct EngineTranscriptTests {
    @Test(arguments: WireVectorFile.names)
    func `the wire output and the records of each wire test vector match the golden files`(
        name: String
    ) throws {
        let found = try WireVectorFile.read(name)
            .map { try EngineTranscript.text(of: $0) }.joined(separator: "\n")
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name).txt")
        let wanted = try GoldenFile.wanted(at: url, found: found)
        let difference = zip(wanted.split(separator: "\n"), found.split(separator: "\n"))
            .first { $0 != $1 }
        #expect(difference == nil)
        #expect(found.count == wanted.count)
    }
}
