import ClientLib
import Testing

/// Responses that httpbin sends piece by piece.
@Suite(.enabled("httpbin could be had") { await HTTPBinServer.isThere() })
struct HTTPBinStreamTests {
    private let session = Session()

    private func url(_ path: String) async throws -> String {
        try await HTTPBinServer.shared().url + path
    }

    private func streamed(_ path: String) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in try await session.streamRequest(url(path)).streamingData() {
            bytes += piece
        }
        return bytes
    }

    @Test func `the lines of a chunked response arrive complete and in order`() async throws {
        let text = String(decoding: try await streamed("/stream/20"), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 20)
        for (number, line) in lines.enumerated() { #expect(line.contains("\"id\": \(number)}")) }
    }

    @Test func `a chunked response has the same bytes as one with a Content-Length`() async throws {
        let chunked = try await streamed("/stream-bytes/50000?seed=7&chunk_size=999")
        let whole = try await session.request(url("/bytes/50000?seed=7")).serializingData().value
        #expect(chunked == whole)
        #expect(chunked.count == 50_000)
    }

    @Test func `a response that is sent slowly is received completely`() async throws {
        #expect(
            try await streamed("/drip?numbytes=10&duration=1")
                == Array(repeating: UInt8(ascii: "*"), count: 10))
    }
}
