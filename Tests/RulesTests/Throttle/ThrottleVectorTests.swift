import ProxydTestSupport
import Testing

@testable import ProxydRules

@Suite struct ThrottleVectorTests {
    private struct Vectors: Decodable { let line: [Vector] }

    struct Vector: Decodable, CustomTestStringConvertible {
        struct Piece: Decodable {
            let at_ms: Int64
            let bytes: Int

            private enum CodingKeys: String, CodingKey {
                case at_ms
                case bytes = "octets"
            }
        }

        let id: String
        let bytes_per_s: Double
        let one_way_latency_ms: Int
        let pieces: [Piece]
        let arrives_ms: [Double]

        private enum CodingKeys: String, CodingKey {
            case id, one_way_latency_ms, pieces, arrives_ms
            case bytes_per_s = "octets_per_s"
        }

        var testDescription: String { id }
    }

    @Test(.enabled(if: RuleVectorFile.isThere, "the shared vectors are not there"))
    func `throttled bytes arrive at the times that the shared test vectors expect`() throws {
        let vectors = try #require(try RuleVectorFile.read(Vectors.self)).line
        #expect(vectors.count >= 7)
        for vector in vectors { try check(vector) }
    }

    private func check(_ vector: Vector) throws {
        let isFair = vector.id == "fair"
        var run = ThrottleRun(
            bytesPerSecond: Int(vector.bytes_per_s), latencyMs: vector.one_way_latency_ms,
            pieceByteCount: isFair ? 1_000 : nil)
        var sums: [Int64: Int] = [:]
        var ends: [(flow: Int64, byte: Int)] = []
        for (index, piece) in vector.pieces.enumerated() {
            // Two connections put their pieces on by turns.
            let flow: Int64 = isFair ? Int64(index % 2) : 0
            run.come(piece.bytes, of: flow, atMs: piece.at_ms)
            sums[flow, default: 0] += piece.bytes
            ends.append((flow, sums[flow] ?? 0))
        }
        run.run()
        for (end, expected) in zip(ends, vector.arrives_ms) {
            let ms = try #require(run.ms(ofByte: end.byte, of: end.flow))
            #expect(abs(ms - expected) < 0.001, "\(vector.id)")
        }
    }
}
