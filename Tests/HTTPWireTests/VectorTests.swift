import Foundation
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct VectorTests {
    @Test func `every file of HTTP test vectors has more than three cases`() {
        for name in WireVectorFile.names { #expect(WireVectorFile.read(name).count > 3, "\(name)") }
    }

    @Test(arguments: WireVectorFile.all)
    func `an HTTP test vector parsed whole gives its expected events`(_ vector: WireVector) {
        #expect(vector.transcript([vector.bytes[...]]) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `an HTTP test vector parsed byte by byte gives its expected events`(_ vector: WireVector) {
        #expect(vector.transcript(Cuts.drip(vector.bytes)) == vector.events)
    }

    @Test(arguments: WireVectorFile.all)
    func `an HTTP test vector split in two at any place gives its expected events`(
        _ vector: WireVector
    ) {
        for cut in 0...vector.bytes.count {
            let pieces = [vector.bytes[..<cut], vector.bytes[cut...]]
            #expect(vector.transcript(pieces) == vector.events, "cut at \(cut)")
        }
    }
}

/// The shared collection of messages with another careful parser's answers: ours must be the same,
/// but for the differences that `ForeignDifferences` lists with their reasons.
@Suite(.enabled(if: !ForeignVector.all.isEmpty, "the shared vectors are not here"))
struct ForeignVectorTests {
    @Test(arguments: ForeignVector.all.filter { !$0.isLenient })
    func `shared HTTP vectors are parsed as the reference parser parses them, but for listed ones`(
        _ vector: ForeignVector
    ) {
        let ours = transcript(of: vector, [vector.bytes[...]])
        let isRefused = ours.contains { $0.hasPrefix("error") }
        let isSame =
            isRefused == vector.isRefused
            && (isRefused || ForeignLog.reduced(ours) == vector.transcript)
        let difference = ForeignDifferences.strict[vector.id]
        #expect(isSame == (difference == nil), "\(ours)")
        if let difference { #expect(isRefused == difference.weRefuse, "\(difference.reason)") }
    }

    @Test(arguments: ForeignVector.all.filter { $0.isLenient })
    func `messages that only a lenient HTTP parser accepts are rejected, except for listed ones`(
        _ vector: ForeignVector
    ) {
        let ours = transcript(of: vector, [vector.bytes[...]])
        let isRefused = ours.contains { $0.hasPrefix("error") }
        #expect(isRefused == !ForeignDifferences.taken.contains(vector.id), "\(ours)")
    }

    @Test(arguments: ForeignVector.all)
    func `a shared HTTP vector is parsed the same however its bytes are split`(
        _ vector: ForeignVector
    ) {
        let whole = transcript(of: vector, [vector.bytes[...]])
        #expect(transcript(of: vector, Cuts.drip(vector.bytes)) == whole)
        #expect(transcript(of: vector, Cuts.pieces(vector.bytes, of: 7)) == whole)
    }

    private func transcript(
        of vector: ForeignVector,
        _ pieces: [ArraySlice<UInt8>]
    ) -> [String] {
        let methods = [HTTPMethod](repeating: .get, count: 8)
        return vector.isResponse
            ? Transcript.ofResponses(pieces, to: methods) : Transcript.ofRequests(pieces)
    }
}

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
